#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/compare_pairs.h"
#include "analyze/cli/number.h"
#include "analyze/driver/tables/groups_table.h"
#include "analyze/driver/tables/report_stats.h"
#include "analyze/driver/tables/steady.h"
#include "stats/estimates/effective.h"

enum { FEW = 20 }; /* values, for the bootstrap */

static const char *compare_text_group(const struct compare_task *task)
{
    const struct rows_columns *columns = &task->groups->columns;
    return columns->groups[columns->group_count - 1 - (task->settings->request.wide_count > 0)];
}

/* What the intervals ignore. */
static void compare_warn_of_unsteady(const struct compare_task *task)
{
    unsigned jobs = task->settings->request.jobs;
    for (size_t g = 0; g < task->groups->count; g++)
        for (size_t v = 0; v < task->groups->columns.value_count; v++) {
            struct effective effective = {.ess = NAN};
            const struct series *series = groups_series(task->groups, g, v);
            char *label = groups_table_label(task->groups, g, v);
            if (series->n == 0) {
                free(label);
                continue;
            }
            if (!report_stats_exist(task->report, effective_of_series(series, jobs, &effective)))
                effective.ess = NAN;
            task->report->no_memory |= !label;
            steady_warn(series, effective.ess, jobs, label ? label : "", task->report);
            free(label);
        }
}

static void compare_note_margin(const struct compare_task *task)
{
    const double level = 1 - task->settings->confidence;
    const char *decides = task->family.tests > 0 ? "p_family" : "p";
    const char *process = task->pairing ? "pair" : task->groups->process ? task->groups->process : "run";
    report_note(task->report,
                "p tests that the ratio lies outside %.6g … %.6g: equivalent with %s below %.3g; faster, slower and so "
                "on where "
                "a test of either bound at %.3g%s shows the ratio beyond it; otherwise undecided",
                1 / (1 + task->request.margin), 1 + task->request.margin, decides, level, level / 2,
                task->family.tests > 0 ? ", adjusted likewise," : "");
    for (size_t i = 0; i < task->rows->count; i++)
        if (task->rows->rows[i].more_runs > 0) {
            report_note(task->report,
                        "more runs: how many %s%s each side lacks until about half of all such series decide, if ratio "
                        "and spread stay as they are",
                        process, strcmp(process, "process") == 0 ? "es" : "s");
            break;
        }
}

static void compare_note_test(const struct compare_task *task)
{
    char percent[NUMBER_PERCENT_MAX];
    switch (task->request.question) {
    case COMPARISON_EQUIVALENT:
        compare_note_margin(task);
        break;
    case COMPARISON_LESS:
    case COMPARISON_GREATER:
        report_note(task->report,
                    "p is one-sided and tests that values are not %s than the baseline's; intervals are two-sided",
                    task->request.question == COMPARISON_LESS ? "less" : "greater");
        break;
    default:
        report_note(task->report, "change: ~ where no difference is shown (%s at least %.3g)",
                    task->family.tests > 0 ? "p_family" : "p", 1 - task->settings->confidence);
    }
    if (task->request.method == COMPARISON_MANN_WHITNEY)
        report_note(task->report,
                    "the %s %% interval of a ratio of medians contains the factors that the test does not reject",
                    number_percent(task->settings->confidence, percent));
}

static void compare_note_pairs(const struct compare_task *task, const char *column)
{
    static const char *const notes[] = {
        [COMPARISON_PAIRED_T] = "the test is of the mean difference, and the interval of the ratio is that of the "
                                "mean difference over the baseline's mean",
        [COMPARISON_WILCOXON] = "the ratio is the median of the ratios of two pairs' sums, which signed ranks of "
                                "differences belong to",
        [COMPARISON_SIGN] = "the ratio is the median of the ratios of pairs"};
    uint64_t most = 0;
    for (size_t i = 0; i < task->groups->count * task->groups->columns.value_count; i++)
        most = task->groups->levels[i].most > most ? task->groups->levels[i].most : most;
    report_note(task->report, "values with the same '%s' are pairs, not a series, so warm-up was not searched; %s%s",
                column, notes[task->request.method],
                most > 1 ? "; several values with one text count as their mean" : "");
    if (task->equal_pairs > 0 && task->request.method != COMPARISON_PAIRED_T)
        report_note(task->report, "%zu pair%s of equal values %s left out of the test, but not of the interval",
                    task->equal_pairs, task->equal_pairs == 1 ? "" : "s", task->equal_pairs == 1 ? "is" : "are");
}

