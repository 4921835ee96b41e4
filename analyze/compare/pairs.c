#include "analyze/compare/pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/rows.h"
#include "analyze/tabular/groups_table.h"
#include "analyze/tabular/leave_out.h"

bool compare_has_metric(const struct groups *groups)
{
    return groups->columns.value_count > 1;
}

bool compare_is_paired(const struct compare_task *task)
{
    return task->baseline.group == BASELINE_NONE;
}

static const char *reason(const struct compare_task *task, enum stats_status status)
{
    if (status == STATS_DOMAIN)
        return task->request.method == COMPARISON_MANN_WHITNEY ? "a median is not above 0" : "a mean is not above 0";
    return stats_status_text(status);
}

/* For operations or bytes per time more is better; bytes and allocations are neither fast nor slow. An unknown unit is
 * assumed to be one of time. */
static enum comparison_kind kind_of(const char *unit)
{
    const char *slash = unit ? strrchr(unit, '/') : NULL;
    if (slash && (strncmp(unit, "ops/", 4) == 0 || strcmp(slash, "/s") == 0 || strcmp(slash, "/sec") == 0))
        return COMPARISON_RATES;
    return unit && (strcmp(unit, "B/op") == 0 || strcmp(unit, "allocs/op") == 0) ? COMPARISON_AMOUNTS
                                                                                 : COMPARISON_TIMES;
}

/* The first group that has the group's text in the column of baselines: its number represents all of them. */
static size_t first_alike(const struct compare_task *task, size_t g)
{
    size_t first = 0, column = task->baseline.column;
    while (strcmp(task->groups->texts[first][column], task->groups->texts[g][column]) != 0)
        first++;
    return first;
}

static void warn_of_gaps(struct compare_task *task, const struct comparison_side sides[2],
                         const struct comparison *found, const char *label, const char *base_name)
{
    if (found->no_interval == STATS_TOO_FEW)
        report_warn(task->report, "%sno interval from %zu value%s and %zu of %s: %s", label, sides[0].n,
                    sides[0].n == 1 ? "" : "s", sides[1].n, base_name, stats_status_text(found->no_interval));
    else if (found->no_interval)
        report_warn(task->report, "%sno interval: %s", label,
                    task->request.method == COMPARISON_WELCH       ? stats_status_text(found->no_interval)
                    : task->request.method == COMPARISON_BOOTSTRAP ? "a resample's mean is not above 0"
                                                                   : "some value is not above 0");
    if (found->no_test == STATS_CONSTANT)
        report_warn(
            task->report,
            "%sthe values are all equal, and so are those of %s: there is no p (--method mann-whitney gives one)",
            label, base_name);
}

/* The result for a group and its baseline, or why there is none. */
static void tell(struct compare_task *task, size_t g, size_t baseline, size_t value,
                 const struct comparison_side sides[2], const struct comparison *found, enum stats_status status)
{
    const struct groups *groups = task->groups;
    const char *base_name = groups_name(groups, baseline);
    char *owned = groups_table_label(groups, g, value);
    const char *label = owned ? owned : "";
    enum comparison_kind kind = kind_of(groups_unit(groups, g, value));
    if (status) {
        leave_out(task->report, &task->first, "%sno comparison of %zu value%s with %zu of %s: %s", label, sides[0].n,
                  sides[0].n == 1 ? "" : "s", sides[1].n, base_name, reason(task, status));
    } else {
        const struct compare_row row = {.metric = compare_has_metric(groups) ? groups->columns.values[value] : NULL,
                                        .name = groups_name(groups, g),
                                        .baseline = base_name,
                                        .n = sides[0].n,
                                        .n_baseline = sides[1].n,
                                        .found = found,
                                        .kind = kind,
                                        .method = comparison_label(found, &task->request),
                                        .verdict = comparison_verdict(found, &task->request, kind)};
        compare_rows_add(task->report, &row, compare_is_paired(task));
        warn_of_gaps(task, sides, found, label, base_name);
    }
    free(owned);
}

static int compare_pair(struct compare_task *task, size_t g, size_t baseline, size_t value)
{
    const struct series *series[2] = {groups_series(task->groups, g, value),
                                      groups_series(task->groups, baseline, value)};
    struct comparison_side sides[2] = {{.n = series[0]->n}, {.n = series[1]->n}};
    struct comparison found;
    enum stats_status status = comparison_side_init(&sides[0], series[0]);
    if (!status)
        status = comparison_side_init(&sides[1], series[1]);
    if (!status)
        status = comparison_make(&sides[0], &sides[1], &task->request, &found);
    task->rates |= kind_of(groups_unit(task->groups, g, value)) == COMPARISON_RATES;
    tell(task, g, baseline, value, sides, &found, status);
    if (!status && compare_is_paired(task) &&
        !overall_add(&task->overall[first_alike(task, g) * task->groups->columns.value_count + value], &found))
        status = STATS_NO_MEMORY;
    comparison_side_free(&sides[0]);
    comparison_side_free(&sides[1]);
    return status == STATS_NO_MEMORY ? STATUS_BAD : STATUS_GOOD;
}

