#include "analyze/compare/compare_pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/compare_missing.h"
#include "analyze/compare/overall.h"
#include "analyze/driver/tables/groups_table.h"
#include "analyze/driver/tables/leave_out.h"

bool compare_is_paired(const struct compare_task *task)
{
    return task->baseline.group == BASELINE_NONE;
}

/* Equal values say all there is to say, and the verdict says it. */
static void compare_warn_of_gaps(struct compare_task *task, const struct comparison_side sides[2],
                                 const struct comparison *found, size_t value, const char *label)
{
    static const char *const domain[] = {[COMPARISON_WELCH] = "the baseline's mean can't be told from 0",
                                         [COMPARISON_BOOTSTRAP] = "a resample's mean is not above 0",
                                         [COMPARISON_MANN_WHITNEY] = "some value is not above 0",
                                         [COMPARISON_PAIRED_T] = "the baseline's mean is not above 0",
                                         [COMPARISON_WILCOXON] = "some value is not above 0",
                                         [COMPARISON_SIGN] = "some value is not above 0"};
    char detail[80];
    if (task->groups->columns.units[value].exact && !found->constant)
        report_warn_of(task->report, label, "", "the values are said to be exact, but vary");
    const char *reason = found->effect.no_interval == STATS_CONSTANT && task->pairing
                             ? "all differences are equal"
                             : stats_status_text(found->effect.no_interval);
    if (task->request.effect && isnan(found->effect.value))
        report_warn_of(task->report, label, "", "no effect size: %s", reason);
    else if (task->request.effect && found->effect.no_interval)
        report_warn_of(task->report, label, "", "no interval of the effect size: %s", reason);
    if (found->same || found->constant)
        return;
    snprintf(detail, sizeof detail, " (%zu value%s, and %zu of the baseline)", sides[0].n, sides[0].n == 1 ? "" : "s",
             sides[1].n);
    if (found->center_baseline == 0)
        report_warn_of(task->report, label, "", "no ratio to a baseline of 0");
    else if (found->no_interval == STATS_TOO_FEW && sides[0].n > 1 && sides[1].n == 1)
        report_warn_of(task->report, label, "", "no interval: the baseline has only one value");
    else if (found->no_interval && found->center > 0)
        report_warn_of(task->report, label, found->no_interval == STATS_TOO_FEW ? detail : "", "no interval: %s",
                       found->no_interval == STATS_DOMAIN ? domain[task->request.method]
                                                          : stats_status_text(found->no_interval));
    if (found->no_test == STATS_CONSTANT && task->pairing)
        report_warn_of(task->report, label, "", "no p: all differences are equal (--method sign gives one)");
    else if (found->no_test == STATS_CONSTANT)
        report_warn_of(task->report, label, "",
                       "no p: on either side all values are equal (--method mann-whitney gives one)");
}

/* ------------------------------------------------------------------------------------------ geometric means -- */

static struct overall *compare_overall_at(const struct compare_task *task, size_t group, size_t value,
                                          enum overall_class class)
{
    return &task->overall[(group * task->groups->columns.value_count + value) * OVERALL_CLASSES + class];
}

/* A ratio of 0, or to 0, has no logarithm, and one of ranks or signs of values that are not all above 0 does not exist.
 */
static bool compare_add_to_overall(struct compare_task *task, size_t group, size_t value, enum direction_kind kind,
                                   const struct comparison *found)
{
    if (found->center == 0 || found->center_baseline == 0 || isnan(found->ratio.ratio)) {
        task->zeros += found->center != found->center_baseline || found->center > 0;
        return true;
    }
    size_t first = compare_first_alike(task, group); /* represents all groups with its text */
    return overall_add(compare_overall_at(task, first, value, overall_class_of(kind)), found, kind);
}

static int compare_add_overall_row(struct compare_task *task, const struct overall *overall, const char *name,
                                   size_t value)
{
    struct comparison found;
    enum direction_kind kind;
    if (overall_make(overall, task->settings->confidence, &found, &kind))
        return STATUS_BAD;
    bool one_unit = !overall_is_mixed(overall) && groups_other_unit(task->groups, value) == SIZE_MAX;
    const struct compare_row row = {.which = ROW_OVERALL,
                                    .metric = task->groups->columns.values[value],
                                    .name = name,
                                    .baseline = "geomean",
                                    .benchmark = name,
                                    .unit = one_unit ? groups_unit(task->groups, 0, value) : NULL,
                                    .n = overall->count,
                                    .n_baseline = overall->count,
                                    .found = found,
                                    .kind = kind,
                                    .speedup_alone = overall_is_mixed(overall),
                                    .method = "geometric mean of ratios, t"};
    if (!compare_rows_add(task->rows, &row))
        return STATUS_BAD;
    task->has_overall = true;
    return STATUS_GOOD;
}

/* The geometric mean over benchmarks of the comparisons in one value column, for each text that is compared with the
 * baseline's. */
