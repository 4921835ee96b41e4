/*
 * registers.h - drops writes of the guest's registers that nothing can see. The core is told to keep each instruction's
 * results, so that it does not remove loads whose value is unused before the tool has seen them; but then most of these
 * writes are in vain, because a later instruction of the block writes the same register before anything reads it.
 */
#ifndef ASSAY_EXACT_TOOL_CODE_REGISTERS_H
#define ASSAY_EXACT_TOOL_CODE_REGISTERS_H

#include <valgrind/libvex_ir.h>
#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/code/accesses.h"

/*
 * Makes a no-op of each write in the block that another overwrites before anything can read it. At a side exit all
 * registers are needed, and at a memory access or a division too: it may fault, and the program may go on there after
 * its signal handler. Writes of rsp stay, and so do those of an instruction that loads a value, unless that is among
 * `passed`: accesses whose value is passed to a helper right after them (NULL: none). Otherwise the core could move the
 * load behind later writes, or remove it with its fault. O(statements × bytes of registers).
 */
void registers_drop_writes(IRSB *block, const struct accesses *passed);

#endif
