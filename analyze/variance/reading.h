/*
 * reading.h - internal to the folder: the stream of a trace that is being read.
 *
 *   reading.c  traces and streams, one after the other; the names and cells of functions
 *   calls.c    from the events of methods to instances: the stack of calls of a thread
 *   chosen.c   records of single calls, chosen at random or all of some functions: to instances
 *   correlate.c  what instances go with
 */
#ifndef ASSAY_VARIANCE_READING_H
#define ASSAY_VARIANCE_READING_H

#include "analyze/variance/variance.h"

struct reading_array {
    void *items;
    size_t capacity;
};

struct chosen_call {
    uint64_t number;
    uint32_t cell; /* FIELD_NONE: none */
    double time, weight;
    int64_t arguments[INSTANCE_ARGUMENTS];
};
enum { CHOSEN_OPEN = 1 << 20 };

struct variance_reading {
    const struct trace *trace;
    uint32_t run, thread, stream;
    size_t count; /* metrics */
    bool is_time[VARIANCE_METRICS];
    struct probe_cost probes[VARIANCE_METRICS];
    uint32_t *function_of; /* [method]: text + 1; 0: not seen yet */
    size_t method_count;
    struct reading_array cells; /* [node]: cell + 1 in this stream */

    /* correlate.c: of the function that is asked for */
    bool has_previous;
    double previous[VARIANCE_METRICS];

    /* calls.c */
    struct reading_array open; /* [node]: calls on the stack */
    struct reading_array frames;
    size_t depth, excess;
    uint32_t root; /* the depth at which the explained function is open, from 1; 0: it is not */
    uint64_t first[VARIANCE_METRICS], last[VARIANCE_METRICS];
    bool has_events;
    uint64_t calls;
    uint32_t *touched; /* parts that the open instance has */
    size_t touched_count, touched_capacity;

    /* chosen.c */
    bool is_chosen;    /* the trace is of mode calls, … */
    bool is_every;     /* … and has every call of some functions: by engine exact */
    uint64_t start_ns; /* of the trace */
    uint32_t *node_of; /* [context]: node + 1; 0: not seen yet */
    size_t context_count;
    struct reading_array seen; /* [node]: the sample that had it last */
    uint32_t samples;
    struct chosen_call *chosen; /* that are open */
    size_t chosen_count, chosen_capacity;
    double total[VARIANCE_METRICS]; /* of the stream, where every call is recorded */
    bool has_subtracted;
    double subtracted[VARIANCE_METRICS]; /* for each trap */
};

/* The column of kind `instance` that has a metric. */
static inline size_t reading_instance_column(const struct variance_reading *reading, size_t metric)
{
    return reading->is_every ? INSTANCE_COUNTER_0 + metric
           : metric > 0      ? INSTANCE_COUNTER_0 + metric - 1
                             : INSTANCE_TOOK;
}

/* An element of an array of uint32_t that grows with zeros; NULL without memory. */
uint32_t *reading_element(struct reading_array *array, uint32_t index);

/* The cell of a node in the current stream; FIELD_NONE without memory. */
uint32_t reading_cell(struct variance *variance, uint32_t node);

/* The text of a method's name; FIELD_NONE without memory. */
uint32_t reading_function(struct variance *variance, const struct trace_names *names, uint64_t method);

/* calls.c: a batch of events of the current stream; and its end. 0 or ENOMEM. */
int reading_feed_events(struct variance *variance, const struct analysis_trace *trace, const struct trace_batch *batch);
int reading_end_events(struct variance *variance);

/* chosen.c: the same for records of calls that were chosen, and for samples. */
int reading_feed_chosen(struct variance *variance, const struct analysis_trace *trace, const struct trace_batch *batch);
int reading_feed_samples(struct variance *variance, const struct analysis_trace *trace,
                         const struct trace_batch *batch);
void reading_end_chosen(struct variance *variance);

/* correlate.c: an instance of the function whose correlations are asked for. False without memory. */
bool correlate_observe(struct variance *variance, uint32_t run, double time, double weight,
                       const double values[VARIANCE_METRICS], const int64_t *arguments);

#endif
