/*
 * pairs_export.h - pairs of memory accesses as a profile of another tool.
 *
 * Quantity: the bytes and the accesses that pairs wasted; a sampled pair counts for the accesses that it represents.
 * The stack of a pair is, from the outermost frame: its kind of waste, unless one is selected; the context of the
 * earlier access; the frame "then"; the context of the later access. pprof has both values, wasted_bytes and
 * wasted_events; speedscope has a profile of each for every thread. Equal stacks of a thread are added up. Source of
 * the chain: Su, dissertation 2020, §3.5.2.
 */
#ifndef ASSAY_TRACE_EXPORT_PAIRS_EXPORT_H
#define ASSAY_TRACE_EXPORT_PAIRS_EXPORT_H

#include "trace/export/profile_export.h"

/* A pair that wasted something: contexts, bytes and accesses. */
struct pairs_row {
    unsigned waste; /* enum trace_waste */
    uint64_t first, second, bytes, events;
};

/* Pairs of one kind (enum trace_waste), or of all (WASTE_COUNT). */
struct pairs_wish {
    unsigned kind;
    uint64_t unknown; /* counts records of kinds that this version does not know */
};

/* The columns of a chunk of this kind that pairs are made from; 0: it has none. */
uint64_t pairs_export_columns(uint32_t kind);

/* Fills in the pair of a row of such a chunk. False: it wasted nothing, or is not of the kind. */
bool pairs_export_row(const struct trace_batch *batch, size_t row, struct pairs_wish *wish, struct pairs_row *pair);

/* Adds the pairs of a trace to a profile of format speedscope or pprof; damage goes into *loss. False without
 * memory. O(pairs × depth). Memory: distinct frames of their stacks. */
bool pairs_export_add(struct profile_export *export, const struct trace *trace, const struct trace_names *names,
                      struct pairs_wish *wish, struct trace_loss *loss);

#endif
