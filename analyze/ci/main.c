/*
 * assay ci - how large is it, and how certain is that? Mean with its confidence interval, for each group of values.
 *
 * Input: tables. Values by group.
 * Columns: the group columns; n; mean, sd (divisor n−1), sem, lo, hi, half_width, median, min, max in the unit of the
 * values; cv = sd/mean; method of the interval; geomean (of positive values); lag1, the autocorrelation at lag 1 in row
 * order; ess, the effective sample size of the mean. Methods: t, Student's t on n−1 degrees of freedom; z, the normal
 * quantile, as in the papers; ess, Student's t corrected for autocorrelation; geomean, t on the logarithms (then lo and
 * hi are around geomean); median, between two order statistics, for any distribution (then around the median).
 * --percentiles adds a column for each. Source: stats/estimates/interval.h, stats/estimates/effective.h,
 * stats/estimates/geomean.h, stats/estimates/median.h, stats/estimates/order.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/number.h"
#include "analyze/driver/tables/groups_table.h"
#include "analyze/driver/tables/steady.h"
#include "analyze/driver/tables/table_analyzer.h"
#include "stats/autocorrelation/series_autocorrelation.h"
#include "stats/estimates/effective.h"
#include "stats/estimates/geomean.h"
#include "stats/estimates/interval.h"
#include "stats/estimates/median.h"
#include "stats/estimates/order.h"
#include "stats/estimates/runs_needed.h"

enum { PERCENTILES_MAX = 16 };

static struct {
    double wanted; /* half width as a share of the mean; 0: not requested */
    double percentiles[PERCENTILES_MAX];
    char percentile_names[PERCENTILES_MAX][32]; /* "p99.9" */
    size_t percentile_count;
} options;

static const bool keeps_values = true;
static const char *const methods[] = {"t", "z", "ess", "geomean", "median", NULL};
static const char *const figures[] = {"bars", "boxplot", "boxplot-tukey", NULL};
static const struct table_column columns[] = {
    {"n", TABLE_COUNT},     {"mean", TABLE_REAL},   {"sd", TABLE_REAL},      {"cv", TABLE_REAL},
    {"sem", TABLE_REAL},    {"lo", TABLE_REAL},     {"hi", TABLE_REAL},      {"half_width", TABLE_REAL},
    {"method", TABLE_TEXT}, {"median", TABLE_REAL}, {"geomean", TABLE_REAL}, {"min", TABLE_REAL},
    {"max", TABLE_REAL},    {"lag1", TABLE_REAL},   {"ess", TABLE_REAL}};
static const struct table_column human_columns[] = {{"n", TABLE_COUNT},  {"mean", TABLE_ESTIMATE}, {"sd", TABLE_REAL},
                                                    {"cv", TABLE_SHARE}, {"median", TABLE_REAL},   {"min", TABLE_REAL},
                                                    {"max", TABLE_REAL}, {"geomean", TABLE_REAL},  {"lag1", TABLE_REAL},
                                                    {"ess", TABLE_REAL}};

/* The interval of a geometric mean is not symmetric around it. */
static const struct table_column geomean_columns[] = {
    {"n", TABLE_COUNT},   {"geomean", TABLE_REAL}, {"lo", TABLE_REAL},     {"hi", TABLE_REAL},
    {"mean", TABLE_REAL}, {"sd", TABLE_REAL},      {"median", TABLE_REAL}, {"min", TABLE_REAL},
    {"max", TABLE_REAL},  {"lag1", TABLE_REAL},    {"ess", TABLE_REAL}};

/* Neither is that of a median. */
static const struct table_column median_columns[] = {
    {"n", TABLE_COUNT},   {"median", TABLE_REAL}, {"lo", TABLE_REAL},      {"hi", TABLE_REAL},
    {"mean", TABLE_REAL}, {"sd", TABLE_REAL},     {"geomean", TABLE_REAL}, {"min", TABLE_REAL},
    {"max", TABLE_REAL},  {"lag1", TABLE_REAL},   {"ess", TABLE_REAL}};

struct summary {
    uint64_t n, runs_needed;
    double mean, sd, median, geomean, min, max, lag1, ess;
    double percentiles[PERCENTILES_MAX];
    double median_low, median_high;  /* if the method needs them */
    enum stats_status median_status; /* why there are none */
    struct interval interval;        /* all NaN if there is none */
    enum stats_status why;           /* there is none */
};

