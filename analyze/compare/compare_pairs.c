#include "analyze/compare/compare_pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/compare_rows.h"
#include "analyze/compare/overall.h"
#include "analyze/driver/tables/groups_table.h"
#include "analyze/driver/tables/leave_out.h"

/* ------------------------------------------------------------------------------------------ pairs -- */

bool compare_has_metric(const struct groups *groups)
{
    return groups->columns.value_count > 1;
}

bool compare_is_paired(const struct compare_task *task)
{
    return task->baseline.group == BASELINE_NONE;
}

/* Why a ratio has no interval. */
static const char *compare_no_interval_text(const struct compare_task *task, const struct comparison *found)
{
    if (found->no_interval != STATS_DOMAIN)
        return stats_status_text(found->no_interval);
    switch (task->request.method) {
    case COMPARISON_WELCH:
        return "the baseline's mean can't be told from 0";
    case COMPARISON_BOOTSTRAP:
        return "a resample's mean is not above 0";
    default:
        return "some value is not above 0";
    }
}

/* Equal values say all there is to say, and the verdict says it. */
static void compare_warn_of_gaps(struct compare_task *task, const struct comparison_side sides[2],
                                 const struct comparison *found, size_t value, const char *label)
{
    char detail[80];
    if (task->groups->columns.units[value].exact && !found->constant)
        report_warn_of(task->report, label, "", "the values are said to be exact, but vary");
    if (found->same || found->constant)
        return;
    snprintf(detail, sizeof detail, " (%zu value%s, and %zu of the baseline)", sides[0].n, sides[0].n == 1 ? "" : "s",
             sides[1].n);
    if (found->center_baseline == 0)
        report_warn_of(task->report, label, "", "no ratio to a baseline of 0");
    else if (found->no_interval && found->center > 0)
        report_warn_of(task->report, label, found->no_interval == STATS_TOO_FEW ? detail : "", "no interval: %s",
                       compare_no_interval_text(task, found));
    if (found->no_test == STATS_CONSTANT)
        report_warn_of(task->report, label, "",
                       "no p: on either side all values are equal (--method mann-whitney gives one)");
}

/* A group and its baseline, in one value column. */
struct pair {
    size_t group, baseline, value;
};

/* The result for a group and its baseline, or why there is none. */
static void compare_report_pair(struct compare_task *task, const struct pair *pair,
                                const struct comparison_side sides[2], const struct comparison *found,
                                enum stats_status status)
{
    const struct groups *groups = task->groups;
    const char *base_name = groups_name(groups, pair->baseline);
    char *owned = groups_table_label(groups, pair->group, pair->value);
    const char *label = owned ? owned : "";
    enum comparison_kind kind = direction_of(&task->direction, groups, pair->group, pair->value);
    if (status) {
        char detail[80];
        const char *reason = status != STATS_DOMAIN                            ? stats_status_text(status)
                             : task->request.method == COMPARISON_MANN_WHITNEY ? "a median is below 0"
                                                                               : "a mean is below 0";
        snprintf(detail, sizeof detail, " (%zu value%s, and %zu of the baseline)", sides[0].n,
                 sides[0].n == 1 ? "" : "s", sides[1].n);
        leave_out(task->report, &task->first, label, detail, "no comparison: %s", reason);
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
        compare_warn_of_gaps(task, sides, found, pair->value, label);
    }
    free(owned);
}

static struct overall *compare_overall_at(const struct compare_task *task, size_t group, size_t value,
                                          enum overall_class class)
{
    return &task->overall[(group * task->groups->columns.value_count + value) * OVERALL_CLASSES + class];
}

/* A ratio of 0, or to 0, has no logarithm. */
static bool compare_add_to_overall(struct compare_task *task, const struct pair *pair, const struct comparison *found)
{
    enum comparison_kind kind = direction_of(&task->direction, task->groups, pair->group, pair->value);
    if (found->center == 0 || found->center_baseline == 0) {
        task->zeros += found->center != found->center_baseline;
        return true;
    }
    /* the first group with the same text in the column of baselines represents all of them */
    size_t first = 0, column = task->baseline.column;
    while (strcmp(task->groups->texts[first][column], task->groups->texts[pair->group][column]) != 0)
        first++;
    return overall_add(compare_overall_at(task, first, pair->value, overall_class_of(kind)), found, kind);
}

