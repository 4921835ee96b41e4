/*
 * assay ci - how large is it, and how certain is that? Mean with its confidence interval, for each group of values.
 *
 * Input: tables. Values by group.
 * Methods: t, Student's t on n−1 degrees of freedom; z, the normal quantile, as in the papers; ess, Student's t
 * corrected for autocorrelation; geomean, t on the logarithms (then lo and hi are around geomean); median, between two
 * order statistics, for any distribution (then around the median). Source: stats/estimates/interval.h,
 * stats/estimates/effective.h, stats/estimates/geomean.h, stats/estimates/median.h, stats/estimates/order.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/number.h"
#include "base/quantity.h"
#include "analyze/driver/tables/groups_table.h"
#include "analyze/driver/tables/report_stats.h"
#include "analyze/driver/tables/steady.h"
#include "analyze/driver/tables/table_analyzer.h"
#include "stats/autocorrelation/series_autocorrelation.h"
#include "stats/estimates/effective.h"
#include "stats/estimates/geomean.h"
#include "stats/estimates/interval.h"
#include "stats/estimates/levels.h"
#include "stats/estimates/median.h"
#include "stats/estimates/order.h"
#include "stats/estimates/runs_needed.h"
#include "table/model/table_round.h"

enum { PERCENTILES_MAX = 16 };

static struct {
    double wanted;           /* half width as a share of the mean; 0: not requested */
    struct levels_cost cost; /* iteration 0: not requested */
    double percentiles[PERCENTILES_MAX];
    char percentile_names[PERCENTILES_MAX][32]; /* "p99.9" */
    size_t percentile_count;
} options;

static const bool keeps_values = true;
static const char *const methods[] = {"t", "z", "ess", "geomean", "median", NULL};
static const char *const figures[] = {"bars", "boxplot", "boxplot-tukey", NULL};

/* ------------------------------------------------------------------------------------------ columns -- */

/* The summary of a group, as its row. */
struct ci_row {
    uint64_t n, runs_needed, more_runs;
    bool runs_are_known;
    uint64_t values; /* of all processes */
    struct levels_plan plan;
    bool plan_is_known;
    double sd_between, sd_within, icc; /* NaN: unknown */
    const char *method;
    double mean, sd, cv, sem, median, geomean, min, max, lag1, ess, percentiles[PERCENTILES_MAX];
    double center;            /* what the interval is around: the mean, geometric mean or median */
    struct interval interval; /* all NaN if there is none */
    enum stats_status why;    /* there is none */
    struct column_estimate estimate;
    /* Half widths that say to how many digits numbers are shown. */
    double nearer;   /* to the nearer bound, if the interval is not symmetric */
    double finer;    /* one more digit, for values about as certain but without an interval */
    double sd_error; /* of the standard deviation */
    double hundredths, wholes;
};

/* Around what the interval is; whether --half-width and --cost were given; whether values are means of processes. */
enum { OF_MEAN = 1, OF_GEOMEAN = 2, OF_MEDIAN = 4, WITH_RUNS = 8, WITH_PLAN = 16, WITH_LEVELS = 32 };
/* The intervals of geometric means and medians are not symmetric around them. */
enum { SKEWED = OF_GEOMEAN | OF_MEDIAN };

#define DIGITS(member) .half_width = offsetof(struct ci_row, member)
#define HUMAN(name, type, member, ...) COLUMN(ci_row, name, type, member, NULL, .readers = COLUMN_HUMAN, __VA_ARGS__)
#define MACHINE(name, type, member, text, ...)                                                                         \
    COLUMN(ci_row, name, type, member, text, .readers = COLUMN_MACHINE, __VA_ARGS__)

static const char PERCENTILE[] = "pP"; /* stands for one column for each of --percentiles */

