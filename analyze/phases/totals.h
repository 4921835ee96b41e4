/*
 * totals.h - each method's part of the time of the program, over runs, and which methods are phases.
 *
 * c_T: the time of a run, summed over its threads, each from its first event to its last. The share of a method is its
 * inclusive total / c_T (all threads together), and its mean share per call is that / its calls in the run. "The time"
 * is the metric `basis`: CPU cycles, simulated instructions or CPU time of the threads if the trace has them, else
 * elapsed time.
 *
 * A method is a phase if its share is above `weight` and its mean share per call above `granularity`, both over runs.
 * Source: Georges et al. 2004, §3.2; the text defines the mean relative to c_m, Figure 3 relative to c_T, as is done
 * here.
 */
#ifndef ASSAY_PHASES_TOTALS_H
#define ASSAY_PHASES_TOTALS_H

#include "analyze/phases/sums/state.h"
#include "stats/estimates/group.h"

/* A metric in the runs: a counter or the time, or the rate of one. */
struct phases_metric {
    char name[RATE_NAME_MAX];
    bool is_rate;
    int *slots; /* [run]: which of the run's metrics; −1: it lacks this one */
};

/* One method. */
struct phases_total {
    uint32_t method; /* text */
    bool selected;
    uint64_t calls, exceptions, unfinished[UNFINISHED_COUNT];
    double share, mean_share, exclusive_share; /* mean over runs */
    double share_half, exclusive_half;         /* half widths of their intervals; NAN for one run */
    double basis_total, exclusive_total;       /* in all runs, in the unit of basis */
    uint32_t *entries;                         /* [run]: 1 + index; 0: not called */
};

/* The part of the program's CPU time that recording took, s in the mean run. NAN: unknown. */
struct phases_cost {
    double probes, writer; /* of all calls */
    double outside;        /* not part of it: what another process took for writing the traces */
    double start;          /* the recorder's start, and giving methods their probes */
    double program;        /* of the whole command, as its recorder measured it */
};

struct phases_totals {
    const struct phases *phases;
    uint32_t *runs; /* those that have events and basis */
    size_t run_count, left_out;
    const char *basis;
    double *time;               /* [run]: c_T */
    struct phases_total *items; /* by share, then by name */
    size_t count;
    uint32_t *item_of;     /* [text]: 1 + index of the method of this name; 0: there is none */
    uint64_t invocations;  /* calls of all methods; collections need no probes, and are not among them */
    double probe_overhead; /* the cost of their probes, relative to the time without any; NAN: unknown */
    struct phases_cost cost;
    struct phases_metric *metrics;
    size_t metric_count;
};

/* Which runs: all; or those whose first trace has a path that begins with prefix, or those whose path does not. */
struct phases_filter {
    const char *prefix; /* NULL: all */
    bool without;
};

/* Whether the filter takes a run. */
bool phases_takes(const struct phases *phases, const struct phases_run *run, struct phases_filter filter);

/* A time of the program itself in a run, as `assay record` measured it. */
enum phases_own_time { PHASES_CPU, PHASES_WALL, PHASES_OWN_TIMES };

/* The mean over runs that the filter takes and that have it, ns. False: none has it. O(runs^2). */
bool phases_program_time(const struct phases *phases, struct phases_filter filter, enum phases_own_time which,
                         struct group *group);
/* Runs without any trace that has the program's time. O(runs^2). */
size_t phases_untimed(const struct phases *phases);

/* basis NULL: chosen as above; `confidence`, `use_z` as in struct analysis_options. 0, ENOMEM, or EINVAL: no run has
 * the basis. To be freed in each case. */
int phases_totals(const struct phases *phases, struct phases_filter filter, const char *basis,
                  const struct analysis_options *options, struct phases_totals *out);
void phases_totals_free(struct phases_totals *totals);

/* The method of this name; NULL: there is none. Expected O(length). */
const struct phases_total *phases_find(const struct phases_totals *totals, const char *name);

