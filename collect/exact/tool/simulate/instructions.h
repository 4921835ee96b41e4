/*
 * instructions.h - the number of executed instructions of a superblock, wherever it is left. A rep string instruction
 * counts once, however often it repeats; one that faults does not count.
 */
#ifndef ASSAY_EXACT_TOOL_SIMULATE_INSTRUCTIONS_H
#define ASSAY_EXACT_TOOL_SIMULATE_INSTRUCTIONS_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/libvex_ir.h>

/* The traversal of a superblock. Start with {0}. */
struct instructions {
    UInt count;   /* so far, including the current one */
    Addr address; /* of that one */
    Bool repeated;
};

void instructions_mark(struct instructions *instructions, const IRStmt *mark);

/* The number executed if the block is left here, in this way, to this address; the target of an unconditional end, 0 if
 * unknown.
 */
UInt instructions_done(const struct instructions *instructions, IRJumpKind kind, Addr target);
Addr instructions_target(const IRConst *constant);
Addr instructions_end_target(const IRSB *block);

#endif
