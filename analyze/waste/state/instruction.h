/*
 * instruction.h - a machine instruction as text.
 */
#ifndef ASSAY_WASTE_INSTRUCTION_H
#define ASSAY_WASTE_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

enum { INSTRUCTION_MAX = 128 };

/*
 * The x86-64 instruction whose bytes 0-7 are `low` and 8-15 `high` (little-endian), in AT&T syntax:
 * "vaddsd 0x10(%r9,%r8,8), %xmm0, %xmm0". Addresses relative to the program counter stay relative. False, *text
 * untouched: not an instruction, or 0 and 0. By Zydis. O(1).
 */
bool instruction_text(uint64_t low, uint64_t high, char text[INSTRUCTION_MAX]);

/* Whether an instruction, given likewise, addresses memory by the stack pointer: what it accesses is on the stack.
 * (What it addresses by another register may be there, too.) O(1). */
bool instruction_uses_stack(uint64_t low, uint64_t high);

#endif
