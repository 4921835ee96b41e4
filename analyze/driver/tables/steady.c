#include "analyze/driver/tables/steady.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/driver/tables/report_stats.h"
#include "stats/autocorrelation/autocorrelation.h"
#include "stats/autocorrelation/series_autocorrelation.h"
#include "stats/estimates/effective.h"
#include "stats/inference/changepoint.h"
#include "stats/inference/exchange.h"

#define ALPHA 0.01 /* the share of unordered series that may get a warning */

/* Once, whatever the number of groups. */
static void steady_note_once(struct report *report, const char *text)
{
    size_t i;
    json_t *note;
    json_array_foreach(report->notes, i, note) if (strcmp(json_string_value(note), text) == 0) return;
    report_note(report, "%s", text);
}

static void steady_warn_of_changes(const struct series *series, const char *label, struct report *report)
{
    struct changepoint found;
    char detail[120];
    bool changes = false;
    double *x = malloc((series->n ? series->n : 1) * sizeof *x);
    if (!x) {
        report->no_memory = true;
        return;
    }
    series_to_doubles(series, x);
    if (report_stats_exist(report, changepoint_find(x, series->n, &found))) {
        if (found.verdict == CHANGEPOINT_FLAT ||
            !report_stats_exist(report, exchange_level(x, series->n, ALPHA, &changes)))
            changes = false;
        if (changes && found.verdict == CHANGEPOINT_WARM_UP && found.steady_from <= series->n / 2) {
            snprintf(detail, sizeof detail, "; from then on the mean is %.5g", found.steady_mean);
            report_warn_of(report, label, detail,
                           "the first %zu of %zu values look like warm-up (--skip-first leaves them out)",
                           found.steady_from, series->n);
        } else if (changes) {
            snprintf(detail, sizeof detail, ", last at value %zu of %zu", found.steady_from + 1, series->n);
            report_warn_of(report, label, detail, "the level of the values changes");
        }
        free(found.begins);
    }
    free(x);
}

/* Chance alone gives a short series an ess of half or twice its values, in two of five series of ten values; this test
 * reduces that to one of a hundred. Its p is approximate: where that is cheap, permutations must agree.
 */
static bool steady_is_correlated(const struct series *series, unsigned jobs, struct report *report)
{
    struct ljung_box test;
    size_t lags = effective_lags(series->n);
    double *r = malloc(lags * sizeof *r), *x = NULL;
    bool found = r && report_stats_exist(report, series_autocorrelation(series, lags, jobs, r)) &&
                 report_stats_exist(report, autocorrelation_ljung_box_of(r, lags, series->n, &test)) && test.p < ALPHA;
    bool permutes = found && series->n <= CHANGEPOINT_N_MAX;
    if (permutes && (x = malloc(series->n * sizeof *x)) != NULL) {
        bool ordered = true;
        series_to_doubles(series, x);
        found = !report_stats_exist(report, exchange_lags(x, series->n, lags, ALPHA, &ordered)) || ordered;
    }
    report->no_memory |= !r || (permutes && !x);
    free(x);
    free(r);
    return found;
}

static void steady_warn_of_correlation(const struct series *series, double ess, unsigned jobs, const char *label,
                                       struct report *report)
{
    double n = (double)series->n;
    if (!(ess < 0.5 * n || ess > 2 * n) || !steady_is_correlated(series, jobs, report))
        return;
    char detail[80];
    snprintf(detail, sizeof detail, " (%zu are worth %.3g)", series->n, ess);
    if (ess < n)
        report_warn_of(report, label, detail,
                       "the values are autocorrelated: an interval for independent values is too narrow");
    else
        report_warn_of(report, label, detail,
                       "the values alternate or repeat, and are worth more for the mean, if that continues");
}

void steady_warn(const struct series *series, double ess, unsigned jobs, const char *label, struct report *report)
{
    static_assert(CHANGEPOINT_N_MAX == 2000, "the text says so");
    size_t up = 0, down = 0;
    for (size_t i = 1; i < series->n && !(up && down); i++) {
        double before = series_double(series, i - 1), value = series_double(series, i);
        up += value > before;
        down += value < before;
    }
    /* with ten or more values, this is the result of processing, not of measuring */
    if (series->n >= CHANGEPOINT_N_MIN && !(up && down)) {
        steady_note_once(
            report, "groups of sorted values were not searched for warm-up: their order says nothing about the runs");
        return;
    }
    if (series->n > CHANGEPOINT_N_MAX)
        steady_note_once(report, "groups of more than 2000 values were not searched for warm-up");
    else
        steady_warn_of_changes(series, label, report);
    steady_warn_of_correlation(series, ess, jobs, label, report);
}
