#include "analyze/anova/metric.h"

#include <assert.h>
#include <stdlib.h>

#include "analyze/driver/tables/leave_out.h"
#include "stats/inference/rank.h"

static struct real_moments metric_group_moments(const struct metric *metric, size_t g)
{
    struct real_moments moments = {0};
    if (!metric->groups->keeps_values)
        return *groups_moments(metric->groups, g, metric->value);
    real_moments_of_series(groups_series(metric->groups, g, metric->value), &moments);
    return moments;
}

enum stats_status metric_init(struct metric *metric, const struct groups *groups, size_t value, bool by_variance)
{
    *metric = (struct metric){
        .name = groups->columns.values[value], .groups = groups, .value = value, .by_variance = by_variance};
    metric->group = calloc(groups->count, sizeof *metric->group);
    metric->tested = calloc(groups->count, sizeof *metric->tested);
    metric->position = calloc(groups->count, sizeof *metric->position);
    if (!metric->group || !metric->tested || !metric->position)
        return STATS_NO_MEMORY;
    for (size_t g = 0; g < groups->count; g++) {
        struct real_moments moments = metric_group_moments(metric, g);
        enum stats_status status = group_of_moments(&moments, &metric->group[g]);
        if (status == STATS_TOO_FEW) /* none in this group: its cells are blank */
            continue;
        if (status)
            return status;
        if (by_variance && metric->group[g].n < 2)
            continue;
        metric->tested[metric->count] = metric->group[g];
        metric->position[metric->count++] = g;
    }
    return STATS_OK;
}

void metric_free(struct metric *metric)
{
    free(metric->group);
    free(metric->tested);
    free(metric->position);
}

enum stats_status metric_rank_groups(const struct metric *metric, struct rank_group **out)
{
    struct rank_group *groups = *out = calloc(metric->count + 1, sizeof *groups);
    for (size_t i = 0; groups && i < metric->count; i++) {
        const struct series *series = groups_series(metric->groups, metric->position[i], metric->value);
        double *x = malloc(series->n * sizeof *x);
        groups[i] = (struct rank_group){x, series->n};
        if (!x)
            return STATS_NO_MEMORY;
        series_to_doubles(series, x);
    }
    return groups ? STATS_OK : STATS_NO_MEMORY;
}

void metric_rank_groups_free(const struct metric *metric, struct rank_group *groups)
{
    for (size_t i = 0; groups && i < metric->count; i++)
        free((double *)(uintptr_t)groups[i].x);
    free(groups);
}

const char *metric_group_name(const struct metric *metric, size_t i)
{
    return groups_name(metric->groups, metric->position[i]);
}

void metric_left_out(const struct metric *metric, char *text, size_t size)
{
    *text = '\0';
    for (size_t g = 0, i = 0; g < metric->groups->count; g++) {
        if (i < metric->count && metric->position[i] == g)
            i++;
        else
            error_list(text, size, groups_name(metric->groups, g));
    }
}

static void metric_explain_constant(const struct metric *metric, struct report *report, struct error_text *first)
{
    size_t constant = metric->count, count = 0; /* the first constant group; their number */
    for (size_t i = metric->count; i-- > 0;)
        if (metric->tested[i].deviations == 0) {
            constant = i;
            count++;
        }
    if (count == metric->count) {
        leave_out(report, first, metric->name, "",
                  "constant within groups: there is no spread to compare the means with");
        return;
    }
    if (!metric->by_variance) { /* ranks are those of doubles, while deviations are exact */
        leave_out(report, first, metric->name, "", "the values differ by less than this test can distinguish");
        return;
    }
    assert(count > 0);
    leave_out(report, first, metric->name, "", "group %s is constant: Welch's test would give it an infinite weight",
              metric_group_name(metric, constant));
}

void metric_explain(const struct metric *metric, enum stats_status status, struct report *report,
                    struct error_text *first)
{
    size_t count = metric->groups->count;
    if (status == STATS_TOO_FEW && metric->count < count)
        leave_out(report, first, metric->name, "",
                  "too few values: %zu groups, of which %zu %s two or more; the test needs two such groups", count,
                  metric->count, metric->count == 1 ? "has" : "have");
    else if (status == STATS_TOO_FEW)
        leave_out(report, first, metric->name, "",
                  "too few values: %zu groups of one value each say nothing about the spread within them", count);
    else if (status == STATS_CONSTANT)
        metric_explain_constant(metric, report, first);
    else if (status == STATS_DOMAIN)
        leave_out(report, first, metric->name, "", "too many groups, or too few values, for the studentized range");
    else
        leave_out(report, first, metric->name, "", "%s", stats_status_text(status));
}