static const struct column ci_columns[] = {
    COLUMN(ci_row, "n", TABLE_COUNT, n, "The number of values."),
    HUMAN("geomean", TABLE_REAL, geomean, DIGITS(nearer), .when = OF_GEOMEAN),
    HUMAN("median", TABLE_REAL, median, DIGITS(nearer), .when = OF_MEDIAN),
    HUMAN("lo", TABLE_REAL, interval.low, DIGITS(nearer), .when = SKEWED),
    HUMAN("hi", TABLE_REAL, interval.high, DIGITS(nearer), .when = SKEWED),
    MACHINE("mean", TABLE_REAL, mean, "Their mean.", DIGITS(nearer)),
    HUMAN("mean", TABLE_ESTIMATE, estimate, .when = OF_MEAN),
    HUMAN("mean", TABLE_REAL, mean, DIGITS(nearer), .when = SKEWED),
    MACHINE("sd", TABLE_REAL, sd, "Their standard deviation, with the divisor n-1; blank for one value."),
    HUMAN("sd", TABLE_REAL, sd, DIGITS(sd_error), .when = OF_MEAN),
    HUMAN("sd", TABLE_REAL, sd, .when = SKEWED),
    MACHINE("cv", TABLE_REAL, cv, "Their coefficient of variation, sd / mean."),
    HUMAN("cv", TABLE_SHARE, cv, .when = OF_MEAN),
    MACHINE("sem", TABLE_REAL, sem, "The standard error of the mean of independent values, sd / sqrt(n)."),
    MACHINE("lo", TABLE_REAL, interval.low,
            "The lower end of the interval of --method and --confidence: of the mean, with --method geomean of the "
            "geometric mean, with --method median of the median.",
            DIGITS(nearer)),
    MACHINE("hi", TABLE_REAL, interval.high, "Its upper end.", DIGITS(nearer)),
    MACHINE("half_width", TABLE_REAL, interval.half,
            "Half its width; the distance to the farther end with --method geomean and --method median.",
            DIGITS(nearer)),
    MACHINE("method", TABLE_TEXT, method, "The method of the interval."),
    MACHINE("median", TABLE_REAL, median, "The median, by linear interpolation (type 7 of Hyndman and Fan).",
            DIGITS(finer)),
    HUMAN("median", TABLE_REAL, median, DIGITS(finer), .when = OF_MEAN | OF_GEOMEAN),
    MACHINE("geomean", TABLE_REAL, geomean, "The geometric mean; blank unless all values are above 0.", DIGITS(finer)),
    HUMAN("geomean", TABLE_REAL, geomean, DIGITS(finer), .when = OF_MEDIAN),
    COLUMN(ci_row, "min", TABLE_REAL, min, "The smallest value."),
    COLUMN(ci_row, "max", TABLE_REAL, max, "The largest value."),
    HUMAN("geomean", TABLE_REAL, geomean, DIGITS(finer), .when = OF_MEAN),
    MACHINE("lag1", TABLE_REAL, lag1, "The autocorrelation of the values at lag 1, in row order."),
    HUMAN("lag1", TABLE_REAL, lag1, DIGITS(hundredths)),
    MACHINE("ess", TABLE_REAL, ess,
            "The effective sample size: the number of independent values that would estimate the mean as well as the "
            "group does. It exceeds n where values alternate: such a mean is more precise, as long as they continue to "
            "alternate. It is blank for fewer than ten values."),
    HUMAN("ess", TABLE_REAL, ess, DIGITS(wholes)),
    COLUMN(ci_row, PERCENTILE, TABLE_REAL, percentiles,
           "With --percentiles, a column for each P: the percentile P, by linear interpolation like the median."),
    COLUMN(
        ci_row, "runs_needed", TABLE_COUNT, runs_needed,
        "With --half-width PERCENT: the number of values for which an interval of +-PERCENT of the mean is expected; "
        "blank if it is unknown.",
        .present = offsetof(struct ci_row, runs_are_known), .when = WITH_RUNS),
    COLUMN(ci_row, "more_runs", TABLE_COUNT, more_runs,
           "With --half-width: how many more than n these are, at least 0.",
           .present = offsetof(struct ci_row, runs_are_known), .when = WITH_RUNS),
    MACHINE("values", TABLE_COUNT, values,
            "The number of iterations in all processes, where values are means of processes: then n is the number of "
            "processes, and all other columns describe their means.",
            .when = WITH_LEVELS),
    COLUMN(ci_row, "sd_between", TABLE_REAL, sd_between,
           "The standard deviation between processes, without what their iterations add to it; 0 if they differ by no "
           "more than their iterations make them.",
           .half_width = offsetof(struct ci_row, sd_error), .when = WITH_LEVELS),
    COLUMN(ci_row, "sd_within", TABLE_REAL, sd_within, "The standard deviation of the iterations of a process.",
           .half_width = offsetof(struct ci_row, sd_error), .when = WITH_LEVELS),
    MACHINE("icc", TABLE_REAL, icc,
            "The intra-class correlation: the share of an iteration's variance that lies between processes.",
            .when = WITH_LEVELS),
    COLUMN(ci_row, "plan_processes", TABLE_COUNT, plan.processes,
           "With --half-width and --cost: the number of processes of the cheapest plan, in all, for which such an "
           "interval is expected; blank if it is unknown.",
           .present = offsetof(struct ci_row, plan_is_known), .when = WITH_PLAN),
    COLUMN(ci_row, "plan_iterations", TABLE_COUNT, plan.iterations, "The number of iterations of each of these.",
           .present = offsetof(struct ci_row, plan_is_known), .when = WITH_PLAN)};
