/*
 * histories.h - the values of a table as histories: for each benchmark and metric its commits, oldest first, each with
 * the median of its runs.
 */
#ifndef ASSAY_HISTORY_HISTORIES_H
#define ASSAY_HISTORY_HISTORIES_H

#include "analyze/driver/tables/groups.h"
#include "base/error_text.h"

struct history_commit {
    const char *text; /* owned by the groups */
    uint64_t n;       /* runs, ≥ 1 */
    double value;     /* their median, in their unit */
    double low, high; /* its interval between order statistics; the runs' range if they are too few for one */
    bool varies;      /* the runs differ */
};

/* The commits that have values. */
struct history {
    struct history_commit *commits; /* [count] */
    size_t count;
};

struct histories {
    struct groups names;   /* histories as groups without values: for tables and labels */
    size_t *first_groups;  /* [names.count]: a group of each benchmark, for its unit */
    struct history *items; /* [names.count · value_count], metrics of one benchmark side by side */
};

/* The columns of groups: the commit's, and the one that orders commits (NULL: they are in the order of their first
 * row). All others together name a benchmark. */
struct histories_columns {
    const char *commit, *order;
};

/*
 * Arranges groups, which hold their values and outlive the result. Groups of one benchmark and commit are joined. The
 * order is that of numbers if all texts of that column are numbers, else bytewise; a commit with several counts by its
 * first one. `confidence`: of the commits' intervals. 0, or STATUS_BAD with a message (no memory). O(values).
 */
int histories_init(struct histories *histories, const struct groups *groups, struct histories_columns columns,
                   double confidence, struct error_text *message);
void histories_free(struct histories *histories);

/* The history of a benchmark in a value column. */
const struct history *histories_item(const struct histories *histories, size_t benchmark, size_t value);

#endif
