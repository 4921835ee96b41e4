/*
 * ticks.h - whether the ticks of a recording came at the requested rate. A sampler that ticks too often, too rarely or
 * mostly in vain gives a table like any other, so the driver says so with each table, whatever the analyzer.
 */
#ifndef ASSAY_ANALYZE_DRIVER_TICKS_H
#define ASSAY_ANALYZE_DRIVER_TICKS_H

#include "trace/trace.h"

enum { TICKS_TEXT_MAX = 320 };

struct ticks {
    double due;          /* expected from the threads' CPU time and the requested interval; 0: unknown */
    uint64_t came, lost; /* samples (for watched accesses: searches); those counted as lost, for any cause */
    uint64_t changes[CLOCK_CHANGE_COUNT]; /* records of kind clock */
    char doubt[TICKS_TEXT_MAX];           /* why results from these samples must not be believed; or "" */
    char change[TICKS_TEXT_MAX];          /* what happened to a clock, the first time; or "" */
};

/*
 * For a trace and its names. A recording is in doubt if its ticks, including lost ones, exceed or miss the expected
 * number by more than a fifth (beyond what chance and time that the host took explain), or if more than half are lost.
 * Traces that no clock in time sampled are never in doubt. Cost: O(chunks), and reads those of kind clock.
 */
void ticks_count(const struct trace *trace, const struct trace_names *names, struct trace_loss *loss,
                 struct ticks *ticks);

#endif
