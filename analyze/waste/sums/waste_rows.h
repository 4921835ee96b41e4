/*
 * waste_rows.h - what was wasted, as rows over the runs of a group: by kind, by pair, by object, by loop.
 *
 * Let W be the wasted bytes of one run, P the bytes of its pairs and T all bytes loaded (silent-load, spatial-load,
 * adjacent-load) or stored (dead-store, silent-store). Its values are: fraction W / T (dissertation, Definition 3),
 * pair fraction W / P (JXPerf, eq. 1); W and T of one class of values for the precise and the approximate fraction
 * (eq. 3.1), approximate W over all T for the part of the fraction that is approximate; the W of a pair or loop over
 * the T of the run (eq. 3.2); the W of an object, or of a pair within an object, over the P of all objects (eq. 3.3).
 * Pairs, objects and loops have W over their own P, too, over the W of their kind, and over all bytes loaded and stored
 * (waste_traffic.h). A row has the means of all these over the runs in which they are defined.
 *
 * For a run in bursts W / T is the estimate of windows.h, without --threads; all other values describe what the bursts
 * saw. A single run has the interval over its bursts.
 *
 * A single sampled run has an interval, too: Wilson's (proportion.h) for the effective number of its traps, each
 * weighted by the bytes that it represents. Its timers expire at random times, so over many runs of one program the
 * sampled values scatter like independent random samples, or less; the bias of the clock is not part of it.
 */
#ifndef ASSAY_WASTE_WASTE_ROWS_H
#define ASSAY_WASTE_WASTE_ROWS_H

#include "analyze/waste/state/waste.h"
#include "stats/estimates/interval.h"

/* --- runs --- */

/* Runs with the same value of a label, numbered in the order of their ids. */
struct waste_group {
    const char *label;
    size_t *run_of; /* [source]; SIZE_MAX: in another group */
    size_t run_count;
    uint32_t *kinds; /* [run]: bits, recorded by any of its processes */
};
struct waste_groups {
    struct waste_group *items; /* by label, bytewise */
    size_t count;
};

/* `by` NULL: one group, even of no runs. 0 or ENOMEM; to be freed in either case. */
int waste_group(const struct waste *waste, const char *by, struct waste_groups *groups);
void waste_groups_free(struct waste_groups *groups);
/* The first label in which sources differ, although they should not in one table (run_label_separates()), or NULL. */
const char *waste_mixed_label(const struct waste *waste);

/* All bytes that each run loaded and stored: see waste_traffic.h. */
struct waste_traffic {
    const uint32_t *kinds; /* [run]: the group's */
    long double *bytes;    /* [run] */
    size_t run_count;
    size_t missing[ACCESS_COUNT]; /* runs that did not record this access, and have the mean of the others; */
    bool unknown[ACCESS_COUNT];   /* or nothing, if no run did */
};

/* --- rows --- */

/* A mean over the runs in which a fraction is defined. */
struct waste_mean {
    double value; /* NaN: defined in none */
    size_t runs;
    struct interval interval; /* by Student's t or z as the options say; NaN if there is none */
    bool has_interval;        /* false for one run */
};

/* One kind in one run. */
struct waste_sums {
    bool recorded;
    uint64_t events, bytes;              /* of pairs */
    uint64_t object_bytes[VALUES_COUNT]; /* of those with an object */
    uint64_t wasted[VALUES_COUNT], total[VALUES_COUNT];
    uint64_t traps, squares, wasted_squares; /* of sampled pairs: see waste.h */
    struct windows windows;                  /* of bursts */
};

/* The key must come first: see keyed.h. */
struct waste_kind {
    uint32_t waste, thread_text; /* 0 if threads are not distinguished */
    const char *thread;          /* "" likewise */
    struct waste_sums *runs;     /* [run_count] */
    struct waste_mean fraction, pair_fraction, precise_fraction, approx_fraction, approx_part;
    uint64_t events, bytes, wasted_bytes; /* in all runs; bytes: all that were loaded or stored */
    size_t recorded;                      /* runs that recorded it; fraction.runs of them have bytes */
    uint64_t traps;                       /* of sampled pairs */
    bool exceeded;                        /* more was wasted than accessed: totals are missing */
    uint64_t bursts;                      /* in all runs */
    double unseen;                        /* of what they counted, may repeat what lies before: 0-1; NaN: no bursts */
    double unseen_wasted;                 /* the share of that which is taken to be wasted; NaN likewise */
};

struct waste_kinds {
    struct keyed rows; /* struct waste_kind */
    size_t run_count;
    uint32_t order[WASTE_COUNT]; /* without threads: index of the row of each kind, KEYED_FULL if there is none */
};

