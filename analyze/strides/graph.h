/*
 * graph.h - the load dependence graph of a loop: which loads use what others in it have loaded (§3.1).
 */
#ifndef ASSAY_STRIDES_GRAPH_H
#define ASSAY_STRIDES_GRAPH_H

#include "analyze/strides/strides.h"

/* Row `row` depends on row `leader`, of the same loop. */
struct graph_edge {
    uint32_t leader, row;
    enum loads_how how;
    int64_t offset;
    bool intra; /* the two keep a distance */
    int64_t distance;
};

struct graph {
    const struct strides *strides;
    struct graph_edge *edges; /* [count], by leader, then by row */
    uint32_t count;
    size_t capacity;
    uint32_t *first;           /* [row]: its first edge as a leader, of the rows of the loop */
    uint32_t *row_of_location; /* [location]: LOADS_NONE, but for the loop that is being made */
};

int graph_init(struct graph *graph, const struct strides *strides); /* 0 or ENOMEM; to be freed in either case */
void graph_free(struct graph *graph);

/* Makes the graph of a loop, in place of another one. 0 or ENOMEM. O(n log n) for all dependences. */
int graph_make(struct graph *graph, const uint32_t *rows, uint32_t count);

/* The edges of a leader, one of those rows: their number, and *edges. */
uint32_t graph_edges(const struct graph *graph, uint32_t leader, const struct graph_edge **edges);

#endif
