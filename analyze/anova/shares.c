#include "analyze/anova/shares.h"

#include <math.h>

#include "analyze/driver/tables/groups_table.h"
#include "stats/estimates/cov.h"

struct group_row {
    uint64_t n;
    double mean, sd, cv, share;
};

static const struct column columns[] = {
    COLUMN(group_row, "n", TABLE_COUNT, n, "The number of values in the group."),
    COLUMN(group_row, "mean", TABLE_REAL, mean, "Their mean."),
    COLUMN(group_row, "sd", TABLE_REAL, sd, "Their sample standard deviation (divisor n-1); blank for one value."),
    COLUMN(group_row, "cv", TABLE_REAL, cv,
           "Their coefficient of variation, sd / mean; blank for one value, and where the mean is not above 0."),
    COLUMN(group_row, "share", TABLE_SHARE, share,
           "The group's share of the sum of all values, 0 to 1 (percent in text, Markdown and LaTeX). It is blank, "
           "with a warning, if the sum of a group is below 0 or the sum of all values is 0.")};

const struct columns shares_table =
    COLUMNS("With --groups, one row for each group and metric, after the group columns and, if there "
            "are several metrics, the metric",
            columns);

static __float128 shares_group_sum(const struct group *group)
{
    return group->mean * (__float128)group->n;
}

void shares_report(const struct metric *metric, struct report *report)
{
    __float128 total = 0; /* the denominator of shares; 0 if there are none */
    bool negative = false;
    for (size_t g = 0; g < metric->groups->count; g++) {
        __float128 sum = shares_group_sum(&metric->group[g]);
        negative |= sum < 0;
        total += sum;
    }
    total = negative ? 0 : total;
    if (total == 0)
        report_warn(report, "%s: no shares: the sum of %s", metric->name,
                    negative ? "a group is below 0" : "all groups is 0");
    for (size_t g = 0; g < metric->groups->count; g++) {
        const struct group *group = &metric->group[g];
        double cv, sd;
        if (group->n == 0)
            continue;
        const struct group_row row = {.n = group->n,
                                      .mean = (double)group->mean,
                                      .sd = group_sd(group, &sd) == STATS_OK ? sd : NAN,
                                      .cv = cov_of(group, &cv) == STATS_OK ? cv : NAN,
                                      .share = total > 0 ? (double)(shares_group_sum(group) / total) : NAN};
        groups_report_row(report, metric->groups, g, metric->value, &row);
    }
}