static void compare_note_effect(const struct compare_task *task)
{
    static const char *const notes[] = {
        [COMPARISON_G] =
            "effect: Hedges' g, the difference of the means in pooled standard deviations; its interval is "
            "that of noncentral t, for normal values of one variance",
        [COMPARISON_CLIFF] = "effect: Cliff's delta, how much more often a value is greater than one of the baseline's "
                             "than less, -1 to 1; its interval is Feng and Cliff's, or Wilson's for -1 and 1",
        [COMPARISON_A12] = "effect: Vargha and Delaney's A12, how often a value is greater than one of the baseline's, "
                           "0 to 1, ties counting half; its interval is Feng and Cliff's, or Wilson's for 0 and 1",
        [COMPARISON_GAV] = "effect: Hedges' g of pairs (g_av), the mean difference over the average standard deviation "
                           "of both sides; its interval is that of noncentral t, for normal differences",
        [COMPARISON_GZ] = "effect: Hedges' g of differences (g_z), their mean over their standard deviation; its "
                          "interval is that of noncentral t, for normal differences",
        [COMPARISON_RANK] = "effect: the rank-biserial correlation of pairs, the sum of the signed ranks of the "
                            "differences over that of all ranks, -1 to 1; its interval is an approximation by Fisher's "
                            "z, or Wilson's for -1 and 1"};
    if (task->request.effect)
        report_note(task->report, "%s", notes[task->request.effect]);
}

static void compare_note_columns(const struct compare_task *task)
{
    static const char rates[] = ": more is better, so speedup is the ratio itself";
    char percent[NUMBER_PERCENT_MAX];
    const struct groups *groups = task->groups;
    bool of_rates = false;
    for (size_t g = 0; g < groups->count && !of_rates; g++)
        for (size_t v = 0; v < groups->columns.value_count && !of_rates; v++)
            of_rates = direction_more_is_better(direction_of(&task->direction, groups, g, v));
    if (!groups_report_units(task->report, groups, of_rates ? rates : "") && of_rates)
        report_note(task->report, "of rates%s", rates);
    if (task->has_overall && task->zeros > 0)
        report_note(task->report, "%zu ratio%s to 0, of 0 or not defined %s not in the geometric mean", task->zeros,
                    task->zeros == 1 ? "" : "s", task->zeros == 1 ? "is" : "are");
    report_note(task->report,
                "ratio of the %s to that of %s%s, with its %s %% interval; each p is for one comparison alone",
                task->request.method == COMPARISON_MANN_WHITNEY ? "medians"
                : comparison_has_medians(task->request.method)  ? "values"
                                                                : "means",
                compare_is_paired(task) ? "the same in " : "",
                compare_is_paired(task) ? task->baseline.text : groups_name(task->groups, task->baseline.group),
                number_percent(task->settings->confidence, percent));
    if (task->settings->common.path_count > 1 && !task->settings->request.one_series_a_file &&
        !table_analyzer_groups_by(task->settings, "directory"))
        report_note(task->report, "%zu files are treated as one table, since --baseline names no file",
                    task->settings->common.path_count);
    if (task->groups->columns.text_group)
        report_note(task->report, "grouped by '%s', the only column of texts; --by overrides that",
                    compare_text_group(task));
    if (task->groups->columns.text_label)
        report_note(task->report, "texts only tell runs apart, and make no groups; --by overrides that");
    if (task->groups->columns.keyed)
        report_note(task->report,
                    "each row has its own name: rows are not a series, and were not searched for warm-up");
}

void compare_note_family(const struct compare_task *task, enum family_method method)
{
    char without[100] = "";
    size_t count = task->family.without_test;
    if (count > 0)
        snprintf(without, sizeof without, "; %zu comparison%s without p %s not among them", count,
                 count == 1 ? "" : "s", count == 1 ? "is" : "are");
    report_note(task->report,
                "p_family: p adjusted by %s for %zu test%s, which verdicts depend on%s; intervals are for one "
                "comparison alone, so one may exclude 1 where no difference is shown",
                family_name(method), task->family.tests, task->family.tests == 1 ? "" : "s", without);
}

void compare_notes(const struct compare_task *task)
{
    const struct groups *groups = task->groups;
    size_t least = SIZE_MAX;
    bool single = true; /* each group has one value */
    for (size_t g = 0; g < groups->count; g++) {
        size_t n = groups_series(groups, g, 0)->n;
        least = n < least ? n : least;
        single &= n == 1;
    }
    if (task->request.method == COMPARISON_BOOTSTRAP && least < FEW)
        report_warn(task->report,
                    "bootstrap intervals from fewer than %d values per group are too narrow; here there are %zu", FEW,
                    least);
    /* a label of each row may have been taken for the name of a benchmark */
    if (single && groups->columns.text_group && compare_is_paired(task) && !task->settings->request.wide_count)
        report_warn(task->report,
                    "each '%s' has one value per file and is compared by name; if it only tells runs apart, --by file "
                    "compares whole files",
                    compare_text_group(task));
    if (!groups->columns.keyed && !task->pairing)
        compare_warn_of_unsteady(task);
    compare_note_columns(task);
    compare_note_effect(task);
    if (task->pairing)
        compare_note_pairs(task, task->groups->process);
    compare_note_test(task);
    if (task->has_constant)
        report_note(task->report,
                    "values that do not vary on either side%s are compared as they are, without a test; a coarse clock "
                    "can hide a difference of times",
                    task->pairing ? ", or are equal in each pair," : "");
}
