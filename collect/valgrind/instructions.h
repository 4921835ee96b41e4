/*
 * instructions.h - how many instructions of a superblock are executed, wherever it is left. A rep string instruction is
 * one, however often it repeats; one that faults is none.
 */
#ifndef ASSAY_VALGRIND_INSTRUCTIONS_H
#define ASSAY_VALGRIND_INSTRUCTIONS_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/libvex_ir.h>

/* Executed by the process, if translated code adds to it. */
extern ULong instructions_executed;

/* A superblock that is gone through. Start with {0}. */
struct instructions {
    UInt count; /* so far, with the one that is gone through now */
    UInt added; /* of them, to instructions_executed */
    Addr place; /* of that one */
    Bool repeated;
};

void instructions_mark(struct instructions *instructions, const IRStmt *mark);

/* How many are done if the block is left here for this place; the place of an unconditional end, 0 for an unknown one.
 */
UInt instructions_done(const struct instructions *instructions, Addr target);
Addr instructions_target(const IRConst *constant);
Addr instructions_end_target(const IRSB *block);

/* Adds to instructions_executed what a block that is left here has done since the last such place in it. */
void instructions_add(struct instructions *instructions, IRSB *out, Addr target);

#endif
