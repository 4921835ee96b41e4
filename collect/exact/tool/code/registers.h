/*
 * registers.h - drops writes of the guest's registers that nothing can see. The core is told to keep each instruction's
 * results, so that it does not remove loads whose value is unused; once the loads are found, most of these writes are
 * in vain, because a later instruction of the block writes the same register first.
 */
#ifndef ASSAY_EXACT_TOOL_CODE_REGISTERS_H
#define ASSAY_EXACT_TOOL_CODE_REGISTERS_H

#include <valgrind/libvex_ir.h>
#include <valgrind/pub_tool_basics.h>

/*
 * Replaces each write in the block that another overwrites before anything can read it by a no-op. Side exits, memory
 * accesses and divisions read all registers: they may fault, and the program may go on where it was after its signal
 * handler. Writes of rsp stay. O(statements).
 */
void registers_drop_writes(IRSB *block);

#endif
