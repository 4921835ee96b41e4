/*
 * variance.h - instances of functions: what each call took, summed up by function, calling context and thread.
 *
 * An instance is one call of a function, from its entry to its return, with all that it calls. Its metrics are the time
 * and the trace's counters, without the cost of probes; of calls that engine exact has recorded only the counters,
 * since the time is that of Valgrind. Instances of one thread, run and context have one cell, with moments that are
 * updated as they come: memory grows with contexts and threads, never with the length of a trace, unless single
 * instances are asked for.
 *
 * Source: Su, dissertation 2020, ch. 5 (FVSampler, SC 2019), eq. 5.1.
 */
#ifndef ASSAY_VARIANCE_VARIANCE_H
#define ASSAY_VARIANCE_VARIANCE_H

#include "trace/metrics/event_metrics.h"
#include "analyze/driver/analyzer.h"
#include "stats/estimates/weighted_moments.h"
#include "stats/estimates/weighted_pairs.h"

enum { VARIANCE_METRICS = EVENT_METRICS_MAX };
enum { VARIANCE_CONTEXTS = 1 << 16, VARIANCE_DEPTH = 128 }; /* limits of the contexts that are distinguished */

/* What is recorded beyond the cells; names are as in tables, NULL: nothing. */
struct variance_wish {
    bool unweighted;       /* chosen calls count alike, whatever they represent */
    bool contexts;         /* cells by calling context, not by function alone */
    const char *instances; /* the function whose single instances are kept */
    const char *correlate; /* the function whose instances are compared with what else is known of them */
    const char *explain;   /* the function whose callees are summed up for each of its instances */
};

/* Traces with the same run and counters. */
struct variance_run {
    uint32_t id;                         /* text; the key, with the metrics */
    uint32_t metrics[VARIANCE_METRICS];  /* text; FIELD_NONE: there is none */
    double total[VARIANCE_METRICS];      /* of all threads, without probes; of chosen calls: samples */
    uint64_t events, orphans, backwards; /* exits without an entry; events with a metric below the previous one */
    uint64_t outcomes[INSTANCE_COUNT];   /* records of single calls, by what became of them */
    bool every; /* these are all calls of some functions, under Valgrind: the elapsed time is not a metric */
    struct field_counts
        noise[VARIANCE_METRICS]; /* what a trap cost when it was measured, minus what was subtracted: noise.c */
    uint64_t unfinished;         /* calls without an end of their own: they are not instances */
    uint64_t below_probe;        /* instances shorter than the cost of their probes: taken as 0 */
    uint64_t stepped;            /* traces whose calls were found by steps, which miss some */
};

/* A function in a calling context: below another one, or at the root. Without contexts all are at the root. */
struct variance_node {
    uint32_t parent;   /* a node; FIELD_NONE: it is at the root */
    uint32_t function; /* text */
    uint32_t beyond; /* 1: it is the function in all contexts beyond the two limits, and has no parent. The key ends */
    uint32_t depth;  /* of functions in the context, this one included */
};

struct variance_cell {
    uint32_t run, node, thread;    /* the key; thread: text "trace#stream" */
    struct weighted_moments times; /* at which instances began, s, from the first event of the stream */
    double first, last;            /* of these */
    struct weighted_moments values[VARIANCE_METRICS];
    double with_time[VARIANCE_METRICS]; /* how the values go with the times: Σw(t−t̄)(x−x̄) */
    double inclusive[VARIANCE_METRICS]; /* what outermost calls took, unfinished ones too; of chosen calls: samples */
};

/* A function that instances of the explained one call, directly or not. */
struct variance_part {
    uint32_t run, parent, function; /* the key; parent: a part; FIELD_NONE for the function itself */
    uint32_t depth;                 /* of functions above it; only while a trace is read */
    uint64_t present;               /* instances in which it ran */
    long double sum[VARIANCE_METRICS], squares[VARIANCE_METRICS], with_root[VARIANCE_METRICS]; /* Σx, Σx², Σx·root */
    double now[VARIANCE_METRICS]; /* in the instance that is open */
    bool touched;
};

/* What instances are compared with: other metrics (of which the first is the elapsed time), when they began, what the
 * previous instance of the thread took, their integer arguments. */
enum variance_factor {
    FACTOR_METRIC,
    FACTOR_TIME = VARIANCE_METRICS,
    FACTOR_PREVIOUS,
    FACTOR_ARGUMENT_1,
    FACTORS = FACTOR_ARGUMENT_1 + INSTANCE_ARGUMENTS
};

/* Each metric of a run with each factor. */
struct variance_correlation {
    uint32_t run; /* the key */
    struct weighted_pairs pairs[VARIANCE_METRICS][FACTORS];
};

struct variance_instance {
    uint32_t run, node, thread;
    double time, weight;
    double values[VARIANCE_METRICS];
};

