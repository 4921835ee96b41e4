#include "analyze/compare/compare_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/more_runs.h"
#include "base/grow.h"
#include "table/model/p_text.h"

struct compare_cells {
    struct compare_row row;
    struct ratio ratio, speedup; /* as the tables show them; NaN: blank */
    struct column_estimate ratio_estimate, speedup_estimate;
    double ratio_half, speedup_half; /* half widths that say how many digits are shown */
    double p, log10_p, p_family, log10_p_family, center, center_baseline, change, change_low, change_high;
    struct column_estimate effect_estimate;
    double effect_half;
    const char *change_text, *p_text, *p_family_text, *verdict_text, *effect_method;
    bool has_more_runs;
};

#define MACHINE(name, type, member, text, ...)                                                                         \
    COLUMN(compare_cells, name, type, member, text, .readers = COLUMN_MACHINE, __VA_ARGS__)
#define HUMAN(name, type, member, ...)                                                                                 \
    COLUMN(compare_cells, name, type, member, NULL, .readers = COLUMN_HUMAN, __VA_ARGS__)
#define RATIO_DIGITS .half_width = offsetof(struct compare_cells, ratio_half)
#define EFFECT_DIGITS .half_width = offsetof(struct compare_cells, effect_half), .when = WITH_EFFECT
#define SPEEDUP_DIGITS .half_width = offsetof(struct compare_cells, speedup_half)

