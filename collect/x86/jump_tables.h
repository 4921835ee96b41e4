/*
 * jump_tables.h - internal to loops: the targets of a switch's jump, from its table.
 *
 * It knows the forms of a switch from gcc and clang: a table of 4-byte offsets from its own start
 * (lea table(%rip), %rT; movslq (%rT,%rI,4), %rX; add %rT, %rX; jmp *%rX) or of 8-byte addresses, loaded or jumped
 * through, addressed by a register or at a fixed address; with its length in a preceding cmp or and.
 */
#ifndef ASSAY_X86_JUMP_TABLES_H
#define ASSAY_X86_JUMP_TABLES_H

#include <stdbool.h>

#include "collect/x86/loops.h"

enum { TABLE_ENTRIES_MAX = 4096 };

struct jump_table {
    uint64_t address;
    uint32_t count, width; /* entries, 1 … TABLE_ENTRIES_MAX; bytes of one, 4 or 8 */
};

/*
 * The table of the indirect jump at the offset `jump`. begins[high − low]: bit 0 is set where a known instruction
 * begins; only those before the jump are used. Every entry of the table leads into the function. false: none was
 * found, and *out is untouched.
 */
bool jump_tables_find(const struct loops_function *function, const uint8_t *begins, uint32_t jump,
                      struct jump_table *out);

/* The target of entry i of a found table: an offset. */
uint32_t jump_tables_entry(const struct loops_function *function, const struct jump_table *table, uint32_t i);

#endif
