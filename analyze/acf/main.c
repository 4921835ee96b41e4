/*
 * assay acf - is a series random? Its autocorrelation, with bounds, and Ljung and Box's test.
 *
 * Input: tables. Values in the order of the rows; each group, and each of several files, is a series.
 * Columns: lag 1 … K; r, the autocorrelation at that lag; lo, hi, the bounds that contain r of a random series with the
 * given confidence (±1.96/√n). Summary: n, mean, sd, Ljung-Box q, dof (= K), p, log10_p, verdict ("random", "not
 * random: correlated", "constant", "too few values"), ess (effective sample size of the mean). Source:
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
static const struct table_column columns[] = {
    {"lag", TABLE_COUNT}, {"r", TABLE_REAL}, {"lo", TABLE_REAL}, {"hi", TABLE_REAL}};

struct acf_result {
    uint64_t n;
    double mean, sd, ess;
    bool tested;
    struct ljung_box test;
    const char *verdict;
};

static void acf_set_verdict(struct acf_result *result, const double *r, size_t lags, enum stats_status status)
{
    if (!status)
        status = autocorrelation_ljung_box_of(r, lags, result->n, &result->test);
    result->tested = !status;
    if (status)
        result->verdict = status == STATS_CONSTANT ? "constant" : stats_status_text(status);
    else
        result->verdict = result->test.log10_p < log10(options.alpha) ? "not random: correlated" : "random";
}

static json_t *acf_series_json(const struct acf_result *result)
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
    return object;
}

static void acf_report_series(struct report *report, const struct acf_result *result, const char *label)
{
    char p[P_TEXT_MAX], ess[64] = "";
    if (isfinite(result->ess))
        snprintf(ess, sizeof ess, "; worth %.4g independent values", result->ess);
    if (!result->tested) {
        report_warn_of(report, label, "", "no autocorrelation of %" PRIu64 " value%s: %s", result->n,
                       result->n == 1 ? "" : "s", result->verdict);
        return;
    }
    p_text(result->test.p, result->test.log10_p, p);
    const char *colon = *label ? ": " : "";
    report_note(report, "%s%s%s: %" PRIu64 " values, Ljung-Box Q = %.5g on %zu lags, p = %s%s", label, colon,
                result->verdict, result->n, result->test.q, result->test.dof, p, ess);
    if (result->test.dof > result->n / 5)
        report_note(report, "%s%sthe test rejects random series too often where the lags exceed a fifth of the values",
                    label, colon);
}

/* The number of lags to show for a series of n values, and the number needed for that and for its effective size. */
static size_t acf_shown_lags(size_t n)
{
    size_t tenth = n / 10 < LAGS_LEAST ? LAGS_LEAST : n / 10 > LAGS_MOST ? LAGS_MOST : n / 10;
    size_t wanted = options.lags ? options.lags : tenth;
    return wanted < n ? wanted : n > 1 ? n - 1 : 1;
}

static size_t acf_needed_lags(size_t n)
{
    size_t lags = acf_shown_lags(n), effective = n >= EFFECTIVE_N_MIN ? effective_lags(n) : 0;
    return effective > lags ? effective : lags;
}

/* A series: the values of a group in one column. */
struct series_source {
    const struct groups *groups;
    size_t group, value;
};

static int acf_add_series(const struct series_source *source, const struct table_settings *settings,
                          struct report *report, struct acf_result *result, struct error_text *message)
{
    const struct series *series = groups_series(source->groups, source->group, source->value);
    size_t lags = acf_shown_lags(series->n);
    struct effective effective;
    double q, *r = malloc(acf_needed_lags(series->n) * sizeof *r);
    if (!r)
        return error_set(message, STATUS_BAD, "out of memory");
    struct real_moments moments;
    *result = (struct acf_result){.n = series->n, .mean = NAN, .sd = NAN, .ess = NAN};
    real_moments_of_series(series, &moments);
    enum stats_status status = real_moments_mean(&moments, &result->mean);
    if (!status && series->n > 1)
        status = real_moments_sd(&moments, &result->sd);
    if (!status)
        status = interval_quantile(INTERVAL_Z, 1, settings->confidence, &q);
    enum stats_status exists =
        status ? status : series_autocorrelation(series, acf_needed_lags(series->n), settings->request.jobs, r);
    if (!status)
        acf_set_verdict(result, r, lags, exists);
    if (!exists && effective_of(r, acf_needed_lags(series->n), series->n, &effective) == STATS_OK)
        result->ess = effective.ess;
    for (size_t i = 0; !exists && i < lags; i++) {
        double bound = q / sqrt((double)series->n);
        groups_table_begin(report->table, source->groups, source->group, source->value);
        table_count(report->table, i + 1);
        table_real(report->table, r[i]);
        table_real(report->table, -bound);
        table_real(report->table, bound);
    }
    free(r);
    return status ? error_set(message, STATUS_BAD, "%s", stats_status_text(status)) : STATUS_GOOD;
}

/* For one series its summary; for several an array of named summaries. */
static void acf_add_summary(struct report *report, const struct acf_result *result, const char *name, bool alone)
{
    json_t *object = acf_series_json(result);
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
    report->table = groups_table_new(groups, columns, sizeof columns / sizeof columns[0]);
    if (!report->table)
        return error_set(message, STATUS_BAD, "out of memory");
    for (size_t g = 0; g < groups->count && !status; g++)
        for (size_t v = 0; v < values && !status; v++) {
            struct acf_result result;
            if (groups_series(groups, g, v)->n == 0)
                continue;
            char *label = groups_table_label(groups, g, v);
            status = label ? acf_add_series(&(struct series_source){groups, g, v}, settings, report, &result, message)
                           : error_set(message, STATUS_BAD, "out of memory");
            if (!status) {
                acf_report_series(report, &result, alone ? "" : label);
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
        .finalize = acf_finalize,
        .consumer = GROUPS_CONSUMER(&keeps_values),
        .report = acf_report};
    return table_analyzer_main(&program, argc, argv);
}
