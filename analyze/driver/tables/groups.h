/*
 * groups.h - the values of a table by group, as most programs that read tables collect them.
 *
 * Groups are numbered in the order of their first appearance. Each has, for every value column, either all its values
 * (8 bytes each) or only their moments (no memory for values).
 */
#ifndef ASSAY_ANALYZE_DRIVER_TABLES_GROUPS_H
#define ASSAY_ANALYZE_DRIVER_TABLES_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "table/read/rows.h"
#include "base/text_set.h"
#include "stats/exact/real_moments.h"
#include "stats/exact/series.h"

/* How the values of a group were repeated: values (iterations) within processes. */
struct groups_levels {
    uint64_t processes, values; /* values: of all processes */
    uint64_t fewest, most;      /* values of a process */
    double deviations; /* Σ of squared deviations from the mean of their process, values − processes degrees */
    double inverse;    /* Σ over processes of 1/values */
};

struct groups {
    struct rows_columns columns;
    bool keeps_values;
    size_t count, capacity;
    struct text_set keys;         /* the texts of a group, joined */
    char ***texts;                /* [count][columns.group_count] */
    char **names;                 /* [count], see groups_name() */
    struct series *series;        /* [count · value_count], if it keeps values */
    struct real_moments *moments; /* [count · value_count], otherwise */
    struct groups_levels *levels; /* [count · value_count] after groups_take_means(); else NULL */
    const char *process;          /* what tells processes apart, then: "fork" */
    uint32_t *numbers;            /* of the part's groups */
    uint32_t numbered, numbers_capacity;
};

/* The functions of a rows_consumer; `own` points to whether values are kept (a bool). */
int groups_init(void **state, const struct rows_columns *columns, const void *own);
int groups_feed(void *state, const struct rows_batch *batch, const char *const *texts, uint32_t group_total,
                struct error_text *message);
int groups_merge(void *state, void *later, struct error_text *message);
void groups_free(void *state);
int groups_save(const void *state, FILE *to);
int groups_load(void **state, const struct rows_columns *columns, const void *own, FILE *from);

/* These as a rows_consumer; keeps: a const bool *. */
#define GROUPS_CONSUMER(keeps)                                                                                         \
    {                                                                                                                  \
        groups_init, groups_feed, groups_merge, groups_free, groups_save, groups_load, keeps                           \
    }

/* Leaves out the first `count` values of each group. 0, or a message that names a group with no more than that.
 */
int groups_drop_first(struct groups *groups, size_t count, struct error_text *message);

/* Replaces the values of each process (of a group, with the same texts in the last columns.within_count columns) by
 * their mean, which then are the group's values: so the unit of analysis is the process. Groups no longer have these
 * columns. The mean of several values is rounded to a double; a single value stays as it is. Processes keep the order
 * of their first appearance. into[processes], unless it is NULL: the group of each process. A status with a message.
 * O(values). */
int groups_take_means(struct groups *groups, uint32_t *into, struct error_text *message);

/* The levels of a group in a value column; NULL if there are none. */
const struct groups_levels *groups_levels(const struct groups *groups, size_t group, size_t value);

/* The values, or the moments, of a group in a value column. */
const struct series *groups_series(const struct groups *groups, size_t group, size_t value);
const struct real_moments *groups_moments(const struct groups *groups, size_t group, size_t value);

/* The group's texts as people write them: "random, fop"; "" without group columns. Uncut, and owned by the groups. */
const char *groups_name(const struct groups *groups, size_t group);

/* The unit of a group's values in a value column, or NULL if the format gives none: then for all groups. */
const char *groups_unit(const struct groups *groups, size_t group, size_t value);

/* The first group whose unit in a value column is not that of group 0; SIZE_MAX if all have the same, or none. */
size_t groups_other_unit(const struct groups *groups, size_t value);

/* The unit of all groups in all value columns, or NULL. At least one group exists. */
const char *groups_common_unit(const struct groups *groups);

/* The group of this name, or SIZE_MAX. */
size_t groups_named(const struct groups *groups, const char *name);

#endif