static const struct column columns[] = {
    COLUMN(compare_cells, "metric", TABLE_TEXT, row.metric, "The value column, if there are several.",
           .when = WITH_METRIC),
    COLUMN(compare_cells, "name", TABLE_TEXT, row.name,
           "The group. In the row of a geometric mean: geomean, with what it is of."),
    MACHINE("baseline", TABLE_TEXT, row.baseline,
            "The group that it is compared with. The formats for readers leave this column out if it is the same "
            "in all rows."),
    HUMAN("baseline", TABLE_TEXT, row.baseline, .when = WITH_BASELINES),
    COLUMN(compare_cells, "n", TABLE_COUNT, row.n, "The number of values of the group; of a geomean, of ratios."),
    MACHINE("n_baseline", TABLE_COUNT, row.n_baseline, "The number of values of the baseline."),
    MACHINE(
        "ratio", TABLE_REAL, ratio.ratio,
        "The mean divided by the mean of the baseline, rounded once from the exact means, so that it is the same by "
        "every method; with Mann and Whitney's test the ratio of the medians. It is blank for a baseline of 0, and "
        "in a geomean over times and rates.",
        RATIO_DIGITS),
    MACHINE("ratio_lo", TABLE_REAL, ratio.low,
            "The lower end of its interval. If one side has only one value, there is a ratio but no interval.",
            RATIO_DIGITS),
    MACHINE("ratio_hi", TABLE_REAL, ratio.high, "The upper end.", RATIO_DIGITS),
    HUMAN("ratio", TABLE_ESTIMATE, ratio_estimate),
    MACHINE("speedup", TABLE_REAL, speedup.ratio,
            "1/ratio; for rates (a unit such as ops/s), and other values of which more is better, the ratio itself.",
            SPEEDUP_DIGITS),
    HUMAN("speedup", TABLE_ESTIMATE, speedup_estimate),
    MACHINE("p", TABLE_REAL, p,
            "The two-sided p-value of this comparison alone: with many comparisons some small p occur by chance. With "
            "--alternative and --margin it is that of the test that these ask for. Welch's test "
            "gives none if both groups are constant, or if one has fewer than two values; Mann and Whitney's gives one "
            "even then. Values that are exact, such as counts, need no test if they are constant: p is blank with "
            "either. A baseline of 0 has a p, but no ratio."),
    MACHINE("log10_p", TABLE_REAL, log10_p,
            "The decimal logarithm of p; it stays exact where p is too small for a double."),
    MACHINE("p_family", TABLE_REAL, p_family,
            "With --family: p adjusted for all tests of the table, by the method of Holm or of Benjamini and Hochberg. "
            "The verdict depends on it.",
            .when = WITH_FAMILY),
    MACHINE("log10_p_family", TABLE_REAL, log10_p_family, "Its decimal logarithm.", .when = WITH_FAMILY),
    MACHINE("method", TABLE_TEXT, row.method, "The methods of the test and of the interval."),
    MACHINE("speedup_lo", TABLE_REAL, speedup.low, "The lower end of the interval of the speedup.", SPEEDUP_DIGITS),
    MACHINE("speedup_hi", TABLE_REAL, speedup.high,
            "The upper end; blank if there is none, as the interval of the ratio contains 0.", SPEEDUP_DIGITS),
    COLUMN(compare_cells, "mean", TABLE_REAL, center, "The mean, in the unit of the values.", .when = WITH_MEANS),
    COLUMN(compare_cells, "mean_baseline", TABLE_REAL, center_baseline, "The mean of the baseline.",
           .when = WITH_MEANS),
    COLUMN(compare_cells, "median", TABLE_REAL, center, "In place of mean, with Mann and Whitney's test: the median.",
           .when = WITH_MEDIANS),
    COLUMN(compare_cells, "median_baseline", TABLE_REAL, center_baseline, "In place of mean_baseline, with that test.",
           .when = WITH_MEDIANS),
    MACHINE("change", TABLE_SHARE, change,
            "ratio - 1. Text, Markdown and LaTeX give it in percent, and as ~ where no difference is shown."),
    MACHINE("change_lo", TABLE_SHARE, change_low, "The lower end of its interval: ratio_lo - 1."),
    MACHINE("change_hi", TABLE_SHARE, change_high, "The upper end: ratio_hi - 1."),
    MACHINE("effect", TABLE_REAL, effect_estimate.value,
            "With --effect: the effect size, which has no unit; positive where the values tend to be greater than the "
            "baseline's (A12: above 0.5). It is blank, with a warning, if it does not exist.",
            EFFECT_DIGITS),
    MACHINE("effect_lo", TABLE_REAL, effect_estimate.low,
            "The lower end of its interval, whose confidence is that of all intervals.", EFFECT_DIGITS),
    MACHINE("effect_hi", TABLE_REAL, effect_estimate.high, "The upper end.", EFFECT_DIGITS),
    MACHINE("effect_method", TABLE_TEXT, effect_method, "Which effect size it is, and the method of its interval.",
            .when = WITH_EFFECT),
    HUMAN("effect", TABLE_ESTIMATE, effect_estimate, .when = WITH_EFFECT),
    HUMAN("change", TABLE_TEXT, change_text),
    HUMAN("p", TABLE_TEXT, p_text),
    HUMAN("p_family", TABLE_TEXT, p_family_text, .when = WITH_FAMILY),
    MACHINE("verdict", TABLE_TEXT, row.verdict,
            "faster or slower if p (with --family p_family) is below 1 minus the confidence, otherwise no difference "
            "shown; no difference if all values of both sides are the same one, or both of each pair. Constant values "
            "that are exact are "
            "compared without p. It is blank if no test is possible. Values are taken as times unless their unit, or "
            "--higher-is-better, says otherwise: sizes are smaller or larger, other amounts less or more, and scores "
            "better or worse. With --margin: equivalent if p is below 1 minus the confidence; faster, slower and so on "
            "if the ratio lies beyond the margin (one of the two tests in the other direction has a p below half of "
            "that; --family adjusts both); otherwise undecided. With --margin, --fail-on and --pull-request, what only "
            "one side has is new or vanished."),
    HUMAN("verdict", TABLE_TEXT, verdict_text),
    MACHINE("more_runs", TABLE_COUNT, row.more_runs,
            "With --margin, if the verdict is undecided: how many more runs of each side are expected to decide, if "
            "ratio and spread stay as they are. It is blank where there are too few runs for an interval. 1000000 "
            "stands for more: the ratio lies at the margin.",
            .present = offsetof(struct compare_cells, has_more_runs), .when = WITH_MARGIN),
    HUMAN("method", TABLE_TEXT, row.method)};