static enum stats_status ci_find_order_statistics(const struct series *series, double confidence,
                                                  struct summary *summary)
{
    double *sorted = malloc(series->n * sizeof *sorted);
    if (!sorted)
        return STATS_NO_MEMORY;
    series_to_sorted(series, sorted);
    summary->min = sorted[0];
    summary->max = sorted[series->n - 1];
    enum stats_status status = order_quantile(sorted, series->n, 0.5, &summary->median);
    for (size_t i = 0; i < options.percentile_count && !status; i++)
        status = order_quantile(sorted, series->n, options.percentiles[i] / 100, &summary->percentiles[i]);
    summary->median_status =
        median_interval(sorted, series->n, confidence, &summary->median_low, &summary->median_high);
    if (geomean_of(sorted, series->n, &summary->geomean) != STATS_OK)
        summary->geomean = NAN;
    free(sorted);
    return status;
}

static enum stats_status ci_find_geomean(const struct series *series, double confidence, struct interval *out)
{
    double *x = malloc(series->n * sizeof *x);
    if (!x)
        return STATS_NO_MEMORY;
    series_to_doubles(series, x);
    enum stats_status status = geomean_interval(x, series->n, INTERVAL_T, confidence, out);
    free(x);
    return status;
}

static enum stats_status ci_find_interval(const struct series *series, const struct table_settings *settings,
                                          const struct summary *summary, struct interval *out)
{
    struct effective effective;
    const char *method = settings->method;
    double confidence = settings->confidence;
    if (summary->n < 2)
        return STATS_TOO_FEW;
    if (strcmp(method, "median") == 0) {
        double below = summary->median - summary->median_low, above = summary->median_high - summary->median;
        if (!summary->median_status)
            *out = (struct interval){summary->median, summary->median_low, summary->median_high, fmax(below, above)};
        return summary->median_status;
    }
    if (strcmp(method, "geomean") == 0)
        return ci_find_geomean(series, confidence, out);
    if (strcmp(method, "ess") != 0)
        return interval_mean_of(summary->n, summary->mean, summary->sd, *method == 'z' ? INTERVAL_Z : INTERVAL_T,
                                confidence, out);
    enum stats_status status = effective_of_series(series, settings->request.jobs, &effective);
    return status ? status : effective_interval(&effective, summary->n, summary->mean, summary->sd, confidence, out);
}

/* Autocorrelated runs count for less: n of them for ess independent ones. 0: unknown. */
static uint64_t ci_find_runs_needed(const struct summary *summary, const struct table_settings *settings)
{
    uint64_t runs;
    double half = options.wanted * fabs(summary->mean);
    bool corrected = strcmp(settings->method, "ess") == 0;
    double sd = corrected ? summary->sd * sqrt((double)summary->n / summary->ess) : summary->sd;
    return runs_needed((struct runs_pilot){summary->n, sd}, half, settings->confidence, &runs) == STATS_OK ? runs : 0;
}

static enum stats_status ci_summarize(const struct series *series, const struct table_settings *settings,
                                      struct summary *out)
{
    struct real_moments moments;
    struct effective effective;
    *out = (struct summary){.n = series->n, .sd = NAN, .lag1 = NAN, .ess = NAN, .interval = {NAN, NAN, NAN, NAN}};
    real_moments_of_series(series, &moments);
    enum stats_status status = real_moments_mean(&moments, &out->mean);
    if (!status)
        status = ci_find_order_statistics(series, settings->confidence, out);
    if (!status && series->n > 1)
        status = real_moments_sd(&moments, &out->sd);
    if (status)
        return status;
    if (series_autocorrelation(series, 1, 1, &out->lag1) != STATS_OK)
        out->lag1 = NAN;
    if (effective_of_series(series, settings->request.jobs, &effective) == STATS_OK)
        out->ess = effective.ess;
    out->why = ci_find_interval(series, settings, out, &out->interval);
    out->runs_needed = ci_find_runs_needed(out, settings);
    return STATS_OK;
}

