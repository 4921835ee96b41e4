#include "analyze/compare/compare_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "table/model/p_text.h"

enum { COLUMNS_MAX = 24 };

/* Without `metric` if there is only one, and for readers without `baseline` if all have the same. */
static const struct table_column columns[] = {
    {"metric", TABLE_TEXT},      {"name", TABLE_TEXT},       {"baseline", TABLE_TEXT},   {"n", TABLE_COUNT},
    {"n_baseline", TABLE_COUNT}, {"ratio", TABLE_REAL},      {"ratio_lo", TABLE_REAL},   {"ratio_hi", TABLE_REAL},
    {"speedup", TABLE_REAL},     {"p", TABLE_REAL},          {"log10_p", TABLE_REAL},    {"method", TABLE_TEXT},
    {"speedup_lo", TABLE_REAL},  {"speedup_hi", TABLE_REAL}, {"mean", TABLE_REAL},       {"mean_baseline", TABLE_REAL},
    {"change", TABLE_SHARE},     {"change_lo", TABLE_SHARE}, {"change_hi", TABLE_SHARE}, {"verdict", TABLE_TEXT}};
static const struct table_column human_columns[] = {
    {"metric", TABLE_TEXT},    {"name", TABLE_TEXT},        {"baseline", TABLE_TEXT}, {"n", TABLE_COUNT},
    {"ratio", TABLE_ESTIMATE}, {"speedup", TABLE_ESTIMATE}, {"mean", TABLE_REAL},     {"mean_baseline", TABLE_REAL},
    {"change", TABLE_TEXT},    {"p", TABLE_TEXT},           {"verdict", TABLE_TEXT},  {"method", TABLE_TEXT}};

static struct table *compare_rows_new_table(const struct table_column *from, size_t count, bool metric, bool baseline,
                                            bool medians)
{
    struct table_column selected[COLUMNS_MAX];
    size_t selected_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct table_column column = from[i];
        if ((!metric && strcmp(column.name, "metric") == 0) || (!baseline && strcmp(column.name, "baseline") == 0))
            continue;
        if (medians && strcmp(column.name, "mean") == 0)
            column.name = "median";
        if (medians && strcmp(column.name, "mean_baseline") == 0)
            column.name = "median_baseline";
        selected[selected_count++] = column;
    }
    return table_new(selected, selected_count);
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

bool compare_rows_begin(struct report *report, bool has_metric, bool paired, bool medians)
{
    report->table = compare_rows_new_table(columns, COUNT(columns), has_metric, true, medians);
    report->human = compare_rows_new_table(human_columns, COUNT(human_columns), has_metric, paired, medians);
    return report->table && report->human;
}

/* A ratio that is 0, or may be, gives a speedup without an upper bound. */
static double compare_rows_inverse(double ratio)
{
    return ratio > 0 ? 1 / ratio : ratio <= 0 ? INFINITY : NAN;
}

static struct ratio compare_rows_speedup(const struct ratio *ratio, enum comparison_kind kind)
{
    if (comparison_more_is_better(kind))
        return *ratio;
    return (struct ratio){compare_rows_inverse(ratio->ratio), compare_rows_inverse(ratio->high),
                          compare_rows_inverse(ratio->low)};
}

static double compare_rows_bounded(double value)
{
    return isfinite(value) ? value : NAN;
}

/* The digits that an interval supports: those of its shorter side. */
static int compare_rows_decimal_places(const struct ratio *ratio)
{
    double below = ratio->ratio - ratio->low, above = ratio->high - ratio->ratio;
    return table_places(below > 0 && !(above < below) ? below : above);
}

static void compare_rows_add_text(struct table *table, const char *text)
{
    if (text)
        table_text(table, text);
    else
        table_blank(table);
}

static void compare_rows_start_row(struct table *table, const struct compare_row *row, bool baseline)
{
    if (row->metric)
        table_text(table, row->metric);
    table_text(table, row->name);
    if (baseline)
        table_text(table, row->baseline);
    table_count(table, row->n);
}

static void compare_rows_add_machine_row(struct table *table, const struct compare_row *row)
{
    const struct comparison *found = row->found;
    const struct ratio *ratio = &found->ratio, speedup = compare_rows_speedup(ratio, row->kind);
    const struct ratio shown = row->speedup_alone ? (struct ratio){NAN, NAN, NAN} : *ratio;
    int decimal_places = compare_rows_decimal_places(ratio), speedup_places = compare_rows_decimal_places(&speedup);
    compare_rows_start_row(table, row, true);
    table_count(table, row->n_baseline);
    table_rounded(table, shown.ratio, decimal_places);
    table_rounded(table, shown.low, decimal_places);
    table_rounded(table, shown.high, decimal_places);
    table_rounded(table, compare_rows_bounded(speedup.ratio), speedup_places);
    table_real(table, found->p);
    table_real(table, found->log10_p);
    table_text(table, row->method);
    table_rounded(table, compare_rows_bounded(speedup.low), speedup_places);
    table_rounded(table, compare_rows_bounded(speedup.high), speedup_places);
    table_real(table, found->center);
    table_real(table, found->center_baseline);
    table_real(table, shown.ratio - 1);
    table_real(table, shown.low - 1);
    table_real(table, shown.high - 1);
    compare_rows_add_text(table, row->verdict);
}

/* "+14.3%", as precise as the interval; "~" if no difference is shown; "" without a ratio. */
static void compare_rows_change_text(const struct compare_row *row, char text[64])
{
    const struct ratio *ratio = &row->found->ratio;
    const struct ratio percent = {100 * ratio->ratio, 100 * ratio->low, 100 * ratio->high};
    int decimal_places = compare_rows_decimal_places(&percent);
    *text = '\0';
    if (row->verdict && strcmp(row->verdict, "no difference shown") == 0)
        strcpy(text, "~");
    else if (!isnan(ratio->ratio) && !row->speedup_alone)
        snprintf(text, 64, "%+.*f%%",
                 decimal_places == TABLE_PLACES_ALL ? 2
                 : decimal_places < 0               ? 0
                 : decimal_places > 12              ? 12
                                                    : decimal_places,
                 percent.ratio - 100);
}

static void compare_rows_add_human_row(struct table *table, const struct compare_row *row, bool baseline)
{
    char change[64];
    const struct comparison *found = row->found;
    const struct ratio *ratio = &found->ratio, speedup = compare_rows_speedup(ratio, row->kind);
    compare_rows_start_row(table, row, baseline);
    if (row->speedup_alone)
        table_blank(table);
    else
        table_estimate(table, ratio->ratio, ratio->low, ratio->high);
    table_estimate(table, compare_rows_bounded(speedup.ratio), speedup.low, speedup.high);
    table_real(table, found->center);
    table_real(table, found->center_baseline);
    compare_rows_change_text(row, change);
    compare_rows_add_text(table, *change ? change : NULL);
    table_p(table, found->p, found->log10_p);
    compare_rows_add_text(table, row->verdict);
    table_text(table, row->method);
}

void compare_rows_add(struct report *report, const struct compare_row *row, bool paired)
{
    compare_rows_add_machine_row(report->table, row);
    compare_rows_add_human_row(report->human, row, paired);
}
