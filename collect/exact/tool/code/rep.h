/*
 * rep.h - the rest of a `rep movs` or `rep stos`. Valgrind executes an element at a time, each in a run of the
 * instruction's own block, and libc copies and clears large blocks so. Where the block begins with such an instruction
 * one call executes the elements that are left and counts each of them. Not what may fault, nor what lies in a file's
 * mapping or in two: that is left to Valgrind.
 */
#ifndef ASSAY_EXACT_TOOL_CODE_REP_H
#define ASSAY_EXACT_TOOL_CODE_REP_H

#include <valgrind/libvex_ir.h>

struct rep_form {
    UInt size;   /* of an element; 0: it is another instruction, or has its operands elsewhere */
    Bool copies; /* movs */
};

/* Of the instruction that the mark is of. */
struct rep_form rep_form_of(const IRStmt *mark);

/* The call, to be added before it. load, store: `where` of its accesses (access.h), 0: not looked at. */
IRStmt *rep_call(const struct rep_form *form, IRExpr *load, IRExpr *store);

#endif
