/*
 * loop.h - the instructions that belong to a loop of a module's machine code.
 *
 * The jumps that continue or end it show where it is in the source: compilers give a conditional jump the place of its
 * condition, and the jump back that of the loop's statement, while the first instruction of the header can be anything,
 * often the beginning of an inner loop.
 */
#ifndef ASSAY_SYMBOLS_LOOP_H
#define ASSAY_SYMBOLS_LOOP_H

#include <stdbool.h>
#include <stddef.h>

#include <elfutils/libdwfl.h>

struct loop_instruction {
    GElf_Addr position; /* in the module's address space */
    bool control;       /* a jump to the header, or one that may leave the loop */
};

/*
 * The instructions of the loop whose header begins at `header`, ascending, without those of the loops within it:
 * *instructions[returned], to be freed. 0, and NULL, if no loop of the symbol's code begins there (loops.h says which
 * ones are found), if the code can't be read, or without memory. Cost: that of loops_find() for the function.
 */
size_t loop_find(Dwfl_Module *module, GElf_Addr header, struct loop_instruction **instructions);

#endif
