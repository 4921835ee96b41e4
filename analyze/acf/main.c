/*
 * assay acf - is a series random? Its autocorrelation, with bounds, and Ljung and Box's test.
 *
 * Input: tables. Values in the order of the rows; each group, and each of several files, is a series.
 * Summary: n, mean, sd, Ljung-Box q, dof (= the number of lags), p, log10_p, verdict ("random", "not random:
 * correlated", "constant", "too few values"), ess (effective sample size of the mean). Source:
 * stats/autocorrelation/series_autocorrelation.h, stats/autocorrelation/autocorrelation.h, stats/estimates/effective.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/number.h"
#include "table/model/p_text.h"
#include "analyze/driver/tables/groups_table.h"
#include "analyze/driver/tables/table_analyzer.h"
#include "base/text.h"
#include "stats/autocorrelation/autocorrelation.h"
#include "stats/autocorrelation/series_autocorrelation.h"
#include "stats/estimates/effective.h"
#include "stats/estimates/interval.h"

enum { LAGS_MOST = 100, LAGS_LEAST = 10 };

static struct {
    uint64_t lags; /* 0: by the length of the series */
    double alpha;
} options = {0, 0.001};

static const bool keeps_values = true;
static const char *const figures[] = {"acf", NULL};

struct acf_row {
    uint64_t lag;
    double r, low, high;
};

static const struct column lag_columns[] = {
    COLUMN(acf_row, "lag", TABLE_COUNT, lag, "The lag in rows: 1 to K, see --lags."),
    COLUMN(acf_row, "r", TABLE_REAL, r, "The autocorrelation at this lag."),
    COLUMN(acf_row, "lo", TABLE_REAL, low,
           "The lower bound for r of a random series: with the given confidence r lies between the bounds, which are "
           "-1.96/sqrt(n) and 1.96/sqrt(n) at 95 %."),
    COLUMN(acf_row, "hi", TABLE_REAL, high, "The upper bound.")};
static const struct columns tables[] = {
    COLUMNS("One row for each lag of each series, after the group columns and, if there are several value columns, "
            "metric, which names the value column",
            lag_columns)};

struct acf_result {
    uint64_t n;
    double mean, sd, ess;
    bool tested;
    struct ljung_box test;
    const char *verdict;
};

/* The lags to show for a series of n values. */
static size_t acf_shown_lags(size_t n)
{
    size_t tenth = n / 10 < LAGS_LEAST ? LAGS_LEAST : n / 10 > LAGS_MOST ? LAGS_MOST : n / 10;
    size_t wanted = options.lags ? options.lags : tenth;
    return wanted < n ? wanted : n > 1 ? n - 1 : 1;
}

/* The values of a group in one value column are a series. Adds its rows. */
static int acf_add_series(const struct groups *groups, size_t g, size_t v, const struct table_settings *settings,
                          struct report *report, struct acf_result *result, struct error_text *message)
{
    const struct series *series = groups_series(groups, g, v);
    size_t lags = acf_shown_lags(series->n), needed = series->n >= EFFECTIVE_N_MIN ? effective_lags(series->n) : 0;
    struct effective effective;
    struct real_moments moments;
    needed = needed > lags ? needed : lags;
    double q, *r = malloc(needed * sizeof *r);
    if (!r)
        return error_set(message, STATUS_BAD, "out of memory");
    *result = (struct acf_result){.n = series->n, .mean = NAN, .sd = NAN, .ess = NAN};
    real_moments_of_series(series, &moments);
    enum stats_status status = real_moments_mean(&moments, &result->mean);
    if (!status && series->n > 1)
        status = real_moments_sd(&moments, &result->sd);
    if (!status)
        status = interval_quantile(INTERVAL_Z, 1, settings->confidence, &q);
    enum stats_status exists = status ? status : series_autocorrelation(series, needed, settings->request.jobs, r);
    if (!status) {
        enum stats_status tested = exists ? exists : autocorrelation_ljung_box_of(r, lags, result->n, &result->test);
        result->tested = !tested;
        result->verdict = tested == STATS_CONSTANT                      ? "constant"
                          : tested                                      ? stats_status_text(tested)
                          : result->test.log10_p < log10(options.alpha) ? "not random: correlated"
                                                                        : "random";
    }
    if (!exists && effective_of(r, needed, series->n, &effective) == STATS_OK)
        result->ess = effective.ess;
    for (size_t i = 0; !exists && i < lags; i++) {
        double bound = q / sqrt((double)series->n);
        groups_report_row(report, groups, g, v,
                          &(struct acf_row){.lag = i + 1, .r = r[i], .low = -bound, .high = bound});
    }
    free(r);
    return status ? error_set(message, STATUS_BAD, "%s", stats_status_text(status)) : STATUS_GOOD;
}

