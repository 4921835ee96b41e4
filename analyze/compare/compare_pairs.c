#include "analyze/compare/compare_pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/compare_rows.h"
#include "analyze/tabular/groups_table.h"
#include "analyze/tabular/leave_out.h"
#include "stats/estimates/geomean.h"

/* ------------------------------------------------------------------------------------------ the geometric mean -- */

/* The geometric mean of ratios over benchmarks, and of what they are ratios of. Start with {0}; overall_free() at the
 * end. */
struct overall {
    double *ratios, *centers, *centers_baseline; /* [count] */
    size_t count, room;
};

static bool grow(double **values, size_t room)
{
    double *grown = realloc(*values, room * sizeof *grown);
    if (grown)
        *values = grown;
    return grown;
}

/* False without memory. */
static bool overall_add(struct overall *overall, const struct comparison *found)
{
    if (overall->count == overall->room) {
        size_t room = overall->room ? 2 * overall->room : 64;
        if (!grow(&overall->ratios, room) || !grow(&overall->centers, room) || !grow(&overall->centers_baseline, room))
            return false;
        overall->room = room;
    }
    overall->ratios[overall->count] = found->ratio.ratio;
    overall->centers[overall->count] = found->center;
    overall->centers_baseline[overall->count++] = found->center_baseline;
    return true;
}

/* Geometric means of what was added, as a comparison without a test: its interval is Student's t on the logarithms of
 * the ratios (stats/estimates/geomean.h), so it shows how much the mean would vary with other benchmarks of the kind.
 * At least one ratio (STATS_TOO_FEW); below two, no_interval says so. */
static enum stats_status overall_make(const struct overall *overall, double confidence, struct comparison *out)
{
    struct comparison found = {.p = NAN, .log10_p = NAN, .no_test = STATS_TOO_FEW, .ratio = {NAN, NAN, NAN}};
    struct interval interval;
    enum stats_status status = geomean_of(overall->ratios, overall->count, &found.ratio.ratio);
    if (!status)
        status = geomean_of(overall->centers, overall->count, &found.center);
    if (!status)
        status = geomean_of(overall->centers_baseline, overall->count, &found.center_baseline);
    if (status)
        return status;
    found.no_interval = geomean_interval(overall->ratios, overall->count, INTERVAL_T, confidence, &interval);
    if (!found.no_interval) {
        found.ratio.low = interval.low;
        found.ratio.high = interval.high;
    }
    *out = found;
    return STATS_OK;
}

static void overall_free(struct overall *overall)
{
    free(overall->ratios);
    free(overall->centers);
    free(overall->centers_baseline);
    *overall = (struct overall){0};
}

/* ------------------------------------------------------------------------------------------ pairs -- */

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

/* A group and its baseline, in one value column. */
struct pair {
    size_t group, baseline, value;
};

/* The result for a group and its baseline, or why there is none. */
static void tell(struct compare_task *task, const struct pair *pair, const struct comparison_side sides[2],
                 const struct comparison *found, enum stats_status status)
{
    const struct groups *groups = task->groups;
    const char *base_name = groups_name(groups, pair->baseline);
    char *owned = groups_table_label(groups, pair->group, pair->value);
    const char *label = owned ? owned : "";
    enum comparison_kind kind = kind_of(groups_unit(groups, pair->group, pair->value));
    if (status) {
        leave_out(task->report, &task->first, "%sno comparison of %zu value%s with %zu of %s: %s", label, sides[0].n,
                  sides[0].n == 1 ? "" : "s", sides[1].n, base_name, reason(task, status));
    } else {
        const struct compare_row row = {.metric =
                                            compare_has_metric(groups) ? groups->columns.values[pair->value] : NULL,
                                        .name = groups_name(groups, pair->group),
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

static int compare_pair(struct compare_task *task, const struct pair *pair)
{
    const struct series *series[2] = {groups_series(task->groups, pair->group, pair->value),
                                      groups_series(task->groups, pair->baseline, pair->value)};
    struct comparison_side sides[2] = {{.n = series[0]->n}, {.n = series[1]->n}};
    struct comparison found;
    enum stats_status status = comparison_side_init(&sides[0], series[0]);
    if (!status)
        status = comparison_side_init(&sides[1], series[1]);
    if (!status)
        status = comparison_make(&sides[0], &sides[1], &task->request, &found);
    task->rates |= kind_of(groups_unit(task->groups, pair->group, pair->value)) == COMPARISON_RATES;
    tell(task, pair, sides, &found, status);
    if (!status && compare_is_paired(task) &&
        !overall_add(&task->overall[first_alike(task, pair->group) * task->groups->columns.value_count + pair->value],
                     &found))
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
static bool same_unit(struct compare_task *task, const struct pair *pair)
{
    const char *unit = groups_unit(task->groups, pair->group, pair->value);
    const char *other = groups_unit(task->groups, pair->baseline, pair->value);
    if (!unit || strcmp(unit, other) == 0)
        return true;
    char *label = groups_table_label(task->groups, pair->group, pair->value);
    leave_out(task->report, &task->first, "%sno comparison with %s, which is not in %s but in %s", label ? label : "",
              groups_name(task->groups, pair->baseline), unit, other);
    free(label);
    return false;
}

/* False if neither has such values, or if only one has, which is reported. */
static bool is_measured(struct compare_task *task, const struct pair *pair)
{
    size_t n = groups_series(task->groups, pair->group, pair->value)->n;
    size_t n_baseline = groups_series(task->groups, pair->baseline, pair->value)->n;
    char *label = !n != !n_baseline ? groups_table_label(task->groups, pair->group, pair->value) : NULL;
    if (label)
        leave_out(task->report, &task->first, "%sonly %s has such values", label,
                  groups_name(task->groups, n ? pair->group : pair->baseline));
    free(label);
    return n && n_baseline;
}

static int compare_values(struct compare_task *task, size_t value, const size_t *partners)
{
    int status = STATUS_GOOD;
    for (size_t g = 0; g < task->groups->count && !status; g++) {
        const struct pair pair = {g, partners[g], value};
        if (partners[g] != g && partners[g] != BASELINE_NONE && is_measured(task, &pair) && same_unit(task, &pair))
            status = compare_pair(task, &pair);
    }
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