enum {
    VARIANCE_RUNS,
    VARIANCE_NODES, /* parents before their callees */
    VARIANCE_CELLS,
    VARIANCE_PARTS, /* likewise */
    VARIANCE_CORRELATIONS,
    VARIANCE_INSTANCES, /* of the function that is kept; of the one that is correlated, a sample. They have no key */
    VARIANCE_RELATIONS
};

struct variance_reading; /* of the current stream: reading.h */

struct variance {
    struct relations relations;
    const struct variance_wish *wish;
    uint32_t explained, kept, correlated; /* texts of the names that are asked for, once a trace is read; FIELD_NONE */
    struct variance_reading *reading;
};

static inline size_t variance_run_count(const struct variance *variance)
{
    return relations_count(&variance->relations, VARIANCE_RUNS);
}
static inline struct variance_run *variance_run_at(const struct variance *variance, size_t i)
{
    return relations_at(&variance->relations, VARIANCE_RUNS, i);
}
static inline size_t variance_node_count(const struct variance *variance)
{
    return relations_count(&variance->relations, VARIANCE_NODES);
}
static inline struct variance_node *variance_node_at(const struct variance *variance, size_t i)
{
    return relations_at(&variance->relations, VARIANCE_NODES, i);
}
static inline size_t variance_cell_count(const struct variance *variance)
{
    return relations_count(&variance->relations, VARIANCE_CELLS);
}
static inline struct variance_cell *variance_cell_at(const struct variance *variance, size_t i)
{
    return relations_at(&variance->relations, VARIANCE_CELLS, i);
}
static inline size_t variance_part_count(const struct variance *variance)
{
    return relations_count(&variance->relations, VARIANCE_PARTS);
}
static inline struct variance_part *variance_part_at(const struct variance *variance, size_t i)
{
    return relations_at(&variance->relations, VARIANCE_PARTS, i);
}
static inline size_t variance_correlation_count(const struct variance *variance)
{
    return relations_count(&variance->relations, VARIANCE_CORRELATIONS);
}
static inline struct variance_correlation *variance_correlation_at(const struct variance *variance, size_t i)
{
    return relations_at(&variance->relations, VARIANCE_CORRELATIONS, i);
}
static inline size_t variance_instance_count(const struct variance *variance)
{
    return relations_count(&variance->relations, VARIANCE_INSTANCES);
}
static inline struct variance_instance *variance_instance_at(const struct variance *variance, size_t i)
{
    return relations_at(&variance->relations, VARIANCE_INSTANCES, i);
}
static inline const char *variance_text(const struct variance *variance, uint32_t text)
{
    return relations_text_at(&variance->relations, text);
}

/* The functions of an analyzer; the wish must outlive the state. A state with another wish is not loaded: ENOTSUP. */
struct variance *variance_new(const struct variance_wish *wish);
int variance_merge(void *state, void *other);
json_t *variance_save(void *state);
int variance_load(void *state, const json_t *saved);
void variance_free(void *state);

/* The node of a function below `parent`, or at the root, where there is capacity for it; else that of the function
 * beyond the limits. FIELD_NONE without memory. */
uint32_t variance_add_node(struct variance *variance, uint32_t parent, uint32_t function);

/* An instance that began at `time` (s) and took these values (of the run's metrics), with its integer arguments; NULL:
 * unknown. False without memory. */
bool variance_observe(struct variance *variance, uint32_t cell, double time, double weight,
                      const double values[VARIANCE_METRICS], const int64_t *arguments);

/* The number of metrics of a run, and one by its name: −1 if it lacks it. */
size_t variance_metric_count(const struct variance_run *run);
int variance_metric(const struct variance *variance, const struct variance_run *run, const char *name);

/* Sizes of deviations from 0, counted in classes of a twelfth: a thread that loses its processor during a measurement
 * makes one that is a thousand times as large, which a standard deviation would be made of. */
enum { NOISE_CLASSES = 256, NOISE_PER_OCTAVE = 8 };
int variance_noise_add(struct field_counts *noise, double deviation); /* 0 or ENOMEM */
uint64_t variance_noise_count(const struct field_counts *noise);
/* The size that 68.27 % of the deviations do not exceed, which is the standard deviation if they are normal; 0 without
 * any. To within a twentieth. */
double variance_noise_sd(const struct field_counts *noise);

/* --- reading.c: records of whole streams, one stream after the other --- */

/* What an analyzer wants of a trace to feed it here: events, instances and samples. */
extern const struct analyzer_input variance_inputs[];
/* Whether a trace of mode calls has every call of some functions, by engine exact. */
bool variance_has_every_call(const struct analysis_trace *trace);
int variance_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch);
/* The last stream of the trace has ended. 0 or ENOMEM. */
int variance_finalize(void *state, const struct analysis_trace *trace);
void variance_free_reading(struct variance *variance);

#endif
