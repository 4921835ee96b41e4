/*
 * observe.h - the first walk along a trace: strides, dependences, and what the simulated caches miss.
 */
#ifndef ASSAY_STRIDES_OBSERVE_H
#define ASSAY_STRIDES_OBSERVE_H

#include "analyze/cache/simulation.h"
#include "analyze/strides/strides.h"

struct observer;

/* An observer of one trace, which adds to strides->loads, to the totals at its end. NULL without memory. */
struct observer *observer_new(struct strides *strides, const struct analysis_trace *trace);
void observer_free(struct observer *observer);
/* Takes a batch of kind access or iteration, in the order of the trace. 0 or an errno value. */
int observer_feed(struct observer *observer, const struct trace_batch *batch);
/* After the last batch. 0 or ENOMEM. */
int observer_finalize(struct observer *observer);

#endif
