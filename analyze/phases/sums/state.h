/*
 * state.h - the counts of each method's calls: the state of assay phases.
 *
 * Metrics are whole numbers that never fall while a thread runs: the time, and the trace's counters. A call lasts from
 * the entry of a method to its exit; a metric of a call is the difference of the two.
 *
 * Inclusive totals hold what the calls of a method and all that they called took. Where calls of one
 * method lie within each other, only the outermost counts. Exclusive totals hold what passed while the method was the
 * innermost one. The cost of probes is subtracted: from the time of a call, the metadata's `exit_ns` for itself, which
 * lies between the times of its own entry and exit, and `pair_ns` for each call inside it; from a counter likewise the
 * amount that it rose by
 * (`exit` and `pair` of the probe's `counters`), if the interval of that is above 0.
 *
 * Memory: runs × methods, and the depth of the stack of one thread. Never the length of a trace.
 */
#ifndef ASSAY_PHASES_STATE_H
#define ASSAY_PHASES_STATE_H

#include <string.h>

#include "trace/metrics/event_metrics.h"
#include "analyze/driver/analyzer.h"
#include "analyze/phases/sums/quotients.h"
#include "analyze/phases/sums/spread.h"
#include "stats/exact/moments.h"
#include "stats/exact/wide.h"

enum { METRICS_MAX = 1 + EVENT_COUNTERS_MAX, RATES_MAX = METRICS_MAX };
enum { SPREAD_TIMES = 1023, SPREAD_OTHERS = 511 }; /* distinct values kept exactly */
enum { OTHER_SPREADS = METRICS_MAX + RATES_MAX };

/* Why a call has no end of its own. Its time until then is in the totals, but is not the length of a call. */
enum unfinished {
    UNFINISHED_REPORTED,  /* the recorder says so */
    UNFINISHED_OVERTAKEN, /* its caller was left, so its own exit is missing */
    UNFINISHED_OPEN,      /* its thread has no more events */
    UNFINISHED_COUNT
};

/* Traces with the same run and counters. */
struct phases_run {
    uint32_t id;                   /* text; the key, with the metrics */
    uint32_t metrics[METRICS_MAX]; /* text; FIELD_NONE: there is none */
    uint32_t path;                 /* text: of its first trace */
    uint64_t wall_ns, cpu_ns;      /* of the command, as its recorder measured them; 0: unknown */
    double probe[METRICS_MAX][3];  /* of a pair of entry and exit, and its interval; [0]: ns; NAN: unknown */
    uint64_t events, orphans;      /* orphans: exits without an entry */
    uint64_t too_deep, backwards;  /* calls beyond DEPTH_MAX; events with a metric below the previous one */
    uint64_t below_probe;          /* calls shorter than the cost of their probes: taken as 0 */
};

struct phases_sums {
    wide_u128 metrics[METRICS_MAX];
    wide_u128 probe[METRICS_MAX]; /* what probes cost in that, 2^-16 */
};

/* The distributions of calls: of their lengths, and if wanted of all metrics and rates. */
struct phases_spreads {
    struct spread times, *others; /* others: [OTHER_SPREADS], or NULL */
};

/* One method in one run. */
struct phases_entry {
    uint32_t run, method; /* row, text; the key */
    uint64_t calls, exceptions, unfinished[UNFINISHED_COUNT];
    uint32_t open;   /* calls on the stack of the current stream */
    uint32_t nested; /* 1 + its position in the provisional sums of the current level */
    struct phases_sums inclusive, exclusive;
    struct moments moments[METRICS_MAX]; /* of finished calls, without the cost of probes */
    struct quotients rates[RATES_MAX];   /* [m] of metric m */
    struct phases_spreads spreads;
};

/* Components of a program and its virtual machine, by the role of threads, for those of the JIT and of finalization
 * also by their name. */
enum phases_component {
    COMPONENT_APPLICATION,
    COMPONENT_GC,
    COMPONENT_FINALIZER, /* Finalizer, Reference Handler, Cleaner */
    COMPONENT_C1,
    COMPONENT_C2,
    COMPONENT_JIT, /* other compilers, or of unknown tier */
    COMPONENT_OTHER,
    COMPONENTS
};

/* The events of the threads of one component in one run. */
struct phases_role {
    uint32_t run, role;            /* row, enum phases_component; the key */
    uint64_t streams;              /* threads that have events */
    struct phases_sums span;       /* from the first event of a stream to its last */
    wide_u128 inside[METRICS_MAX]; /* of that, in calls */
};

