/*
 * blocks.h - internal to loops: the basic blocks of a function.
 */
#ifndef ASSAY_X86_BLOCKS_H
#define ASSAY_X86_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/x86/loops.h"

#define BLOCK_NONE UINT32_MAX

enum block_edge { EDGE_TARGET = 0, EDGE_ON = 1, EDGE_COUNT = 2 };

/* Blocks are identified by their number, ascending in begin. BLOCK_NONE: none. */
struct block {
    uint32_t begin, end; /* offsets from function->low */
    uint32_t to[EDGE_COUNT];
    bool after_call; /* to[EDGE_ON] follows a call: control may never get there */
    bool indirect;   /* ends in an indirect jump */
    bool guessed;    /* begins where no known edge leads */

    /* Found by loops.c. A region is what is reached from one block but not from any before. */
    bool root;                 /* the first of its region */
    uint32_t from;             /* the block from which a root was reached */
    uint32_t region, position; /* position: in the order */
    uint32_t dominator;        /* immediate; of a root without from, itself */
    uint32_t first, size;      /* number in a preorder of the dominator tree, blocks in the subtree */
    uint32_t into;             /* an edge that leads here: block·EDGE_COUNT + enum block_edge */
    uint32_t next[EDGE_COUNT]; /* of this block's edges: the next edge that leads to the same block */
    uint32_t loop;             /* innermost */
    uint32_t cursor;           /* of a walk */
};

/* The blocks of a function, in memory of the caller's. */
struct blocks {
    struct block *items; /* [capacity] */
    uint32_t capacity, count;
    uint32_t entry; /* the number of the function's first block */
};

/*
 * Fills blocks->items (behind those of the code, with begin = end, ones that stand for jump tables), the first group
 * of members; the others are BLOCK_NONE, 0 and false. marks[high − low] and stack[capacity] are work memory.
 * LOOPS_TOO_BIG: more than capacity blocks; then count and entry are untouched.
 */
enum loops_status blocks_find(const struct loops_function *function, uint8_t *marks, uint32_t *stack,
                              struct blocks *blocks);

#endif