/* For readers a note, or a warning that there is no autocorrelation. */
static void acf_note_series(struct report *report, const struct acf_result *result, const char *label)
{
    char p[P_TEXT_MAX], ess[64] = "";
    if (!result->tested) {
        report_warn_of(report, label, "", "no autocorrelation of %" PRIu64 " value%s: %s", result->n,
                       result->n == 1 ? "" : "s", result->verdict);
        return;
    }
    if (isfinite(result->ess))
        snprintf(ess, sizeof ess, "; worth %.4g independent values", result->ess);
    p_text(result->test.p, result->test.log10_p, p);
    const char *colon = *label ? ": " : "";
    report_note(report, "%s%s%s: %" PRIu64 " values, Ljung-Box Q = %.5g on %zu lags, p = %s%s", label, colon,
                result->verdict, result->n, result->test.q, result->test.dof, p, ess);
    if (result->test.dof > result->n / 5)
        report_note(report, "%s%sthe test rejects random series too often where the lags exceed a fifth of the values",
                    label, colon);
}

/* For one series its summary; for several an array of named summaries. */
static void acf_add_summary(struct report *report, const struct acf_result *result, const char *name, bool alone)
{
    json_t *object = json_pack("{s:I}", "n", (json_int_t)result->n);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"mean", result->mean},
                   {"sd", result->sd},
                   {"q", result->tested ? result->test.q : NAN},
                   {"dof", result->tested ? (double)result->test.dof : NAN},
                   {"p", result->tested ? result->test.p : NAN},
                   {"log10_p", result->tested ? result->test.log10_p : NAN},
                   {"ess", result->ess}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_object_set_new(object, numbers[i].name,
                            isfinite(numbers[i].value) ? json_real(numbers[i].value) : json_null());
    json_object_set_new(object, "verdict", json_string(result->verdict));
    if (alone) {
        report->summary = object;
        return;
    }
    if (!report->summary)
        report->summary = json_pack("{s:[]}", "series");
    json_object_set_new(object, "name", text_json(name, strlen(name)));
    json_array_append_new(json_object_get(report->summary, "series"), object);
}

static int acf_report(void *state, const struct table_settings *settings, void *own, struct report *report,
                      struct error_text *message)
{
    (void)own;
    const struct groups *groups = state;
    size_t values = groups->columns.value_count;
    bool alone = groups->count * values == 1;
    int status = STATUS_GOOD;
    if (groups_report_tables(report, groups, true, tables, 0) != 0)
        return error_set(message, STATUS_BAD, "out of memory");
    for (size_t i = 0; i < groups->count * values && !status; i++) {
        size_t g = i / values, v = i % values;
        struct acf_result result;
        if (groups_series(groups, g, v)->n == 0)
            continue;
        char *label = groups_table_label(groups, g, v);
        status = label ? acf_add_series(groups, g, v, settings, report, &result, message)
                       : error_set(message, STATUS_BAD, "out of memory");
        if (!status) {
            acf_note_series(report, &result, alone ? "" : label);
            acf_add_summary(report, &result, label, alone);
        }
        free(label);
    }
    report->no_result = table_row_count(report->table) == 0;
    char percent[NUMBER_PERCENT_MAX];
    report_note(report, "not random: p below %g; lo and hi hold %s %% of a random series' r", options.alpha,
                number_percent(settings->confidence, percent));
    return status;
}

static int acf_finalize(void *own, struct table_settings *settings, struct error_text *message)
{
    (void)own, (void)message;
    settings->request.one_series_a_file = true;
    return STATUS_GOOD;
}

static int acf_parse_option(int key, char *arg, void *own)
{
    (void)own;
    switch (key) {
    case 0x100:
        return number_parse_count(arg, 1, AUTOCORRELATION_LAGS_MAX, &options.lags);
    case 0x101:
        return number_parse(arg, 1e-300, 0.5, &options.alpha);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option own_options[] = {
        {"lags", 0x100, "K", 0, "lags 1 to K (default: a tenth of the values, 10 to 100)", 0},
        {"alpha", 0x101, "P", 0, "a series is not random if Ljung-Box has a smaller p (default 0.001)", 0},
        {0}};
    static const struct table_analyzer program = {
        .name = "acf",
        .doc = "Is a series random? Its autocorrelation with bounds, and the test of Ljung and Box.\v"
               "Examples:\n"
               "  assay acf --value interval_ms --by thread intervals.csv\n"
               "  seq 100 | assay acf --lags 20                     one number a line\n"
               "  assay acf --plot acf.pdf --lags 100 intervals.txt.zst",
        .options = own_options,
        .parse = acf_parse_option,
        .figures = figures,
        .tables = tables,
        .table_count = 1,
        .finalize = acf_finalize,
        .consumer = GROUPS_CONSUMER(&keeps_values),
        .report = acf_report};
    return table_analyzer_main(&program, argc, argv);
}