static int compare_make_pair(struct compare_task *task, const struct pair *pair)
{
    const struct series *series[2] = {groups_series(task->groups, pair->group, pair->value),
                                      groups_series(task->groups, pair->baseline, pair->value)};
    struct comparison_side sides[2] = {{.n = series[0]->n}, {.n = series[1]->n}};
    struct comparison found;
    struct comparison_request request = task->request;
    request.exact = task->groups->columns.units[pair->value].exact;
    enum stats_status status = comparison_side_init(&sides[0], series[0]);
    if (!status)
        status = comparison_side_init(&sides[1], series[1]);
    if (!status)
        status = comparison_make(&sides[0], &sides[1], &request, &found);
    compare_report_pair(task, pair, sides, &found, status);
    if (!status && compare_is_paired(task) && !compare_add_to_overall(task, pair, &found))
        status = STATS_NO_MEMORY;
    comparison_side_free(&sides[0]);
    comparison_side_free(&sides[1]);
    return status == STATS_NO_MEMORY ? STATUS_BAD : STATUS_GOOD;
}

/* How many texts are compared with the baseline's in a value column, and how many classes of values it has. */
static void compare_count_overall(const struct compare_task *task, size_t value, size_t *texts, size_t *classes)
{
    *texts = *classes = 0;
    for (size_t g = 0; g < task->groups->count; g++) {
        bool any = false;
        for (enum overall_class class = 0; class < OVERALL_CLASSES; class ++)
            any |= compare_overall_at(task, g, value, class)->count > 0;
        *texts += any;
    }
    for (enum overall_class class = 0; class < OVERALL_CLASSES; class ++) {
        bool any = false;
        for (size_t g = 0; g < task->groups->count; g++)
            any |= compare_overall_at(task, g, value, class)->count > 0;
        *classes += any;
    }
}

static int compare_add_overall_row(struct compare_task *task, const struct overall *overall, const char *name,
                                   size_t value)
{
    const struct groups *groups = task->groups;
    struct comparison found;
    enum comparison_kind kind;
    if (overall_make(overall, task->settings->confidence, &found, &kind))
        return STATUS_BAD;
    const struct compare_row row = {.metric = compare_has_metric(groups) ? groups->columns.values[value] : NULL,
                                    .name = name,
                                    .baseline = "geomean",
                                    .n = overall->count,
                                    .n_baseline = overall->count,
                                    .found = &found,
                                    .kind = kind,
                                    .speedup_alone = overall_is_mixed(overall),
                                    .method = "geometric mean of ratios, t"};
    compare_rows_add(task->report, &row, true);
    task->has_overall = true;
    return STATUS_GOOD;
}

/* The geometric mean over benchmarks of the comparisons in one value column, for each text that is compared with the
 * baseline's. */
static int compare_add_overall(struct compare_task *task, size_t value)
{
    const struct groups *groups = task->groups;
    size_t texts, classes;
    int status = STATUS_GOOD;
    compare_count_overall(task, value, &texts, &classes);
    for (size_t g = 0; g < groups->count; g++)
        for (enum overall_class class = 0; class < OVERALL_CLASSES && !status; class ++) {
            const struct overall *overall = compare_overall_at(task, g, value, class);
            char name[512];
            snprintf(name, sizeof name, "%s%s%s", texts > 1 ? groups->texts[g][task->baseline.column] : "",
                     texts > 1 ? ", " : "", overall_name(class, classes > 1));
            if (overall->count >= 2)
                status = compare_add_overall_row(task, overall, name, value);
        }
    return status;
}

static bool compare_is_partner(size_t g, const size_t *partners, size_t count)
{
    for (size_t other = 0; other < count; other++)
        if (other != g && partners[other] == g)
            return true;
    return false;
}

/* The baseline of a group; one whose name has another number of processors, with a note. */
static size_t compare_find_partner(const struct compare_task *task, size_t g)
{
    const struct groups *groups = task->groups;
    size_t partner = baseline_of(groups, &task->baseline, g);
    if (partner != BASELINE_NONE)
        return partner;
    partner = baseline_like(groups, &task->baseline, g);
    if (partner != BASELINE_NONE)
        report_note(task->report, "%s is compared with %s: their names differ only in the number of processors",
                    groups_name(groups, g), groups_name(groups, partner));
    return partner;
}

