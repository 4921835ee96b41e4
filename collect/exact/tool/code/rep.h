/*
 * rep.h - the rest of a `rep movs` or `rep stos`. Valgrind executes one element at a time, each in an execution of the
 * instruction's own block, and libc copies and clears large blocks this way. If the block begins with such an
 * instruction, one call executes the remaining elements and counts each of them. Accesses that may fault, or lie in a
 * file mapping or in several mappings, are left to Valgrind.
 */
#ifndef ASSAY_EXACT_TOOL_CODE_REP_H
#define ASSAY_EXACT_TOOL_CODE_REP_H

#include <valgrind/libvex_ir.h>

#include "collect/exact/tool/code/accesses.h"

struct rep_form {
    UInt size;   /* of an element; 0: another instruction, or other operands */
    Bool copies; /* movs */
};

struct rep_form rep_form_of(const struct accesses_instruction *instruction);

/* The call, to be added before it. load, store: `where` of its accesses (access.h), 0: not looked at. */
IRStmt *rep_call(const struct rep_form *form, IRExpr *load, IRExpr *store);

#endif