const struct columns compare_tables[1] = {
    COLUMNS("One row for each group other than the baseline. If each group has a baseline of its own, those of each "
            "value end with the geometric means of two or more ratios",
            columns)};

/* A ratio that is 0, or may be, gives a speedup without an upper bound. */
static double compare_rows_inverse(double ratio)
{
    return ratio > 0 ? 1 / ratio : ratio <= 0 ? INFINITY : NAN;
}

static double compare_rows_bounded(double value)
{
    return isfinite(value) ? value : NAN;
}

/* The half width that says how many digits an interval supports: its shorter side. */
static double compare_rows_half(const struct ratio *ratio)
{
    double below = ratio->ratio - ratio->low, above = ratio->high - ratio->ratio;
    return below > 0 && !(above < below) ? below : above;
}

/* "+14.3%", as precise as the interval; "~" if no difference is shown; NULL without a ratio. */
static const char *compare_rows_change_text(const struct compare_row *row, char text[64])
{
    const struct ratio *ratio = &row->found.ratio;
    const struct ratio percent = {100 * ratio->ratio, 100 * ratio->low, 100 * ratio->high};
    int decimal_places = table_places(compare_rows_half(&percent));
    if (row->verdict && strcmp(row->verdict, "no difference shown") == 0)
        return "~";
    if (isnan(ratio->ratio) || row->speedup_alone)
        return NULL;
    decimal_places = decimal_places == TABLE_PLACES_ALL ? 2
                     : decimal_places < 0               ? 0
                     : decimal_places > 12              ? 12
                                                        : decimal_places;
    snprintf(text, 64, "%+.*f%%", decimal_places, percent.ratio - 100);
    return text;
}

static void compare_rows_report_one(const struct compare_row *row, enum comparison_effect effect, struct report *report)
{
    char change[64], p[P_TEXT_MAX], p_family[P_TEXT_MAX], verdict[MORE_RUNS_TEXT_MAX];
    const struct comparison *found = &row->found;
    const struct ratio ratio = found->ratio, none = {NAN, NAN, NAN}, shown = row->speedup_alone ? none : ratio;
    struct ratio speedup = ratio;
    if (!direction_more_is_better(row->kind))
        speedup = (struct ratio){compare_rows_inverse(ratio.ratio), compare_rows_inverse(ratio.high),
                                 compare_rows_inverse(ratio.low)};
    p_text(found->p, found->log10_p, p);
    p_text(found->family.p, found->family.log10_p, p_family);
    const struct compare_cells cells = {
        .row = *row,
        .ratio = shown,
        .speedup = {compare_rows_bounded(speedup.ratio), compare_rows_bounded(speedup.low),
                    compare_rows_bounded(speedup.high)},
        .ratio_estimate = {shown.ratio, shown.low, shown.high},
        .speedup_estimate = {compare_rows_bounded(speedup.ratio), speedup.low, speedup.high},
        .ratio_half = compare_rows_half(&ratio),
        .speedup_half = compare_rows_half(&speedup),
        .p = found->p,
        .log10_p = found->log10_p,
        .p_family = found->family.p,
        .log10_p_family = found->family.log10_p,
        .center = found->center,
        .center_baseline = found->center_baseline,
        .change = shown.ratio - 1,
        .change_low = shown.low - 1,
        .change_high = shown.high - 1,
        .effect_estimate = {found->effect.value, found->effect.low, found->effect.high},
        .effect_half = (found->effect.high - found->effect.low) / 2,
        .effect_method = isnan(found->effect.value) ? NULL : comparison_effect_label(effect, found->effect.value),
        .change_text = compare_rows_change_text(row, change),
        .p_text = p,
        .p_family_text = p_family,
        .verdict_text = more_runs_text(row->verdict, row->more_runs, verdict),
        .has_more_runs = row->more_runs > 0 && row->more_runs != MORE_RUNS_UNKNOWN};
    report_row(report, &cells);
}