/* The baseline of each group; warns about each group, on either side, without a counterpart. */
static void compare_find_partners(struct compare_task *task, size_t *partners)
{
    const struct groups *groups = task->groups;
    for (size_t g = 0; g < groups->count; g++)
        partners[g] = compare_find_partner(task, g);
    for (size_t g = 0; g < groups->count; g++) {
        const char *name = groups_name(groups, g);
        if (partners[g] == BASELINE_NONE)
            leave_out(task->report, &task->first, name, "", "%s has no such group to compare with",
                      task->baseline.text);
        else if (partners[g] == g && !compare_is_partner(g, partners, groups->count))
            leave_out(task->report, &task->first, name, "", "only %s has such a group: nothing to compare with it",
                      task->baseline.text);
    }
}

/* A ratio of nanoseconds to microseconds, or to operations per second, is meaningless. */
static bool compare_has_same_unit(struct compare_task *task, const struct pair *pair)
{
    const char *unit = groups_unit(task->groups, pair->group, pair->value);
    const char *other = groups_unit(task->groups, pair->baseline, pair->value);
    if (!unit || strcmp(unit, other) == 0)
        return true;
    char *label = groups_table_label(task->groups, pair->group, pair->value);
    leave_out(task->report, &task->first, label ? label : "", "", "no comparison with %s, which is not in %s but in %s",
              groups_name(task->groups, pair->baseline), unit, other);
    free(label);
    return false;
}

/* A ratio of what should be more to what should be less is, too. */
static bool compare_has_same_direction(struct compare_task *task, const struct pair *pair)
{
    bool more = comparison_more_is_better(direction_of(&task->direction, task->groups, pair->group, pair->value));
    if (more == comparison_more_is_better(direction_of(&task->direction, task->groups, pair->baseline, pair->value)))
        return true;
    char *label = groups_table_label(task->groups, pair->group, pair->value);
    leave_out(task->report, &task->first, label ? label : "", "", "no comparison with %s, of which %s is better",
              groups_name(task->groups, pair->baseline), more ? "less, not more," : "more, not less,");
    free(label);
    return false;
}

/* False if neither has such values, or if only one has, which is reported. */
static bool compare_is_measured(struct compare_task *task, const struct pair *pair)
{
    size_t n = groups_series(task->groups, pair->group, pair->value)->n;
    size_t n_baseline = groups_series(task->groups, pair->baseline, pair->value)->n;
    char *label = !n != !n_baseline ? groups_table_label(task->groups, pair->group, pair->value) : NULL;
    if (label)
        leave_out(task->report, &task->first, label, "", "only %s has such values",
                  groups_name(task->groups, n ? pair->group : pair->baseline));
    free(label);
    return n && n_baseline;
}

static int compare_pairs_of_value(struct compare_task *task, size_t value, const size_t *partners)
{
    int status = STATUS_GOOD;
    for (size_t g = 0; g < task->groups->count && !status; g++) {
        const struct pair pair = {g, partners[g], value};
        if (partners[g] != g && partners[g] != BASELINE_NONE && compare_is_measured(task, &pair) &&
            compare_has_same_unit(task, &pair) && compare_has_same_direction(task, &pair))
            status = compare_make_pair(task, &pair);
    }
    return status || !compare_is_paired(task) ? status : compare_add_overall(task, value);
}

int compare_all(struct compare_task *task)
{
    size_t count = task->groups->count, values = task->groups->columns.value_count;
    size_t *partners = calloc(count, sizeof *partners);
    int status = STATUS_GOOD;
    task->overall = calloc(count * values * OVERALL_CLASSES, sizeof *task->overall);
    if (!partners || !task->overall)
        status = STATUS_BAD;
    else
        compare_find_partners(task, partners);
    for (size_t v = 0; v < values && !status; v++)
        status = compare_pairs_of_value(task, v, partners);
    for (size_t i = 0; task->overall && i < count * values * OVERALL_CLASSES; i++)
        overall_free(&task->overall[i]);
    free(task->overall);
    free(partners);
    return status;
}
