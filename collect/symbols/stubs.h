/*
 * stubs.h - the targets of the stubs of a procedure linkage table (System V ABI, AMD64 supplement, 5.2; x86-64 only).
 *
 * A stub has no symbol. It jumps through a slot of the global offset table, and the relocation of that slot names the
 * function.
 */
#ifndef ASSAY_SYMBOLS_STUBS_H
#define ASSAY_SYMBOLS_STUBS_H

#include <elfutils/libdwfl.h>
#include <stdint.h>

/*
 * The linker's name of the function to which the stub at a position of the module jumps, maybe with its version
 * (`memcpy@@GLIBC_2.14`). NULL if it is not in a readable stub. Owned by the module. Cost: the number of its
 * dynamic relocations, and of its symbols for a function that is chosen at run time.
 */
const char *stubs_target(Dwfl_Module *module, uint64_t position);

#endif
