/*
 * instructions.h - how many instructions of a superblock are executed, wherever it is left. A rep string instruction is
 * one, however often it repeats; one that faults is none.
 */
#ifndef ASSAY_EXACT_TOOL_SIMULATE_INSTRUCTIONS_H
#define ASSAY_EXACT_TOOL_SIMULATE_INSTRUCTIONS_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/libvex_ir.h>

/* A superblock that is gone through. Start with {0}. */
struct instructions {
    UInt count; /* so far, with the one that is gone through now */
    Addr place; /* of that one */
    Bool repeated;
};

void instructions_mark(struct instructions *instructions, const IRStmt *mark);

/* How many are done if the block is left here, so, for this place; the place of an unconditional end, 0 for an unknown
 * one.
 */
UInt instructions_done(const struct instructions *instructions, IRJumpKind kind, Addr target);
Addr instructions_target(const IRConst *constant);
Addr instructions_end_target(const IRSB *block);

#endif
