/*
 * clock_series.h - the sampling intervals of every thread of every trace: the state of assay intervals.
 *
 * An interval is the time between two consecutive samples of a thread whose timer expiries are consecutive, on the
 * sampler's own clock (metadata interval_clock: "cpu" or "wall"; absent: wall). If the numbers of the expiries jump,
 * the thread was not running or lost a sample: that is a gap, not an interval.
 */
#ifndef ASSAY_INTERVALS_CLOCK_SERIES_H
#define ASSAY_INTERVALS_CLOCK_SERIES_H

#include "analyze/driver/analyzer.h"
#include "stats/inference/randomness.h"

/* What analysis_options.own points at, or begins with. */
struct clock_options {
    uint64_t lags;
    double cap_periods; /* for correlation, intervals are capped at this many periods; 0: no cap */
    const char *thread; /* only threads of this name or tid; NULL: all */
};

struct clock_sample {
    uint64_t at_ns, expiry;
};

struct clock_series {
    uint32_t number; /* the key: its own number, so that series of equal traces stay apart */
    uint32_t trace;  /* text: the path */
    uint32_t thread; /* text: the name, with #tid if threads of the trace share it */
    uint32_t clock;  /* text: the sampling clock: "random", … */
    uint64_t stream;
    bool cpu; /* the sampler's clock is CPU time */
    uint64_t samples, gaps;
    struct clock_sample first, last;
    struct randomness *intervals;
};

enum { CLOCK_SERIES, CLOCK_RELATIONS };

struct clock_set {
    struct relations relations; /* series are in the order of the driver */
    const struct clock_options *options;
    bool selects; /* a saved state is being added: only series of the wanted threads may be */
};

static inline size_t clock_series_count(const struct clock_set *set)
{
    return relations_count(&set->relations, CLOCK_SERIES);
}

static inline struct clock_series *clock_series_at(const struct clock_set *set, size_t i)
{
    return relations_at(&set->relations, CLOCK_SERIES, i);
}

static inline const char *clock_text(const struct clock_set *set, uint32_t text)
{
    return relations_text_at(&set->relations, text);
}

/* As in struct analyzer. Inputs: samples with time, CPU time and number of the timer expiry. */
void *clock_set_init(const struct analysis_options *options);
int clock_set_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch);
int clock_set_load(void *state, const json_t *saved);

#endif
