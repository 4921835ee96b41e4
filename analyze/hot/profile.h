/*
 * profile.h - the number of samples of each method, by run, thread and line: what assay hot counts.
 *
 * The state keeps everything that the report's options may request, so that saved states can be joined whatever their
 * purpose. Its size is bounded by runs × threads × distinct (method, line) pairs.
 */
#ifndef ASSAY_HOT_PROFILE_H
#define ASSAY_HOT_PROFILE_H

#include "analyze/driver/analyzer.h"
#include "trace/names/method_name.h"
#include "stats/estimates/interval.h"

enum { PROFILE_LABELS = 4 }; /* clock, engine, command, mode */

struct profile_run {
    uint32_t id;                     /* text; the key */
    uint32_t labels[PROFILE_LABELS]; /* text */
    uint64_t samples;
};

/* Counts of one (run, thread, method, line); line is source line + 1, and 0 stands for the whole method. */
struct profile_entry {
    uint32_t run, thread, method, line; /* the key: row, text, text, number */
    uint64_t self, inclusive;
};

struct profile_tables;

enum { PROFILE_RUNS, PROFILE_ENTRIES, PROFILE_RELATIONS };
extern const struct relation profile_relations[PROFILE_RELATIONS];

struct profile {
    struct relations relations;
    /* Samples by context of the stream that is being fed. */
    const struct analysis_trace *trace; /* NULL: none */
    struct profile_tables *tables;      /* what its definitions yield */
    uint64_t *counts;                   /* [context] */
    uint32_t stream;
    bool fed; /* counts hold something */
};

/* Records that profile_feed() takes: the inputs of an analyzer. */
#define PROFILE_COLUMNS (TRACE_COLUMN(SAMPLE_CONTEXT) | TRACE_COLUMN(SAMPLE_WEIGHT))

int profile_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch);
int profile_finalize(void *state, const struct analysis_trace *trace);
void profile_free(void *state);

static inline size_t profile_run_count(const struct profile *profile)
{
    return relations_count(&profile->relations, PROFILE_RUNS);
}
static inline struct profile_run *profile_run_at(const struct profile *profile, size_t i)
{
    return relations_at(&profile->relations, PROFILE_RUNS, i);
}
static inline size_t profile_entry_count(const struct profile *profile)
{
    return relations_count(&profile->relations, PROFILE_ENTRIES);
}
static inline struct profile_entry *profile_entry_at(const struct profile *profile, size_t i)
{
    return relations_at(&profile->relations, PROFILE_ENTRIES, i);
}
static inline const char *profile_text(const struct profile *profile, uint32_t text)
{
    return relations_text_at(&profile->relations, text);
}

/* --- reading it out --- */

/* Runs with the same value of a label, in the order of their ids; runs without samples are left out. */
struct profile_group {
    const char *label;
    size_t *runs; /* indices */
    size_t run_count;
};
struct profile_groups {
    struct profile_group *items; /* by label, bytewise */
    size_t count;
};

extern const char *const profile_label_names[PROFILE_LABELS];
bool profile_label_known(const char *name);
/* `by` NULL: one group. 0 or ENOMEM. */
int profile_group(const struct profile *state, const char *by, struct profile_groups *groups);
void profile_groups_free(struct profile_groups *groups);
size_t profile_empty_runs(const struct profile *state);
/* The first label in which the runs differ, although they should not in one table, or NULL. */
const char *profile_mixed_label(const struct profile *state);

/* Shares of one row over the runs of a group. */
struct profile_sum {
    uint32_t thread, method, line; /* the key */
    double *shares;                /* [run_count] */
    uint64_t samples;
};
struct profile_sums {
    struct keyed items; /* of struct profile_sum */
};
/* What sums tell apart, and what they count. */
struct profile_granularity {
    bool inclusive, threads, lines;
};
/* Sums over what the granularity does not tell apart. 0 or ENOMEM. To be freed in either case. */
int profile_sum(const struct profile *state, const struct profile_group *group,
                const struct profile_granularity *granularity, struct profile_sums *sums);
void profile_sums_free(struct profile_sums *sums);

/* A profile as rows: the share of each method over the runs of a group, with its interval. */
struct profile_row {
    const char *thread, *method; /* the profile's; thread is "" if threads are not distinguished */
    uint32_t line;               /* source line + 1; 0 if lines are not distinguished */
    double mean;                 /* of the shares in the runs, 0-1 */
    uint64_t samples;            /* in all runs of the group */
    struct interval interval;    /* of the mean, by Student's t or z as the options say */
    bool has_interval;           /* false for one run */
};

struct profile_rows {
    struct profile_row *items; /* by mean share, largest first; then by method, line, thread */
    size_t count;
    struct profile_sums sums;
};

/* 0 or ENOMEM; to be freed in either case. The profile must outlive the rows. O(entries log entries). */
int profile_rows(const struct profile *profile, const struct profile_group *group,
                 const struct profile_granularity *granularity, const struct analysis_options *options,
                 struct profile_rows *rows);
void profile_rows_free(struct profile_rows *rows);

/* --- population.c: clocks that see different things, compared on what all of them see --- */

/*
 * Removes samples from the profile whose innermost frame has a name in brackets, which denotes code that is not a
 * method ("[JIT compiler]", "[libc.so.6]"), if not every group has that name; warns about it, by group. A method that a
 * group lacks stays, since that is a result. Counts of inclusive samples are unchanged. The groups stay the same: a run
 * may have lost all its samples. 0 or ENOMEM. O(entries + groups · texts).
 */
int population_level(struct profile *profile, const struct profile_groups *groups, struct report *report);

#endif
