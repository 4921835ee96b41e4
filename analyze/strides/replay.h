/*
 * replay.h - a walk along a trace with the prefetches of a plan, in simulated caches.
 */
#ifndef ASSAY_STRIDES_REPLAY_H
#define ASSAY_STRIDES_REPLAY_H

#include "analyze/strides/plan.h"

/* What a replay counts. */
struct replay_counts {
    struct cache_counts counts;
    struct cache_prefetches *prefetches; /* [plan->count] */
    uint64_t added;                      /* instructions */
    uint64_t unknown; /* prefetches through values that the trace does not show: they do nothing, and are useless */
};

/*
 * Reads all accesses of the trace anew, with the plan, whose rows are those of strides->loads. What memory holds at an
 * address is the last value that was loaded or stored there, or the next that will be loaded, in the same chunk.
 * `counts` are set, its array is the caller's. Damaged chunks are left out, as in the first walk. 0 or an errno value.
 */
int replay_plan(const struct strides *strides, const struct analysis_trace *trace, const struct plan *plan,
                struct replay_counts *counts);

#endif