/* The threads of a trace by component, from its definitions, and what the virtual machine reports about itself. */
struct phases_trace {
    uint32_t path; /* text; the key */
    uint32_t run;  /* row */
    uint64_t threads[COMPONENTS], cpu_ns[COMPONENTS];
    uint64_t vm_ns[VM_COUNT]; /* as in enum trace_vm */
    uint64_t vm_elapsed_ns;   /* since the recording began; 0: the virtual machine reports nothing */
};

struct phases_stitch;

enum { PHASES_RUNS, PHASES_ROLES, PHASES_TRACES, PHASES_ENTRIES, PHASES_RELATIONS };
extern const struct relation phases_relations[PHASES_RELATIONS];

struct phases {
    struct relations relations;
    struct phases_stitch *stitch; /* calls.c's own: the stream at hand; NULL: nothing was fed */
    bool spreads;                 /* keep those of all metrics and rates */
};

/* The metrics of a run, for code that handles all of them. */
struct phases_metrics {
    size_t count;               /* with the time */
    bool is_time[METRICS_MAX];  /* the cost of probes in it is their time */
    int denominator[RATES_MAX]; /* of the rate of a metric: a metric; −1: it has no rate */
    double factor[RATES_MAX];   /* factor from the quotient to the unit of the rate */
};
struct phases_metrics phases_metrics(const struct phases *phases, const struct phases_run *run);

/* "L1-D-misses/instruction", "bytes-allocated/s": the name of the rate of metric m, which has one. */
enum { RATE_NAME_MAX = 160 };
void phases_rate_name(const struct phases *phases, const struct phases_run *run, size_t m, char text[RATE_NAME_MAX]);

struct phases *phases_new(bool spreads);
void phases_free(void *state);

static inline size_t phases_run_count(const struct phases *phases)
{
    return relations_count(&phases->relations, PHASES_RUNS);
}
static inline size_t phases_role_count(const struct phases *phases)
{
    return relations_count(&phases->relations, PHASES_ROLES);
}
static inline size_t phases_trace_count(const struct phases *phases)
{
    return relations_count(&phases->relations, PHASES_TRACES);
}
static inline size_t phases_entry_count(const struct phases *phases)
{
    return relations_count(&phases->relations, PHASES_ENTRIES);
}
/* Each event needs some of these: as relations_at(), but without its call. */
static inline struct phases_run *phases_run_at(const struct phases *phases, size_t i)
{
    return (struct phases_run *)phases->relations.rows[PHASES_RUNS].items + i;
}
static inline struct phases_role *phases_role_at(const struct phases *phases, size_t i)
{
    return (struct phases_role *)phases->relations.rows[PHASES_ROLES].items + i;
}
static inline struct phases_trace *phases_trace_at(const struct phases *phases, size_t i)
{
    return (struct phases_trace *)phases->relations.rows[PHASES_TRACES].items + i;
}
static inline struct phases_entry *phases_entry_at(const struct phases *phases, size_t i)
{
    return (struct phases_entry *)phases->relations.rows[PHASES_ENTRIES].items + i;
}
static inline const char *phases_text(const struct phases *phases, uint32_t text)
{
    return relations_text_at(&phases->relations, text);
}

/* The index of the run, entry or role with the key, created if new; FIELD_NONE without memory. */
uint32_t phases_run_of(struct phases *phases, const struct analysis_trace *trace);
uint32_t phases_entry_of(struct phases *phases, uint32_t run, uint32_t method);
uint32_t phases_role_of(struct phases *phases, uint32_t run, uint32_t role);

enum phases_component phases_component_of(const struct trace_thread *thread);

/* The method whose calls are the garbage collections of traces that have their counters. */
#define PHASES_COLLECTOR "[garbage collector]"

static inline bool phases_is_collector(const struct phases *phases, uint32_t method)
{
    return strcmp(phases_text(phases, method), PHASES_COLLECTOR) == 0;
}

/* Counts the threads of a trace, its garbage collections as calls of PHASES_COLLECTOR, and what its virtual machine
 * reports, once, however many parts it has. 0 or ENOMEM. */
int phases_count_threads(void *state, const struct analysis_trace *trace);

/* A finished call: what it took without probes; clear: whether that can be a denominator. False without memory. */
bool phases_observe(struct phases *phases, struct phases_entry *entry, const struct phases_metrics *metrics,
                    const uint64_t values[METRICS_MAX], const bool clear[METRICS_MAX]);

/* To be called after the last call was observed, before the state is read or joined. 0 or ENOMEM. */
int phases_flush(struct phases *phases);

/* Allocates the spreads of all metrics and rates, if they are not there. False without memory. */
bool phases_spreads_extend(struct phases_spreads *spreads);

void phases_sums_add(struct phases_sums *sums, const struct phases_sums *other);

/* The increase of a metric minus the cost of probes, never below 0. */
double phases_without_probe(wide_u128 value, wide_u128 probe);

#endif