void compare_rows_report(const struct compare_rows *rows, enum comparison_effect effect, struct report *report)
{
    for (size_t i = 0; i < rows->count; i++)
        compare_rows_report_one(&rows->rows[i], effect, report);
}

bool compare_rows_add(struct compare_rows *rows, const struct compare_row *row)
{
    struct compare_row *grown = grow_unset(rows->rows, &rows->capacity, rows->count, sizeof *rows->rows);
    if (grown)
        rows->rows = grown;
    char *name = grown && row->benchmark ? strdup(row->name) : NULL, *benchmark = name ? strdup(row->benchmark) : NULL;
    if (!benchmark) {
        free(name);
        return false;
    }
    rows->rows[rows->count] = *row;
    rows->rows[rows->count].name = name;
    rows->rows[rows->count++].benchmark = benchmark;
    return true;
}

void compare_rows_free(struct compare_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free((char *)(uintptr_t)rows->rows[i].name);
        free((char *)(uintptr_t)rows->rows[i].benchmark);
    }
    free(rows->rows);
    *rows = (struct compare_rows){0};
}

void compare_rows_decide(struct compare_rows *rows, const struct comparison_request *request)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct compare_row *row = &rows->rows[i];
        if (row->which == ROW_COMPARED)
            row->result = comparison_decide(&row->found, request);
        row->verdict = row->which == ROW_NEW        ? "new"
                       : row->which == ROW_VANISHED ? "vanished"
                                                    : comparison_verdict(row->result, request, row->kind);
        if (row->result == COMPARISON_UNDECIDED && request->question == COMPARISON_EQUIVALENT)
            row->more_runs = more_runs(&row->found, request, row->n, row->n_baseline);
    }
}

size_t compare_rows_count(const struct compare_rows *rows, enum compare_row_which which)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++)
        count += rows->rows[i].which == which;
    return count;
}

bool compare_row_differs(const struct compare_row *row)
{
    return row->result == COMPARISON_BELOW || row->result == COMPARISON_ABOVE;
}

bool compare_row_is_worse(const struct compare_row *row)
{
    return row->result == (direction_more_is_better(row->kind) ? COMPARISON_BELOW : COMPARISON_ABOVE);
}

enum stats_status compare_rows_adjust(struct compare_rows *rows, enum family_method method,
                                      struct compare_family *family)
{
    struct tail *tests = calloc(rows->count + 1, sizeof *tests), *outside = calloc(rows->count + 1, sizeof *outside);
    size_t count = 0;
    enum stats_status status = tests && outside ? STATS_OK : STATS_NO_MEMORY;
    *family = (struct compare_family){0};
    for (size_t i = 0; i < rows->count && !status; i++) {
        const struct comparison *found = &rows->rows[i].found;
        family->without_test += found->no_test && rows->rows[i].which == ROW_COMPARED;
        if (found->no_test)
            continue;
        tests[count] = (struct tail){found->p, found->log10_p};
        outside[count++] = found->outside_p;
    }
    family->tests = count;
    if (!status && count > 0)
        status = family_adjust(method, tests, count, tests);
    if (!status && count > 0)
        status = family_adjust(method, outside, count, outside);
    for (size_t i = 0, next = 0; i < rows->count && !status; i++) {
        struct comparison *found = &rows->rows[i].found;
        if (found->no_test)
            continue;
        found->family = tests[next];
        found->outside_p = outside[next++];
    }
    free(outside);
    free(tests);
    return status;
}