static void ci_add_runs_needed(struct table *table, const struct summary *summary)
{
    if (options.wanted > 0 && summary->runs_needed > 0) {
        table_count(table, summary->runs_needed);
        table_count(table, summary->runs_needed > summary->n ? summary->runs_needed - summary->n : 0);
    } else if (options.wanted > 0) {
        table_blank(table);
        table_blank(table);
    }
}

/* For values about as certain as the mean, but without an interval of their own for rounding. */
static int ci_one_more_digit(int decimal_places)
{
    return decimal_places == TABLE_PLACES_ALL ? decimal_places : decimal_places + 1;
}

/* By the nearer bound, if the interval is not symmetric. */
static int ci_decimal_places(const struct interval *interval)
{
    return table_places(fmin(interval->high - interval->mean, interval->mean - interval->low));
}

static bool ci_is_geomean(const struct table_settings *settings)
{
    return strcmp(settings->method, "geomean") == 0;
}

static bool ci_is_median(const struct table_settings *settings)
{
    return strcmp(settings->method, "median") == 0;
}

static void ci_add_percentiles(struct table *table, const struct summary *summary)
{
    for (size_t i = 0; i < options.percentile_count; i++)
        table_real(table, summary->percentiles[i]);
}

static void ci_add_row(struct table *table, const struct summary *summary, const char *method)
{
    const struct interval *interval = &summary->interval;
    int decimal_places = ci_decimal_places(interval);
    table_count(table, summary->n);
    table_rounded(table, summary->mean, decimal_places);
    table_real(table, summary->sd);
    table_real(table, summary->sd / summary->mean);
    table_real(table, summary->sd / sqrt((double)summary->n));
    table_rounded(table, interval->low, decimal_places);
    table_rounded(table, interval->high, decimal_places);
    table_rounded(table, interval->half, decimal_places);
    table_text(table, method);
    table_rounded(table, summary->median, ci_one_more_digit(decimal_places));
    table_rounded(table, summary->geomean, ci_one_more_digit(decimal_places));
    table_real(table, summary->min);
    table_real(table, summary->max);
    table_real(table, summary->lag1);
    table_real(table, summary->ess);
    ci_add_percentiles(table, summary);
    ci_add_runs_needed(table, summary);
}

/* `median`: the interval is that of the median, else of the geometric mean. */
static void ci_add_skewed_row(struct table *table, const struct summary *summary, bool median)
{
    int decimal_places = ci_decimal_places(&summary->interval);
    table_count(table, summary->n);
    table_rounded(table, median ? summary->median : summary->geomean, decimal_places);
    table_rounded(table, summary->interval.low, decimal_places);
    table_rounded(table, summary->interval.high, decimal_places);
    table_rounded(table, summary->mean, decimal_places);
    table_real(table, summary->sd);
    table_rounded(table, median ? summary->geomean : summary->median, ci_one_more_digit(decimal_places));
    table_real(table, summary->min);
    table_real(table, summary->max);
    table_rounded(table, summary->lag1, 2);
    table_rounded(table, summary->ess, 0);
    ci_add_percentiles(table, summary);
}

static void ci_add_human_row(struct table *table, const struct summary *summary)
{
    int decimal_places = ci_decimal_places(&summary->interval);
    double sd_error = summary->sd / sqrt(2 * ((double)summary->n - 1));
    table_count(table, summary->n);
    table_estimate(table, summary->mean, summary->interval.low, summary->interval.high);
    table_rounded(table, summary->sd, table_places(sd_error));
    table_real(table, summary->sd / summary->mean);
    table_rounded(table, summary->median, ci_one_more_digit(decimal_places));
    table_real(table, summary->min);
    table_real(table, summary->max);
    table_rounded(table, summary->geomean, ci_one_more_digit(decimal_places));
    table_rounded(table, summary->lag1, 2);
    table_rounded(table, summary->ess, 0);
    ci_add_percentiles(table, summary);
    ci_add_runs_needed(table, summary);
}

/* For a figure whose bars are geometric means or medians. */
static const struct table_column bar_columns[] = {
    {"n", TABLE_COUNT}, {"mean", TABLE_REAL}, {"lo", TABLE_REAL}, {"hi", TABLE_REAL}, {"method", TABLE_TEXT}};