static const struct columns tables[] = {
    COLUMNS("One row for each group, in the order of first appearance, after the group columns and, if there are "
            "several value columns, metric, which names the value column",
            ci_columns)};

/* For a figure whose bars are geometric means or medians. */
static const struct column bar_columns[] = {
    COLUMN(ci_row, "n", TABLE_COUNT, n, NULL), COLUMN(ci_row, "mean", TABLE_REAL, center, NULL),
    COLUMN(ci_row, "lo", TABLE_REAL, interval.low, NULL), COLUMN(ci_row, "hi", TABLE_REAL, interval.high, NULL),
    COLUMN(ci_row, "method", TABLE_TEXT, method, NULL)};
static const struct columns bars = COLUMNS("One row for each group", bar_columns);

static unsigned ci_center(const struct table_settings *settings)
{
    return strcmp(settings->method, "geomean") == 0  ? OF_GEOMEAN
           : strcmp(settings->method, "median") == 0 ? OF_MEDIAN
                                                     : OF_MEAN;
}

/* The program's columns, with one for each percentile. */
static const struct columns *ci_list_columns(void)
{
    static struct column items[sizeof ci_columns / sizeof ci_columns[0] + PERCENTILES_MAX];
    static struct columns list = {.items = items};
    for (size_t c = 0; c < tables[0].count; c++)
        if (ci_columns[c].name != PERCENTILE)
            items[list.count++] = ci_columns[c];
        else
            for (size_t i = 0; i < options.percentile_count; i++) {
                items[list.count] = ci_columns[c];
                items[list.count].name = options.percentile_names[i];
                items[list.count++].offset += i * sizeof(double);
            }
    return &list;
}

/* ------------------------------------------------------------------------------------------ a group -- */

/* The interval by the method, from `sorted` values and from what the row has already. */
static enum stats_status ci_find_interval(const struct series *series, const double *sorted,
                                          const struct table_settings *settings, const struct ci_row *row,
                                          struct interval *out)
{
    double confidence = settings->confidence, low, high;
    struct effective effective;
    enum stats_status status = row->n < 2 ? STATS_TOO_FEW : STATS_OK;
    if (status)
        return status;
    if (ci_center(settings) == OF_MEDIAN) {
        status = median_interval(sorted, series->n, confidence, &low, &high);
        if (!status)
            *out = (struct interval){row->median, low, high, fmax(row->median - low, high - row->median)};
    } else if (ci_center(settings) == OF_GEOMEAN) {
        double *x = malloc(series->n * sizeof *x);
        if (x)
            series_to_doubles(series, x);
        status = x ? geomean_interval(x, series->n, INTERVAL_T, confidence, out) : STATS_NO_MEMORY;
        free(x);
    } else if (strcmp(settings->method, "ess") == 0) {
        status = effective_of_series(series, settings->request.jobs, &effective);
        if (!status)
            status = effective_interval(&effective, row->n, row->mean, row->sd, confidence, out);
    } else {
        enum interval_method method = *settings->method == 'z' ? INTERVAL_Z : INTERVAL_T;
        status = interval_mean_of(row->n, row->mean, row->sd, method, confidence, out);
    }
    return status;
}

