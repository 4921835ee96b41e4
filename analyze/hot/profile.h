/*
 * profile.h - the number of samples of each method, by run, role, thread and line: what assay hot counts.
 *
 * The state keeps everything that the report's options may request, so that saved states can be joined whatever their
 * purpose; only the files of the traces are kept only for --by file. Its size is bounded by runs × programs × threads ×
 * distinct (method, line) pairs.
 */
#ifndef ASSAY_HOT_PROFILE_H
#define ASSAY_HOT_PROFILE_H

#include "analyze/driver/analyzer.h"
#include "analyze/driver/run_label.h"
#include "stats/estimates/interval.h"
#include "trace/names/method_name.h"
#include "trace/names/sample_role.h"

/* Processes of one run that have the same labels. */
struct profile_source {
    uint32_t id, labels[RUN_LABELS]; /* texts; the key */
    uint64_t samples;
};

/* Counts of one (source, role, thread, method, line); line is source line + 1, and 0 stands for the whole method. */
struct profile_entry {
    uint32_t source, role, thread, method, line; /* the key: row, number, text, text, number */
    uint64_t self, inclusive;
};

struct profile_tables;

enum { PROFILE_SOURCES, PROFILE_ENTRIES, PROFILE_RELATIONS };
extern const struct relation profile_relations[PROFILE_RELATIONS];

struct profile {
    struct relations relations;
    bool keeps_files; /* for --by file */
    /* Samples by context of the stream that is being fed. */
    const struct analysis_trace *trace; /* NULL: none */
    struct profile_tables *tables;      /* what its definitions yield */
    uint64_t *counts;                   /* [context] */
    uint32_t stream;
    bool fed; /* counts hold something */
};

/* An empty state; NULL without memory. */
struct profile *profile_new(bool keeps_files);

/* Records that profile_feed() takes: the inputs of an analyzer. */
#define PROFILE_COLUMNS (TRACE_COLUMN(SAMPLE_CONTEXT) | TRACE_COLUMN(SAMPLE_WEIGHT))

int profile_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch);
int profile_finalize(void *state, const struct analysis_trace *trace);
void profile_free(void *state);

static inline size_t profile_source_count(const struct profile *profile)
{
    return relations_count(&profile->relations, PROFILE_SOURCES);
}
static inline struct profile_source *profile_source_at(const struct profile *profile, size_t i)
{
    return relations_at(&profile->relations, PROFILE_SOURCES, i);
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

/* The group and the run in it that a source belongs to. */
struct profile_position {
    size_t group; /* SIZE_MAX: none, since the run has no samples */
    size_t run;
};

/* Runs with the same value of a label, in the order of their ids; runs without samples are left out. */
struct profile_group {
    const char *label;
    size_t run_count;
    uint64_t *samples; /* [run] */
};
struct profile_groups {
    struct profile_group *items;        /* by label, bytewise */
    size_t count, run_count;            /* of all groups */
    size_t empty;                       /* runs without samples */
    struct profile_position *positions; /* [source] */
};

/* `by` RUN_LABELS: one group. 0 or ENOMEM; to be freed in either case. O(sources log sources). */
int profile_group(const struct profile *profile, enum run_label by, struct profile_groups *groups);
void profile_groups_free(struct profile_groups *groups);
/* The first label in which runs differ, although they should not in one table; RUN_LABELS: none. */
enum run_label profile_mixed_label(const struct profile *profile);

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
/* Sums over what the granularity does not tell apart, of group g. 0 or ENOMEM. To be freed in either case. */
int profile_sum(const struct profile *profile, const struct profile_groups *groups, size_t g,
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

/* Makes the rows of group g. 0 or ENOMEM; to be freed in either case. The profile must outlive the rows. O(entries log
 * entries). */
int profile_rows(const struct profile *profile, const struct profile_groups *groups, size_t g,
                 const struct profile_granularity *granularity, const struct analysis_options *options,
                 struct profile_rows *rows);
void profile_rows_free(struct profile_rows *rows);

/* --- population.c: which samples count --- */

/* Roles and methods that --roles and --without choose. */
struct population_choice {
    unsigned roles; /* that count: bits 1 << role; 0: all */
    char **without; /* [without_count]: names of methods whose own samples don't count */
    size_t without_count;
};

/*
 * Removes samples from the profile that do not count, so that shares are of the rest, and reports how many. Inclusive
 * samples are only removed by role, so `without` is for self samples. 0 or ENOMEM. O(entries + texts).
 */
int population_choose(struct profile *profile, const struct population_choice *choice, struct report *report);

/*
 * Removes samples from the profile whose innermost frame has a name in brackets, which denotes code that is not a
 * method ("[JIT compiler]", "[libc.so.6]"), if not every group has that name; warns about it, by group. A method that a
 * group lacks stays, since that is a result. Counts of inclusive samples are unchanged. The groups stay the same: a run
 * may have lost all its samples. 0 or ENOMEM. O(entries + groups · texts).
 */
int population_level(struct profile *profile, const struct profile_groups *groups, struct report *report);

#endif