static int compare_add_overall(struct compare_task *task, size_t value)
{
    const struct groups *groups = task->groups;
    size_t texts = 0, classes = 0; /* those that have comparisons */
    bool any_of[OVERALL_CLASSES] = {false};
    int status = STATUS_GOOD;
    for (size_t g = 0; g < groups->count; g++) {
        bool any = false;
        for (enum overall_class class = 0; class < OVERALL_CLASSES; class ++) {
            bool has = compare_overall_at(task, g, value, class)->count > 0;
            any |= has;
            any_of[class] |= has;
        }
        texts += any;
    }
    for (enum overall_class class = 0; class < OVERALL_CLASSES; class ++)
        classes += any_of[class];
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

/* ------------------------------------------------------------------------------------------ pairs -- */

/* A group and its baseline, in one value column. */
struct pair {
    size_t group, baseline, value;
};

/* Leaves values without a partner out, of both series, with a warning. */
static enum stats_status compare_match(struct compare_task *task, const struct pair *pair, const char *label,
                                       struct series matched[2], const struct series *series[2])
{
    const size_t group[] = {pair->group, pair->baseline};
    enum stats_status status = pairing_match(task->pairing, task->groups, group, pair->value, matched);
    if (status)
        return status;
    size_t n = matched[0].n, lone[] = {series[0]->n - n, series[1]->n - n};
    if (lone[0] + lone[1] > 0)
        report_warn(task->report, "%s%s%zu pair%s; %zu value%s, and %zu of the baseline, without a partner %s left out",
                    label, *label ? ": " : "", n, n == 1 ? "" : "s", lone[0], lone[0] == 1 ? "" : "s", lone[1],
                    lone[0] + lone[1] == 1 ? "is" : "are");
    series[0] = &matched[0];
    series[1] = &matched[1];
    return STATS_OK;
}

/* Adds the row of a comparison that could be made. STATUS_BAD without memory. */
static int compare_add_pair(struct compare_task *task, const struct pair *pair, const struct comparison_side sides[2],
                            const struct comparison *found, const struct comparison_request *request)
{
    const struct groups *groups = task->groups;
    enum direction_kind kind = direction_of(&task->direction, groups, pair->group, pair->value);
    char *benchmark = compare_benchmark(task, pair->group, groups->texts[pair->group][task->baseline.column]);
    const struct compare_row row = {.which = ROW_COMPARED,
                                    .metric = groups->columns.values[pair->value],
                                    .name = groups_name(groups, pair->group),
                                    .baseline = groups_name(groups, pair->baseline),
                                    .benchmark = benchmark,
                                    .unit = groups_unit(groups, pair->group, pair->value),
                                    .n = sides[0].n,
                                    .n_baseline = sides[1].n,
                                    .found = *found,
                                    .kind = kind,
                                    .method = comparison_label(found, request)};
    bool added = compare_rows_add(task->rows, &row);
    if (added && compare_is_paired(task))
        added = compare_add_to_overall(task, pair->group, pair->value, kind, found);
    task->has_constant |= found->constant && !groups->columns.units[pair->value].exact;
    free(benchmark);
    return added ? STATUS_GOOD : STATUS_BAD;
}

/* Adds the row of a pair, or says why there is none. */
static int compare_make_pair(struct compare_task *task, const struct pair *pair)
{
    const struct groups *groups = task->groups;
    const struct series *series[2] = {groups_series(groups, pair->group, pair->value),
                                      groups_series(groups, pair->baseline, pair->value)};
    struct series matched[2] = {{0}, {0}};
    struct comparison_side sides[2] = {{.n = 0}, {.n = 0}};
    struct comparison found;
    struct comparison_request request = task->request;
    char detail[80], *owned = groups_table_label(groups, pair->group, pair->value);
    const char *label = owned ? owned : "";
    enum stats_status status = task->pairing ? compare_match(task, pair, label, matched, series) : STATS_OK;
    request.exact = groups->columns.units[pair->value].exact || (task->decides && series[0]->n > 1 && series[1]->n > 1);
    if (!status)
        status = comparison_side_init(&sides[0], series[0]);
    if (!status)
        status = comparison_side_init(&sides[1], series[1]);
    if (!status)
        status = comparison_make(&sides[0], &sides[1], &request, &found);
    if (status) {
        bool medians = comparison_has_medians(request.method);
        snprintf(detail, sizeof detail, " (%zu value%s, and %zu of the baseline)", series[0]->n,
                 series[0]->n == 1 ? "" : "s", series[1]->n);
        task->rows->left_out++;
        leave_out(task->report, &task->first, label, detail, "no comparison: %s",
                  status != STATS_DOMAIN ? stats_status_text(status)
                  : medians              ? "a median is below 0"
                                         : "a mean is below 0");
    } else {
        if (compare_add_pair(task, pair, sides, &found, &request) != STATUS_GOOD)
            status = STATS_NO_MEMORY;
        task->equal_pairs += found.zeros;
        compare_warn_of_gaps(task, sides, &found, pair->value, label);
    }
    free(owned);
    for (size_t i = 0; i < 2; i++) {
        comparison_side_free(&sides[i]);
        series_free(&matched[i]);
    }
    return status == STATS_NO_MEMORY ? STATUS_BAD : STATUS_GOOD;
}

/* A ratio of nanoseconds to microseconds, or to operations per second, is meaningless; so is one of what should be more
 * to what should be less. */
static bool compare_is_comparable(struct compare_task *task, const struct pair *pair)
{
    const struct groups *groups = task->groups;
    size_t n = groups_series(groups, pair->group, pair->value)->n;
    size_t n_baseline = groups_series(groups, pair->baseline, pair->value)->n;
    const char *base_name = groups_name(groups, pair->baseline);
    const char *unit = groups_unit(groups, pair->group, pair->value);
    bool more = direction_more_is_better(direction_of(&task->direction, groups, pair->group, pair->value));
    bool same = more == direction_more_is_better(direction_of(&task->direction, groups, pair->baseline, pair->value));
    bool one_unit = !unit || strcmp(unit, groups_unit(groups, pair->baseline, pair->value)) == 0;
    if ((n && n_baseline && one_unit && same) || (!n && !n_baseline))
        return n > 0;
    char *owned = groups_table_label(groups, pair->group, pair->value);
    const char *label = owned ? owned : "";
    task->rows->left_out += n && n_baseline;
    if (!n || !n_baseline)
        leave_out(task->report, &task->first, label, "", "only %s has such values",
                  n ? groups_name(groups, pair->group) : base_name);
    else if (!one_unit)
        leave_out(task->report, &task->first, label, "", "no comparison with %s, which is not in %s but in %s",
                  base_name, unit, groups_unit(groups, pair->baseline, pair->value));
    else
        leave_out(task->report, &task->first, label, "", "no comparison with %s, of which %s is better", base_name,
                  more ? "less, not more," : "more, not less,");
    free(owned);
    return false;
}

/* The baseline of each group, perhaps one whose name has another number of processors, or the only other one, with a
 * note; warns about each group, on either side, without a counterpart, unless that gets a row. */
static void compare_find_partners(struct compare_task *task, size_t *partners)
{
    const struct groups *groups = task->groups;
    for (size_t g = 0; g < groups->count; g++) {
        partners[g] = baseline_of(groups, &task->baseline, g);
        if (partners[g] != BASELINE_NONE)
            continue;
        partners[g] = baseline_like(groups, &task->baseline, g);
        bool like = partners[g] != BASELINE_NONE;
        if (!like)
            partners[g] = baseline_of_file(groups, &task->baseline, g);
        if (partners[g] != BASELINE_NONE)
            report_note(task->report, "%s is compared with %s: %s", groups_name(groups, g),
                        groups_name(groups, partners[g]),
                        like ? "their names differ only in the number of processors"
                             : "their names differ, but they are the only ones of their files");
    }
    for (size_t g = 0; g < groups->count && !task->decides; g++) {
        const char *name = groups_name(groups, g);
        bool is_partner = false;
        for (size_t other = 0; other < groups->count && !is_partner; other++)
            is_partner = other != g && partners[other] == g;
        if (partners[g] == BASELINE_NONE)
            leave_out(task->report, &task->first, name, "", "%s has no such group to compare with",
                      task->baseline.text);
        else if (partners[g] == g && !is_partner)
            leave_out(task->report, &task->first, name, "", "only %s has such a group: nothing to compare with it",
                      task->baseline.text);
    }
}

int compare_all(struct compare_task *task)
{
    size_t count = task->groups->count, values = task->groups->columns.value_count;
    size_t *partners = calloc(count, sizeof *partners);
    task->overall = calloc(count * values * OVERALL_CLASSES, sizeof *task->overall);
    int status = partners && task->overall ? STATUS_GOOD : STATUS_BAD;
    if (!status)
        compare_find_partners(task, partners);
    task->text_count = compare_text_count(task);
    for (size_t v = 0; v < values && !status; v++) {
        for (size_t g = 0; g < count && !status; g++) {
            const struct pair pair = {g, partners[g], v};
            bool is_one_sided = false;
            if (task->decides && pair.baseline != g)
                status = compare_add_one_sided(task, g, pair.baseline, v, &is_one_sided);
            if (!status && !is_one_sided && pair.baseline != g && pair.baseline != BASELINE_NONE &&
                compare_is_comparable(task, &pair))
                status = compare_make_pair(task, &pair);
        }
        if (!status && task->decides)
            status = compare_add_vanished(task, partners, v);
        if (!status && compare_is_paired(task))
            status = compare_add_overall(task, v);
    }
    for (size_t i = 0; task->overall && i < count * values * OVERALL_CLASSES; i++)
        overall_free(&task->overall[i]);
    free(task->overall);
    free(partners);
    return status;
}