static enum stats_status ci_summarize(const struct series *series, const struct table_settings *settings,
                                      struct report *report, struct ci_row *out)
{
    struct real_moments moments;
    struct effective effective;
    double *sorted = malloc(series->n * sizeof *sorted), confidence = settings->confidence;
    if (!sorted)
        return STATS_NO_MEMORY;
    series_to_sorted(series, sorted);
    *out = (struct ci_row){.n = series->n,
                           .method = settings->method,
                           .sd = NAN,
                           .lag1 = NAN,
                           .ess = NAN,
                           .sd_between = NAN,
                           .sd_within = NAN,
                           .icc = NAN,
                           .geomean = NAN,
                           .min = sorted[0],
                           .max = sorted[series->n - 1],
                           .interval = {NAN, NAN, NAN, NAN}};
    real_moments_of_series(series, &moments);
    enum stats_status status = real_moments_mean(&moments, &out->mean);
    if (!status)
        status = order_quantile(sorted, series->n, 0.5, &out->median);
    for (size_t i = 0; i < options.percentile_count && !status; i++)
        status = order_quantile(sorted, series->n, options.percentiles[i] / 100, &out->percentiles[i]);
    if (!status && series->n > 1)
        status = real_moments_sd(&moments, &out->sd);
    if (!status) {
        if (!report_stats_exist(report, geomean_of(sorted, series->n, &out->geomean)))
            out->geomean = NAN;
        if (!report_stats_exist(report, series_autocorrelation(series, 1, 1, &out->lag1)))
            out->lag1 = NAN;
        if (report_stats_exist(report, effective_of_series(series, settings->request.jobs, &effective)))
            out->ess = effective.ess;
        out->why = ci_find_interval(series, sorted, settings, out, &out->interval);
        report_stats_exist(report, out->why);
    }
    if (!status && options.wanted > 0) {
        /* Autocorrelated runs count for less: n of them for ess independent ones. */
        bool corrected = strcmp(settings->method, "ess") == 0;
        double sd = corrected ? out->sd * sqrt((double)out->n / out->ess) : out->sd;
        out->runs_are_known = runs_needed((struct runs_pilot){out->n, sd}, options.wanted * fabs(out->mean), confidence,
                                          &out->runs_needed) == STATS_OK &&
                              out->runs_needed > 0;
        out->more_runs = out->runs_needed > out->n ? out->runs_needed - out->n : 0;
    }
    free(sorted);
    return status;
}

/* Whether some process has several values. */
static bool ci_has_levels(const struct groups *groups)
{
    bool has = false;
    for (size_t i = 0; groups->levels && i < groups->count * groups->columns.value_count; i++)
        has |= groups->levels[i].most > 1;
    return has;
}

/* What the levels of repetition add to a row. */
static void ci_add_levels(struct ci_row *row, const struct groups_levels *levels, double confidence)
{
    struct levels_variances variances;
    const struct levels_pilot pilot = {levels->processes, levels->values, row->sd, levels->deviations, levels->inverse};
    row->values = levels->values;
    if (levels_estimate(&pilot, &variances) != STATS_OK)
        return;
    row->sd_between = sqrt(fmax(variances.between, 0));
    row->sd_within = sqrt(variances.within);
    row->icc = levels_correlation(&variances);
    if (options.cost.iteration > 0)
        row->plan_is_known = levels_make_plan(&variances, &options.cost, options.wanted * fabs(row->mean), confidence,
                                              &row->plan) == STATS_OK;
}

/* What follows from the rest of the row. */
static void ci_complete_row(struct ci_row *row, unsigned center)
{
    const struct interval *interval = &row->interval;
    row->cv = row->sd / row->mean;
    row->sem = row->sd / sqrt((double)row->n);
    row->center = center == OF_GEOMEAN ? row->geomean : center == OF_MEDIAN ? row->median : row->mean;
    row->estimate = (struct column_estimate){row->mean, interval->low, interval->high};
    row->nearer = fmin(interval->high - interval->mean, interval->mean - interval->low);
    int decimal_places = table_places(row->nearer);
    row->finer = decimal_places == TABLE_PLACES_ALL ? NAN : 5 * pow(10, -(decimal_places + 1));
    row->sd_error = row->sd / sqrt(2 * ((double)row->n - 1));
    row->hundredths = 0.05;
    row->wholes = 5;
}

/* The answer of a table of one row. */
static void ci_write_headline(const struct ci_row *row, const struct groups *groups,
                              const struct table_settings *settings, struct report *report)
{
    char value[TABLE_ROUND_MAX], percent[NUMBER_PERCENT_MAX];
    const struct interval *interval = &row->interval;
    const char *unit = groups_common_unit(groups), *name = groups->columns.values[0];
    unsigned center = ci_center(settings);
    if (groups->count != 1 || groups->columns.value_count != 1 || row->why || isnan(interval->low))
        return;
    table_round_estimate(row->center, interval->low, interval->high, 0, false, value);
    report_headline(report, "The %s of %s is %s%s%s, with %s %% confidence.",
                    center == OF_GEOMEAN  ? "geometric mean"
                    : center == OF_MEDIAN ? "median"
                                          : "mean",
                    name, value, unit ? " " : "", unit ? unit : "", number_percent(settings->confidence, percent));
}

