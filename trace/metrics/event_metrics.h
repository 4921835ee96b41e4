/*
 * event_metrics.h - the metrics of a trace of kind event: the time, then the counters that the metadata names, and what
 * probes cost in each.
 */
#ifndef ASSAY_TRACE_METRICS_EVENT_METRICS_H
#define ASSAY_TRACE_METRICS_EVENT_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "trace/trace.h"

enum { EVENT_METRICS_MAX = 1 + EVENT_COUNTERS_MAX };
enum { PROBE_COST_SHIFT = 16 }; /* costs of probes are whole numbers of 2^-16 */

/* The cost of a pair of probes in a metric; inner: between a call's own entry and exit; outer: the rest of the pair, in
 * its caller. */
struct probe_cost {
    uint64_t inner, outer, pair;
};

/* Whether a counter of this name counts ns, in which probes cost their time. */
bool event_metric_is_time(const char *name);

/* What the metadata says about the probes' cost in `count` metrics, metric 0 being the time; 0 where it says nothing,
 * or where the interval of a counter's cost begins at 0. */
void event_metrics_costs(const json_t *metadata, size_t count, const bool *is_time, struct probe_cost *costs);

#endif