static int ci_add_group(const struct groups *groups, size_t g, size_t v, const struct table_settings *settings,
                        struct report *report, struct error_text *message)
{
    struct summary summary;
    bool median = ci_is_median(settings);
    const struct series *series = groups_series(groups, g, v);
    char *label = groups_table_label(groups, g, v);
    enum stats_status status = label ? ci_summarize(series, settings, &summary) : STATS_NO_MEMORY;
    if (status)
        error_set(message, STATUS_BAD, "%s%s%s", label ? label : "", label && *label ? ": " : "",
                  stats_status_text(status));
    else if (summary.why)
        report_warn_of(report, label, "", "no interval: %s", stats_status_text(summary.why));
    if (!status && !groups->columns.keyed && !ci_is_geomean(settings))
        steady_warn(series, strcmp(settings->method, "ess") == 0 ? NAN : summary.ess, settings->request.jobs, label,
                    report);
    free(label);
    if (status)
        return STATUS_BAD;
    groups_table_begin(report->table, groups, g, v);
    ci_add_row(report->table, &summary, settings->method);
    groups_table_begin(report->human, groups, g, v);
    if (ci_is_geomean(settings) || median)
        ci_add_skewed_row(report->human, &summary, median);
    else
        ci_add_human_row(report->human, &summary);
    if (report->figure && (ci_is_geomean(settings) || median) && strcmp(settings->figure, "bars") == 0) {
        groups_table_begin(report->figure, groups, g, v);
        table_count(report->figure, summary.n);
        table_real(report->figure, median ? summary.median : summary.geomean);
        table_real(report->figure, summary.interval.low);
        table_real(report->figure, summary.interval.high);
        table_text(report->figure, median ? "median" : "geomean");
    }
    return STATUS_GOOD;
}

/* The program's columns, those of percentiles, and at the end, if requested, those of runs_needed. */
static struct table *ci_new_table(const struct groups *groups, const struct table_column *from, size_t count,
                                  bool needed)
{
    struct table_column all[32 + PERCENTILES_MAX];
    memcpy(all, from, count * sizeof *all);
    for (size_t i = 0; i < options.percentile_count; i++)
        all[count++] = (struct table_column){options.percentile_names[i], TABLE_REAL};
    if (needed && options.wanted > 0) {
        all[count++] = (struct table_column){"runs_needed", TABLE_COUNT};
        all[count++] = (struct table_column){"more_runs", TABLE_COUNT};
    }
    return groups_table_new(groups, all, count);
}

static bool ci_new_tables(const struct groups *groups, const struct table_settings *settings, struct report *report)
{
    bool bars = strcmp(settings->figure, "bars") == 0;
    /* bars of means show the table itself */
    bool needed = report->wants_figure && (!bars || ci_is_geomean(settings) || ci_is_median(settings));
    report->table = ci_new_table(groups, TABLE_COLUMNS(columns), true);
    report->human = ci_is_geomean(settings)  ? ci_new_table(groups, TABLE_COLUMNS(geomean_columns), false)
                    : ci_is_median(settings) ? ci_new_table(groups, TABLE_COLUMNS(median_columns), false)
                                             : ci_new_table(groups, TABLE_COLUMNS(human_columns), true);
    if (needed)
        report->figure = bars ? groups_table_new(groups, TABLE_COLUMNS(bar_columns)) : groups_values_table(groups);
    return report->table && report->human && (report->figure || !needed);
}

static void ci_note_columns(const struct groups *groups, const struct table_settings *settings, struct report *report)
{
    static const char *const meanings[] = {"Student's t", "normal quantile (at n = 30 a 95 % interval covers 94.0 %)",
                                           "Student's t, corrected for autocorrelation",
                                           "of the geometric mean, Student's t on the logarithms",
                                           "of the median, between order statistics: at least that sure"};
    static char label[256];
    char percent[NUMBER_PERCENT_MAX];
    const struct rows_columns *found = &groups->columns;
    const char *unit = groups_common_unit(groups);
    const char *what = strcmp(settings->figure, "bars") != 0 ? ""
                       : ci_is_geomean(settings)             ? "Geometric mean of "
                       : ci_is_median(settings)              ? "Median of "
                                                             : "Mean of ";
    for (size_t i = 0; methods[i]; i++)
        if (strcmp(methods[i], settings->method) == 0)
            report_note(report, "%s %% intervals: %s", number_percent(settings->confidence, percent), meanings[i]);
    if (unit)
        report_note(report, "unit: %s", unit);
    if (found->keyed)
        report_note(report, "each row has its own name: rows are not a series, and were not searched for warm-up");
    if (settings->common.path_count > 1 && !settings->request.one_series_a_file)
        report_note(report, "%zu files are treated as one table; --by-file tells them apart",
                    settings->common.path_count);
    snprintf(label, sizeof label, "%s%s%s%s%s", what, found->value_count > 1 ? "the metrics" : found->values[0],
             unit ? " (" : "", unit ? unit : "", unit ? ")" : "");
    report->x_label = label;
}