static int ci_add_group(const struct groups *groups, size_t g, size_t v, const struct table_settings *settings,
                        struct report *report, struct error_text *message)
{
    struct ci_row row;
    unsigned center = ci_center(settings);
    const struct series *series = groups_series(groups, g, v);
    char *label = groups_table_label(groups, g, v);
    enum stats_status status = label ? ci_summarize(series, settings, report, &row) : STATS_NO_MEMORY;
    if (status)
        error_set(message, STATUS_BAD, "%s%s%s", label ? label : "", label && *label ? ": " : "",
                  stats_status_text(status));
    else if (row.why)
        report_warn_of(report, label, "", "no interval: %s", stats_status_text(row.why));
    if (!status && !groups->columns.keyed && center != OF_GEOMEAN)
        steady_warn(series, strcmp(settings->method, "ess") == 0 ? NAN : row.ess, settings->request.jobs, label,
                    report);
    free(label);
    if (status)
        return STATUS_BAD;
    if (groups_levels(groups, g, v))
        ci_add_levels(&row, groups_levels(groups, g, v), settings->confidence);
    ci_complete_row(&row, center);
    groups_report_row(report, groups, g, v, &row);
    ci_write_headline(&row, groups, settings, report);
    if (report->figure && center != OF_MEAN && strcmp(settings->figure, "bars") == 0) {
        groups_table_begin(report->figure, groups, g, v);
        columns_add(report->figure, &bars, COLUMNS_MACHINE, 0, &row);
    }
    return STATUS_GOOD;
}

/* ------------------------------------------------------------------------------------------ report -- */

static void ci_note_columns(const struct groups *groups, const struct table_settings *settings, struct report *report)
{
    static const char *const meanings[] = {"Student's t", "normal quantile (at n = 30 a 95 % interval covers 94.0 %)",
                                           "Student's t, corrected for autocorrelation",
                                           "of the geometric mean, Student's t on the logarithms",
                                           "of the median, between order statistics: at least that sure"};
    static const struct {
        const char *column, *title, *unit;
    } runs[] = {{"wall_s", "wall time", "s"},
                {"cpu_s", "CPU time", "s"},
                {"user_s", "user time", "s"},
                {"system_s", "system time", "s"},
                {"stolen_s", "stolen time", "s"}}; /* of assay's own runs */
    static char label[256];
    char percent[NUMBER_PERCENT_MAX];
    const struct rows_columns *found = &groups->columns;
    const char *unit = groups_common_unit(groups);
    const char *what = strcmp(settings->figure, "bars") != 0 ? ""
                       : ci_center(settings) == OF_GEOMEAN   ? "Geometric mean of "
                       : ci_center(settings) == OF_MEDIAN    ? "Median of "
                                                             : "Mean of ";
    for (size_t i = 0; methods[i]; i++)
        if (strcmp(methods[i], settings->method) == 0)
            report_note(report, "%s %% intervals: %s", number_percent(settings->confidence, percent), meanings[i]);
    if (options.cost.iteration > 0 && ci_has_levels(groups))
        report_note(report,
                    "plan: expected from the variances found; runs_needed also allows for their error, so it is "
                    "larger after few processes");
    else if (options.cost.iteration > 0)
        report_warn(report, "no plan: values are not means of processes; --within says which process measured a value");
    groups_report_units(report, groups, "");
    if (found->keyed)
        report_note(report, "each row has its own name: rows are not a series, and were not searched for warm-up");
    if (settings->common.path_count > 1 && !found->by_file && !table_analyzer_groups_by(settings, "file") &&
        !table_analyzer_groups_by(settings, "directory"))
        report_note(report, "%zu files are treated as one table; --by-file tells them apart",
                    settings->common.path_count);
    const char *name = found->value_count > 1 ? "the metrics" : found->values[0];
    for (size_t i = 0; i < sizeof runs / sizeof *runs && !unit; i++)
        if (strcmp(runs[i].column, name) == 0) {
            name = runs[i].title;
            unit = runs[i].unit;
        }
    snprintf(label, sizeof label, "%s%s%s%s%s", what, name, unit ? " (" : "", unit ? unit : "", unit ? ")" : "");
    report->x_label = label;
}