/* Its unfinished calls, whatever the cause. */
uint64_t phases_unfinished(const struct phases_total *item);

/* ------------------------------------------------------------------------------------------ selection -- */

struct phases_choice {
    double weight, granularity;
    size_t phases;
    uint64_t invocations; /* of the phases, without collections */
    double overhead;      /* estimated: invocations / those of all methods */
    double
        time_overhead;   /* estimated: the cost of their probes / the time without any; NAN: the traces don't have it */
    double cpu_overhead; /* estimated: what recording takes, relative to the program's CPU time without it, as far as
                            known: probes and writer by the share of calls, the start unchanged; NAN: unknown */
    bool by_time;        /* chosen by time_overhead */
};

/* What weight and granularity select; `totals` as before. O(methods). */
struct phases_choice phases_count(const struct phases_totals *totals, double weight, double granularity);
/* Marks these phases. O(methods). */
void phases_mark(struct phases_totals *totals, double weight, double granularity);

/* The thresholds to try: 1, 2 and 5 times powers of ten, from 1e-8 to 0.5. */
enum { PHASES_THETAS = 24 };
double phases_theta(size_t i);

/* Chooses among all pairs of these whose estimated overhead is below `limit` the one with the most phases, among equals
 * the one with the least overhead, and then the largest thresholds. If none of these has a phase, the program has so
 * few calls that their number says nothing about the time: then the same by time_overhead, if it is known. */
struct phases_choice phases_choose(const struct phases_totals *totals, double limit);
/* Whether it has a phase, and its overhead (the one by which it was chosen) is below `limit`. */
bool phases_is_below(const struct phases_choice *choice, double limit);

/* ------------------------------------------------------------------------------------------ metrics of a phase -- */

struct phases_estimate {
    uint64_t n;          /* finished calls */
    double mean, sd, cv; /* of a call, over the calls of all runs; NAN if it does not exist */
    double low, high, half;
    bool by_runs; /* the interval is over runs; else over calls, taken as independent */
    struct group group;
};

/* Estimates one method; n = 0: the rest is NAN. With several runs: mean = Σ sums / Σ n over runs, and the runs are the
 * sample for its interval (ratio estimator: Cochran, Sampling Techniques, 1977, §6.3): for equal n that of the runs'
 * means. */
void phases_estimate(const struct phases_totals *totals, const struct phases_total *item, size_t metric,
                     const struct analysis_options *options, struct phases_estimate *out);

/* Collects the durations of calls over all runs into an empty spread with limit set; false without memory. There are
 * fewer values than calls if a saved state lacks them. */
bool phases_spread(const struct phases_totals *totals, const struct phases_total *item, size_t metric,
                   struct spread *spread);

/* The mean of each run that has calls: at most [run_count]; returns their number. */
size_t phases_run_means(const struct phases_totals *totals, const struct phases_total *item, size_t metric,
                        double *means);

/* Σ of a metric over all runs, and of the metric below its rate: per instruction or per second. */
void phases_sums_of(const struct phases_totals *totals, const struct phases_total *item, size_t metric, double *above,
                    double *below);

/* Elapsed ns in all threads of these runs, with probes, and the part of it that probes cost. O(roles · runs). */
void phases_probe_total(const struct phases_totals *totals, double *time, double *cost);

/* What recording took in the mean run, and the time of the program in runs that the filter takes. O(traces · runs). */
struct phases_cost phases_cost(const struct phases_totals *totals, struct phases_filter filter);

/* What the virtual machines report of themselves (ns, or a number), summed over the traces of the totals' runs; 0:
 * nothing. O(traces · runs). */
uint64_t phases_vm_total(const struct phases_totals *totals, enum trace_vm what);

/* CPU time of the threads of a component in the mean run, s. */
double phases_component_s(const struct phases_totals *totals, enum phases_component component);

#endif
