/*
 * module.h - internal to symbols.c: what it asks of the code and the debug information of one module.
 */
#ifndef ASSAY_SYMBOLS_MODULE_H
#define ASSAY_SYMBOLS_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/*
 * functions.c: the function at an address, by debug information: an index of each unit, built when it is first needed.
 * libdw's own search scans a whole unit for every address.
 */

/* For a module, whose debug information must live as long. Start with {0}. */
struct functions {
    struct functions_unit *units; /* by their offset */
    size_t count, capacity;
};

void functions_free(struct functions *functions);

/*
 * The functions around an address of the unit, innermost first: inlined ones, then the one that they are inlined in.
 * Returns their number in dies[most]; 0 if there is none, if there are more, or without memory. Cost: a unit's
 * size the first time, then the logarithm of its functions and the blocks of the found one.
 */
size_t functions_at(struct functions *functions, Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die *dies, size_t most);

/*
 * symbol_names.c: the symbol at a position. libdwfl's search looks at every symbol for every position; its answer
 * changes only where a symbol or a section begins or ends, so it is asked once for each stretch between two such
 * locations.
 */

/* For one module, which must outlive it. Start with {0}. */
struct symbol_names {
    struct stretch *stretches; /* sorted by their begin; together they cover all positions */
    size_t count, capacity;
    bool made, failed; /* failed: no memory, so not all are present */
};

void symbol_names_free(struct symbol_names *names);

/*
 * What dwfl_module_addrname() returns for a position: NULL if no symbol is there. Owned by the module. Cost: the number
 * of symbols n (and n log n the first time) in a stretch that is new, log n in one that is known.
 */
const char *symbol_names_at(struct symbol_names *names, Dwfl_Module *module, GElf_Addr position);

/*
 * loop.c: the instructions that belong to a loop of a module's machine code.
 *
 * The jumps that continue or end it show where it is in the source: compilers give a conditional jump the place of its
 * condition, and the jump back that of the loop's statement, while the first instruction of the header can be anything,
 * often the beginning of an inner loop.
 */

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

/*
 * stubs.c: the targets of the stubs of a procedure linkage table (System V ABI, AMD64 supplement, 5.2; x86-64 only).
 *
 * A stub has no symbol. It jumps through a slot of the global offset table, and the relocation of that slot names the
 * function.
 */

/*
 * The linker's name of the function to which the stub at a position of the module jumps, maybe with its version
 * (`memcpy@@GLIBC_2.14`). NULL if it is not in a readable stub. Owned by the module. Cost: the number of its
 * dynamic relocations, and of its symbols for a function that is chosen at run time.
 */
const char *stubs_target(Dwfl_Module *module, uint64_t position);

#endif
