/*
 * operand.h - the memory operand of an instruction whose accesses VEX's statements do not show as they are: one load
 * that is a load a lane, or a load that is missing, since what is stored does not depend on it.
 */
#ifndef ASSAY_EXACT_TOOL_CODE_OPERAND_H
#define ASSAY_EXACT_TOOL_CODE_OPERAND_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/libvex_ir.h>

enum operand_kind {
    OPERAND_PLAIN, /* the statements are right; the rest has no meaning */
    OPERAND_LANES, /* loads of equal size, one behind the other, up to `statement`, are one load of `bytes` */
    OPERAND_FOLDED /* before the store of `statement` the operand is loaded */
};

struct operand {
    enum operand_kind kind;
    Int statement;
    UInt bytes;
    IRExpr *address;    /* an atom; of lanes: the lowest */
    IRExpr *low, *high; /* the value of 8 bytes in two lanes; NULL: it has others */
};

/* Of the instruction that begins at this statement, an IMark. */
void operand_find(const IRSB *block, Int mark, struct operand *operand);

#endif
