/*
 * operand.h - the memory operand of an instruction whose accesses VEX's statements misrepresent: one load that appears
 * as one load per lane, or a load that is missing, since the stored value does not depend on it.
 */
#ifndef ASSAY_EXACT_TOOL_CODE_OPERAND_H
#define ASSAY_EXACT_TOOL_CODE_OPERAND_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/libvex_ir.h>

enum operand_kind {
    OPERAND_PLAIN, /* the statements are right; the rest has no meaning */
    OPERAND_LANES, /* consecutive loads of equal size, up to `statement`, are one load of `bytes` */
    OPERAND_FOLDED /* before the store of `statement` the operand is loaded */
};

struct operand {
    enum operand_kind kind;
    Int statement;
    UInt bytes;
    IRExpr *address;    /* an atom; for lanes: the lowest */
    IRExpr *low, *high; /* the value of 8 bytes in two lanes; NULL: other lanes */
};

/* Finds the operand of the instruction that begins at this statement, an IMark. */
void operand_find(const IRSB *block, Int mark, struct operand *operand);

#endif