static int ci_report(void *state, const struct table_settings *settings, void *own, struct report *report,
                     struct error_text *message)
{
    (void)own;
    const struct groups *groups = state;
    size_t values = groups->columns.value_count;
    int status = STATUS_GOOD;
    if (!ci_new_tables(groups, settings, report))
        return error_set(message, STATUS_BAD, "out of memory");
    for (size_t g = 0; g < groups->count && !status; g++)
        for (size_t v = 0; v < values && !status; v++)
            status = groups_series(groups, g, v)->n == 0 ? STATUS_GOOD
                                                         : ci_add_group(groups, g, v, settings, report, message);
    ci_note_columns(groups, settings, report);
    return status;
}

static int ci_finalize(void *own, struct table_settings *settings, struct error_text *message)
{
    (void)own;
    if (options.wanted > 0 && (ci_is_geomean(settings) || ci_is_median(settings)))
        return error_set(message, STATUS_USAGE, "--half-width is for the arithmetic mean; leave --method %s out",
                         settings->method);
    return STATUS_GOOD;
}

enum { KEY_HALF_WIDTH = 0x100, KEY_PERCENTILES };

static int ci_parse_percentiles(char *list)
{
    const char *pieces[PERCENTILES_MAX];
    options.percentile_count = table_analyzer_split(list, pieces, PERCENTILES_MAX);
    for (size_t i = 0; i < options.percentile_count; i++) {
        if (number_parse(pieces[i], 0, 100, &options.percentiles[i]) != 0)
            return EINVAL;
        snprintf(options.percentile_names[i], sizeof options.percentile_names[i], "p%.10g", options.percentiles[i]);
        for (size_t j = 0; j < i; j++)
            if (options.percentiles[j] == options.percentiles[i])
                return EINVAL;
    }
    return options.percentile_count ? 0 : EINVAL;
}

static int ci_parse_option(int key, char *arg, void *own)
{
    (void)own;
    switch (key) {
    case KEY_HALF_WIDTH:
        return number_parse_percent(arg, 1e-6, 1000, &options.wanted);
    case KEY_PERCENTILES:
        return ci_parse_percentiles(arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option own_options[] = {
        {"half-width", KEY_HALF_WIDTH, "PERCENT", 0,
         "also show how many runs an interval of ± PERCENT of the mean needs (runs_needed), and how many more that is "
         "(more_runs)",
         0},
        {"percentiles", KEY_PERCENTILES, "P[,P…]", 0, "add the percentiles P, from 0 to 100, as columns", 0},
        {0}};
    static const struct table_analyzer program = {
        .name = "ci",
        .doc =
            "How large is it, and how certain is that? Mean with its confidence interval, for each group of values.\v"
            "Examples:\n"
            "  assay ci --value time --by program,clock runs.csv\n"
            "  assay ci hyperfine.json                           the values of the tool\n"
            "  assay ci --half-width 1% --value time runs.csv    how many runs for ± 1 %?\n"
            "  assay ci --method median --percentiles 90,99 --value time runs.csv\n"
            "  assay ci --value time --by program --plot ci.pdf -o ci.tex runs.csv",
        .options = own_options,
        .parse = ci_parse_option,
        .methods = methods,
        .figures = figures,
        .finalize = ci_finalize,
        .consumer = GROUPS_CONSUMER(&keeps_values),
        .report = ci_report};
    return table_analyzer_main(&program, argc, argv);
}
