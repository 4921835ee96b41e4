/*
 * ring_loops.h - the loops of mode memory: those of the functions, in the contexts in which they run.
 */
#ifndef ASSAY_EXACT_CONVERT_RING_LOOPS_H
#define ASSAY_EXACT_CONVERT_RING_LOOPS_H

#include "collect/exact/convert/contexts.h"
#include "collect/exact/convert/trace_sink.h"

/* A loop in a node, and its number in the trace. */
struct ring_loops_known {
    uint64_t header;
    uint32_t node, version, id;
};

struct ring_loops {
    struct contexts *contexts;
    struct trace_sink *sink;
    struct hash set;
    struct ring_loops_known *known; /* [1 … known_count] */
    uint32_t known_count;
    size_t known_capacity;
    struct ring_loops_around *around; /* [node] */
    size_t around_capacity;
    uint32_t *chain; /* nodes on the way down */
    size_t chain_capacity;
};

/* Start with {0}, except for the first two. */
void ring_loops_free(struct ring_loops *loops);

/*
 * The loop with this header in the function of a node; without a header (0) the innermost one around the calls that
 * lead there. Returns 0 and *id, its number in the trace (0: none); ENODATA: the header or the node is undefined;
 * EILSEQ: a loop is around itself; or an errno value. O(1) for a loop that is known, else O(calls that lead there).
 */
int ring_loops_find(struct ring_loops *loops, uint32_t node, uint64_t header, uint32_t *id);

#endif