static int ci_report(void *state, const struct table_settings *settings, void *own, struct report *report,
                     struct error_text *message)
{
    (void)own;
    const struct groups *groups = state;
    size_t values = groups->columns.value_count;
    unsigned center = ci_center(settings);
    bool draws_bars = strcmp(settings->figure, "bars") == 0;
    /* bars of means show the table itself */
    bool needed = report->wants_figure && (!draws_bars || center != OF_MEAN);
    int status = STATUS_GOOD, error = groups_report_tables(report, groups, true, ci_list_columns(),
                                                           center | (options.wanted > 0 ? WITH_RUNS : 0) |
                                                               (options.cost.iteration > 0 ? WITH_PLAN : 0) |
                                                               (ci_has_levels(groups) ? WITH_LEVELS : 0));
    if (needed)
        report->figure = draws_bars ? groups_table_new(groups, true, &bars) : groups_values_table(groups);
    if (error || (needed && !report->figure))
        return error_set(message, STATUS_BAD, "out of memory");
    for (size_t i = 0; i < groups->count * values && !status; i++)
        if (groups_series(groups, i / values, i % values)->n > 0)
            status = ci_add_group(groups, i / values, i % values, settings, report, message);
    ci_note_columns(groups, settings, report);
    return status;
}

static int ci_finalize(void *own, struct table_settings *settings, struct error_text *message)
{
    (void)own;
    if (options.wanted > 0 && ci_center(settings) != OF_MEAN)
        return error_set(message, STATUS_USAGE, "--half-width is for the arithmetic mean; leave --method %s out",
                         settings->method);
    if (options.cost.iteration > 0 && !(options.wanted > 0))
        return error_set(message, STATUS_USAGE, "--cost needs --half-width, which says what to plan for");
    return STATUS_GOOD;
}

/* "20s,1.5s" */
static int ci_parse_cost(char *arg)
{
    const char *pieces[2];
    uint64_t process_ns, iteration_ns;
    if (table_analyzer_split(arg, pieces, 2) != 2 || !quantity_time(pieces[0], &process_ns) ||
        !quantity_time(pieces[1], &iteration_ns) || iteration_ns == 0)
        return EINVAL;
    options.cost = (struct levels_cost){(double)process_ns, (double)iteration_ns};
    return 0;
}

enum { KEY_HALF_WIDTH = 0x100, KEY_PERCENTILES, KEY_COST };

static int ci_parse_option(int key, char *arg, void *own)
{
    (void)own;
    const char *pieces[PERCENTILES_MAX];
    if (key == KEY_HALF_WIDTH)
        return number_parse_percent(arg, 1e-6, 1000, &options.wanted);
    if (key == KEY_COST)
        return ci_parse_cost(arg);
    if (key != KEY_PERCENTILES)
        return ARGP_ERR_UNKNOWN;
    options.percentile_count = table_analyzer_split(arg, pieces, PERCENTILES_MAX);
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

int main(int argc, char **argv)
{
    static const struct argp_option own_options[] = {
        {"half-width", KEY_HALF_WIDTH, "PERCENT", 0,
         "also show how many runs an interval of ± PERCENT of the mean needs (runs_needed), and how many more that is "
         "(more_runs)",
         0},
        {"cost", KEY_COST, "PROCESS,ITERATION", 0,
         "with --half-width, where values are means of processes: how many processes of how many iterations are the "
         "cheapest (plan_processes, plan_iterations), if a process takes PROCESS up to its first measured iteration, "
         "and each iteration takes ITERATION (20s,1.5s)",
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
            "  assay ci --half-width 1% --cost 20s,1s jmh.json   forks and iterations?\n"
            "  assay ci --method median --percentiles 90,99 --value time runs.csv\n"
            "  assay ci --value time --by program --plot ci.pdf -o ci.tex runs.csv",
        .options = own_options,
        .parse = ci_parse_option,
        .methods = methods,
        .figures = figures,
        .tables = tables,
        .table_count = 1,
        .finalize = ci_finalize,
        .has_levels = true,
        .consumer = GROUPS_CONSUMER(&keeps_values),
        .report = ci_report};
    return table_analyzer_main(&program, argc, argv);
}