/* One row per kind that a run of the group recorded, in the order of enum trace_waste, and with `threads` one per
 * thread of it, by name. 0 or ENOMEM; to be freed in either case. O(pairs + runs × rows). */
int waste_kinds(const struct waste *waste, const struct waste_group *group, bool threads,
                const struct analysis_options *options, struct waste_kinds *kinds);
void waste_kinds_free(struct waste_kinds *kinds);

/* WASTE_OBJECT_PAIRS has the pairs of each object, and leaves out those without an object. */
enum waste_granularity { WASTE_PAIRS, WASTE_OBJECTS, WASTE_SCOPES, WASTE_OBJECT_PAIRS };

struct waste_wish {
    enum waste_granularity granularity;
    unsigned kind; /* only this one; WASTE_COUNT: all */
    bool threads;  /* a row for each */
    uint64_t top;  /* the number of rows, of each object in WASTE_OBJECT_PAIRS; 0: all */
};

/* One location in one run: bytes. */
struct waste_run {
    uint64_t wasted[VALUES_COUNT], bytes;
};

struct waste_location {
    uint32_t waste, thread, first, second, scope, object; /* 0 for what the rows do not distinguish */
    struct waste_run *runs;                               /* [run_count] */
    uint64_t wasted_bytes, bytes;                         /* in all runs; bytes of these pairs */
    uint64_t wasted_events, events;                       /* likewise */
    uint64_t wasted_squares;                              /* of sampled pairs */
    uint32_t instructions[WASTE_SIDES];                   /* of sampled pairs, as in waste.h */
    bool several[WASTE_SIDES];
    struct waste_mean fraction;
    double traffic_share; /* wasted bytes over all bytes loaded and stored; NaN: the runs have none */
    /* Means over runs; NaN: no run defines it. Wasted bytes over those of a class of values (the first two), over
     * `bytes`, and over the wasted bytes of the kind. */
    double precise_fraction, approx_fraction, pair_fraction, waste_share;
};

struct waste_locations {
    struct keyed rows; /* struct waste_location; by traffic share, largest first, then by kind, thread and names */
    size_t run_count;
    struct waste_traffic traffic;
    uint64_t *wholes; /* of fractions: see waste_shares.c */
};

/* One row per pair that wasted anything, or per object or loop that has pairs; loop 0 stands for the pairs without one.
 * In WASTE_OBJECT_PAIRS all pairs with an object, object by object. `kinds` are the group's, without threads. All rows
 * are kept; equal shares after `top` are unordered. 0 or ENOMEM; to be freed in either case.
 * O(pairs + rows × (log rows + runs)), and depth of contexts for rows of equal shares.
 */
int waste_locations(const struct waste *waste, const struct waste_group *group, const struct waste_kinds *kinds,
                    const struct waste_wish *wish, const struct analysis_options *options,
                    struct waste_locations *locations);
void waste_locations_free(struct waste_locations *locations);

/* The fractions of rows whose sums are complete. 0 or ENOMEM. */
int waste_locations_divide(const struct waste_kinds *kinds, enum waste_granularity granularity,
                           const struct analysis_options *options, struct waste_locations *locations);

/* The rows from *begin to before *end of locations in WASTE_OBJECT_PAIRS are those of an object, a row of
 * WASTE_OBJECTS. O(log rows). */
void waste_locations_within(const struct waste_locations *locations, const struct waste_location *object, size_t *begin,
                            size_t *end);

/* What an object has beyond its rows from `begin` to before `end` of `locations` in WASTE_OBJECT_PAIRS; rest->runs is
 * to be freed. 0 or ENOMEM. O(rows × runs). */
int waste_locations_rest(const struct waste_locations *locations, const struct waste_location *object, size_t begin,
                         size_t end, const struct analysis_options *options, struct waste_location *rest);

/* The mean over runs of the location's wasted bytes over those of the object, a row of WASTE_OBJECTS; NaN: it wasted
 * none.
 */
double waste_object_share(const struct waste_locations *locations, const struct waste_location *location,
                          const struct waste_location *object);

/* The interval of a mean over one sampled run, which otherwise has none: from sums over traps of bytes, bytes², and
 * bytes² of those wasted. */
void waste_sampled_interval(uint64_t whole, uint64_t squares, uint64_t wasted_squares, double confidence,
                            struct waste_mean *mean);

/* The mean of part[run] / whole[run] over the runs whose whole is not 0. 0 or ENOMEM. */
int waste_mean_over_runs(const uint64_t *part, const uint64_t *whole, size_t runs,
                         const struct analysis_options *options, struct waste_mean *mean);

#endif
