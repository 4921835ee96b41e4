/*
 * memory.h - mode memory: every access goes into a ring of segments (raw.h) that the recorder reads while the program
 * runs. Translated code writes to it without a call: memory_next is the position of the next word. In a gap between
 * bursts it writes elsewhere, where executions are counted and overwritten, so that bursts need no code of their own.
 */
#ifndef ASSAY_EXACT_TOOL_MEMORY_MEMORY_H
#define ASSAY_EXACT_TOOL_MEMORY_MEMORY_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/libvex_ir.h>

#include "collect/exact/tool/state/raw.h"

/* The maximum number of words for one execution of a block. */
enum { MEMORY_BLOCK_WORDS = 8192 };

extern ULong *memory_next;
extern ULong *memory_last;     /* a block must begin at or before this */
extern UInt memory_block_most; /* words that an execution of any block may have written */

/* Begins a ring (ring.h). */
void memory_open(void);
void memory_open_child(void); /* in the child of a fork: one of its own */

/* From translated code, before a block, if memory_next is beyond memory_last. */
void memory_turn(void);

/* Before the process ends, forks or executes another program: what a gap between bursts has skipped so far. */
void memory_report_gap(void);

/* --- memory_block.c --- */

/* The number of instructions of the executions in these words, all of which are complete. */
ULong memory_executed(const ULong *at, const ULong *end);

/* A signal arrives at the instruction at `address`. If that is within a block, the block's work so far counts. */
void memory_interrupt(Addr address);

/* The superblock with code that records its accesses and instructions. */
IRSB *memory_block_translate(IRSB *in);

#endif