/* The geometric mean over benchmarks of the comparisons in one value column, for each text that is compared with the
 * baseline's. */
static int add_overall(struct compare_task *task, size_t value)
{
    const struct groups *groups = task->groups;
    size_t texts = 0, values = groups->columns.value_count;
    for (size_t g = 0; g < groups->count; g++)
        texts += task->overall[g * values + value].count > 0;
    for (size_t g = 0; g < groups->count; g++) {
        const struct overall *overall = &task->overall[g * values + value];
        struct comparison found;
        if (overall->count < 2)
            continue;
        enum stats_status status = overall_make(overall, task->settings->confidence, &found);
        if (status)
            return STATUS_BAD;
        const char *text = groups->texts[g][task->baseline.column];
        char name[512];
        snprintf(name, sizeof name, "%s%sgeomean", texts > 1 ? text : "", texts > 1 ? ", " : "");
        const struct compare_row row = {.metric = compare_has_metric(groups) ? groups->columns.values[value] : NULL,
                                        .name = name,
                                        .baseline = "geomean",
                                        .n = overall->count,
                                        .n_baseline = overall->count,
                                        .found = &found,
                                        .kind = kind_of(groups_unit(groups, g, value)),
                                        .method = "geometric mean of ratios, t"};
        compare_rows_add(task->report, &row, true);
    }
    return STATUS_GOOD;
}

static bool is_partner(size_t g, const size_t *partners, size_t count)
{
    for (size_t other = 0; other < count; other++)
        if (other != g && partners[other] == g)
            return true;
    return false;
}

/* The baseline of each group; warns about each group, on either side, without a counterpart. */
static void find_partners(struct compare_task *task, size_t *partners)
{
    const struct groups *groups = task->groups;
    for (size_t g = 0; g < groups->count; g++)
        partners[g] = baseline_of(groups, &task->baseline, g);
    for (size_t g = 0; g < groups->count; g++) {
        const char *name = groups_name(groups, g);
        if (partners[g] == BASELINE_NONE)
            leave_out(task->report, &task->first, "%s: %s has no such group to compare it with", name,
                      task->baseline.text);
        else if (partners[g] == g && !is_partner(g, partners, groups->count))
            leave_out(task->report, &task->first, "%s: only %s has such a group: nothing to compare with it", name,
                      task->baseline.text);
    }
}

/* A ratio of nanoseconds to microseconds, or to operations per second, is meaningless. */
static bool same_unit(struct compare_task *task, size_t g, size_t baseline, size_t value)
{
    const char *unit = groups_unit(task->groups, g, value), *other = groups_unit(task->groups, baseline, value);
    if (!unit || strcmp(unit, other) == 0)
        return true;
    char *label = groups_table_label(task->groups, g, value);
    leave_out(task->report, &task->first, "%sno comparison with %s, which is not in %s but in %s", label ? label : "",
              groups_name(task->groups, baseline), unit, other);
    free(label);
    return false;
}

/* False if neither has such values, or if only one has, which is reported. */
static bool is_measured(struct compare_task *task, size_t g, size_t baseline, size_t value)
{
    size_t n = groups_series(task->groups, g, value)->n, n_baseline = groups_series(task->groups, baseline, value)->n;
    char *label = !n != !n_baseline ? groups_table_label(task->groups, g, value) : NULL;
    if (label)
        leave_out(task->report, &task->first, "%sonly %s has such values", label,
                  groups_name(task->groups, n ? g : baseline));
    free(label);
    return n && n_baseline;
}

static int compare_values(struct compare_task *task, size_t value, const size_t *partners)
{
    int status = STATUS_GOOD;
    for (size_t g = 0; g < task->groups->count && !status; g++)
        if (partners[g] != g && partners[g] != BASELINE_NONE && is_measured(task, g, partners[g], value) &&
            same_unit(task, g, partners[g], value))
            status = compare_pair(task, g, partners[g], value);
    return status || !compare_is_paired(task) ? status : add_overall(task, value);
}

int compare_all(struct compare_task *task)
{
    size_t count = task->groups->count, values = task->groups->columns.value_count;
    size_t *partners = calloc(count, sizeof *partners);
    int status = STATUS_GOOD;
    task->overall = calloc(count * values, sizeof *task->overall);
    if (!partners || !task->overall)
        status = STATUS_BAD;
    else
        find_partners(task, partners);
    for (size_t v = 0; v < values && !status; v++)
        status = compare_values(task, v, partners);
    for (size_t i = 0; task->overall && i < count * values; i++)
        overall_free(&task->overall[i]);
    free(task->overall);
    free(partners);
    return status;
}
