/*
 * metric.h - the groups of one value column, as tests of several groups (stats/inference/anova.h,
 * stats/inference/compare.h) need them.
 */
#ifndef ASSAY_ANOVA_METRIC_H
#define ASSAY_ANOVA_METRIC_H

#include "analyze/cli/report.h"
#include "analyze/driver/tables/groups.h"
#include "stats/estimates/group.h"

struct metric {
    const char *name; /* of the column */
    const struct groups *groups;
    size_t value;
    struct group *group;  /* [groups->count] */
    struct group *tested; /* [count]: those that the test can use, in the same order */
    size_t *position;     /* [count]: their positions in groups */
    size_t count;
    bool by_variance; /* groups of one value are not tested */
};

/* The groups in value column `value`; by_variance: the test needs the variance of each, so groups of one value are not
 * tested. metric_free() may be called after a failure too. */
enum stats_status metric_init(struct metric *metric, const struct groups *groups, size_t value, bool by_variance);
void metric_free(struct metric *metric);

/* The values of the groups tested[count], which must keep them, for tests on ranks; metric_rank_groups_free() releases
 * them, even after a failure. STATS_NO_MEMORY. */
struct rank_group;
enum stats_status metric_rank_groups(const struct metric *metric, struct rank_group **groups);
void metric_rank_groups_free(const struct metric *metric, struct rank_group *groups);

/* The name of the group tested[i]; owned by the groups. */
const char *metric_group_name(const struct metric *metric, size_t i);

/* The names of the groups that are not tested, "a, b", as many as fit. */
void metric_left_out(const struct metric *metric, char *text, size_t size);

/* Leaves the metric out (leave_out.h), saying why a test of several groups (stats/inference/anova.h, compare.h, rank.h)
 * failed.
 */
void metric_explain(const struct metric *metric, enum stats_status status, struct report *report,
                    struct error_text *first);

#endif
