/*
 * graph.h - internal to loops: the order in which a function's blocks are reached, and which dominate which.
 */
#ifndef ASSAY_X86_GRAPH_H
#define ASSAY_X86_GRAPH_H

#include "collect/x86/blocks.h"

struct graph {
    struct block *blocks;
    uint32_t count;
    uint32_t *stack;             /* [count], work memory */
    uint32_t *calls, call_count; /* [count], work memory; 0 */
    uint32_t *order, ordered;    /* [count]; every block comes after its immediate dominator */
    uint32_t regions;
};

/*
 * For blocks[count] from blocks_find: the order, dominators, and the lists of the edges that lead to a block. Guesses
 * are made as described in loops.h.
 */
void graph_find(struct graph *g, uint32_t entry);

/* The next edge to the same block; the first is block.into, BLOCK_NONE is the end. */
uint32_t graph_next_edge(const struct graph *g, uint32_t edge);

/* Whether a dominates b. Every block dominates itself. O(1). */
bool graph_dominates(const struct graph *g, uint32_t a, uint32_t b);

#endif
