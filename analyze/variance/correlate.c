/* What the instances of a function go with: what may be the cause of their variance, or have the same one. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/variance/reading.h"
#include "analyze/variance/tables.h"
#include "stats/inference/periodicity.h"

bool correlate_observe(struct variance *variance, uint32_t run, double time, double weight,
                       const double values[VARIANCE_METRICS], const int64_t *arguments)
{
    struct variance_reading *reading = variance->reading;
    uint32_t at = relations_find(&variance->relations, VARIANCE_CORRELATIONS, &run);
    if (at == FIELD_NONE)
        at = relations_row(&variance->relations, VARIANCE_CORRELATIONS, &(struct variance_correlation){.run = run});
    if (at == FIELD_NONE)
        return false;
    struct variance_correlation *correlation = variance_correlation_at(variance, at);
    for (size_t m = 0; m < reading->count; m++) {
        struct weighted_pairs *pairs = correlation->pairs[m];
        for (size_t other = 0; other < reading->count; other++)
            if (other != m)
                weighted_pairs_add(&pairs[FACTOR_METRIC + other], values[other], values[m], weight);
        weighted_pairs_add(&pairs[FACTOR_TIME], time, values[m], weight);
        if (reading->has_previous)
            weighted_pairs_add(&pairs[FACTOR_PREVIOUS], reading->previous[m], values[m], weight);
        for (size_t i = 0; i < INSTANCE_ARGUMENTS && arguments; i++)
            weighted_pairs_add(&pairs[FACTOR_ARGUMENT_1 + i], (double)arguments[i], values[m], weight);
    }
    memcpy(reading->previous, values, sizeof reading->previous);
    reading->has_previous = true;
    return true;
}

/* ------------------------------------------------------------------------------------------ table -- */

struct factor {
    char name[64];
    struct correlate_row row;
};

static int correlate_compare_factors(const void *a, const void *b)
{
    const struct factor *x = a, *y = b;
    double p = fabs(x->row.correlation.r), q = fabs(y->row.correlation.r);
    return p != q ? (p > q ? -1 : 1) : strcmp(x->name, y->name);
}

/* Joins the runs that have the metrics of the first one, as all runs of one recording do. Returns the number of
 * factors. */
static size_t correlate_collect_factors(const struct variance *variance, size_t metric, double confidence,
                                        struct factor factors[FACTORS])
{
    size_t count = 0;
    const struct variance_correlation *first = variance_correlation_at(variance, 0);
    const struct variance_run *run = variance_run_at(variance, first->run);
    for (size_t f = 0; f < FACTORS; f++) {
        struct weighted_pairs all = {0};
        for (size_t i = 0; i < variance_correlation_count(variance); i++) {
            const struct variance_correlation *correlation = variance_correlation_at(variance, i);
            if (memcmp(variance_run_at(variance, correlation->run)->metrics, run->metrics, sizeof run->metrics) == 0)
                weighted_pairs_merge(&all, &correlation->pairs[metric][f]);
        }
        struct factor *factor = &factors[count];
        struct correlation *correlation = &factor->row.correlation;
        if (weighted_pairs_correlation(&all, confidence, correlation) != STATS_OK)
            continue;
        factor->row.n = all.n;
        factor->row.r_squared = correlation->r * correlation->r;
        if (f < FACTOR_METRIC + VARIANCE_METRICS)
            snprintf(factor->name, sizeof factor->name, "%s", variance_text(variance, run->metrics[f - FACTOR_METRIC]));
        else if (f == FACTOR_TIME)
            snprintf(factor->name, sizeof factor->name, "when it began");
        else if (f == FACTOR_PREVIOUS)
            snprintf(factor->name, sizeof factor->name, "previous instance");
        else
            snprintf(factor->name, sizeof factor->name, "argument %zu", f - FACTOR_ARGUMENT_1 + 1);
        count++;
    }
    qsort(factors, count, sizeof *factors, correlate_compare_factors);
    return count;
}

/* ------------------------------------------------------------------------------------------ period -- */

/* Adds the period with which instances vary, if that can't be chance, and matters. */
static void correlate_add_period(const struct variance *variance, size_t metric, struct report *report)
{
    static const double LEAST = 0.01;
    size_t n = variance_instance_count(variance), used = 0, runs = variance_run_count(variance);
    double *times = calloc(2 * n + 1, sizeof *times), *values = times ? times + n : NULL;
    struct periodicity_series *series = calloc(runs + 1, sizeof *series);
    struct periodicity found = {0};
    bool good = times && series && !variance->wish->instances;
    for (uint32_t r = 0; good && r < runs; r++) {
        size_t first = used;
        for (size_t i = 0; i < n; i++) {
            const struct variance_instance *instance = variance_instance_at(variance, i);
            if (instance->run == r) {
                times[used] = instance->time;
                values[used++] = instance->values[metric];
            }
        }
        series[r] = (struct periodicity_series){times + first, values + first, used - first};
    }
    enum stats_status status = good ? periodicity_find(series, runs, &found) : STATS_TOO_FEW;
    report->no_memory |= !times || !series || status == STATS_NO_MEMORY;
    good = status == STATS_OK && found.p < 1 - report->options->confidence && found.share >= LEAST;
    free(times);
    free(series);
    if (!good)
        return;
    char factor[64];
    snprintf(factor, sizeof factor, "period of %.3g s", found.period);
    const struct correlate_row row = {
        .factor = factor, .n = found.n, .correlation = {sqrt(found.share), NAN, NAN}, .r_squared = found.share};
    report_row(report, &row);
    report_note(report,
                "period: that of the sinusoid that explains most; by chance one would explain as much with a "
                "probability of at most %.2g",
                found.p);
}

int variance_correlate_table(const struct variance *variance, const struct variance_request *request,
                             struct report *report)
{
    const char *metric = request->metric ? request->metric : variance_basis(variance);
    struct factor factors[FACTORS];
    size_t count = 0, metric_number = 0;
    int error = report_tables(report, &variance_tables[VARIANCE_CORRELATE_TABLE], 0);
    if (variance_correlation_count(variance) > 0) {
        const struct variance_run *run = variance_run_at(variance, variance_correlation_at(variance, 0)->run);
        int m = variance_metric(variance, run, metric);
        metric_number = m < 0 ? 0 : (size_t)m;
        count = m < 0 ? 0 : correlate_collect_factors(variance, metric_number, report->options->confidence, factors);
    }
    for (size_t i = 0; !error && i < count; i++) {
        factors[i].row.factor = factors[i].name;
        report_row(report, &factors[i].row);
    }
    if (!error && count > 0)
        correlate_add_period(variance, metric_number, report);
    if (count == 0) {
        report_warn(report, "no instances of '%s' that vary are recorded", request->wish.correlate);
        report->no_result = true;
    }
    report_note(report,
                "%s of an instance of %s: r is its correlation with each factor, r_squared the share of its variance "
                "that goes with it along a straight line; a factor may be a cause, or have the same one",
                metric, request->wish.correlate);
    return error;
}
