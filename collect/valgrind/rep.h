/*
 * rep.h - the rest of a `rep movs` or `rep stos`. Valgrind executes an element at a time, each in a run of the
 * instruction's own block, and libc copies and clears large blocks so. Where the block begins with such an instruction
 * the elements that are left are executed, and counted one by one, by one call.
 */
#ifndef ASSAY_VALGRIND_REP_H
#define ASSAY_VALGRIND_REP_H

#include <valgrind/libvex_ir.h>

/*
 * The call, to be added before the instruction that the mark is of; NULL: it is none of them. load, store: `where` of
 * its accesses (access.h), 0: not looked at.
 */
IRStmt *rep_call(const IRStmt *mark, IRExpr *load, IRExpr *store);

#endif
