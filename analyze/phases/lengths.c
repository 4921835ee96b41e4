/* The durations of calls: percentiles of all methods, and the histogram of one. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/phases/rows.h"

/* ------------------------------------------------------------------------------------------ percentiles -- */

/* Within the shortest and the longest call, which are exact; NAN without values. */
static double phases_percentile(const struct rank_value *values, size_t count, double share, double low, double high)
{
    double x = values ? spread_quantile(values, count, share) : NAN;
    return x < low ? low : x > high ? high : x;
}

/* The row of one method; *error: the greatest relative error of a percentile so far. */
static int phases_add_percentiles(const struct phases_totals *totals, const struct phases_total *item, double *error,
                                  struct report *report)
{
    struct spread spread = {.limit = SPREAD_TIMES};
    struct phases_estimate estimate;
    double low = INFINITY, high = -INFINITY; /* the shortest and the longest call */
    phases_estimate(totals, item, 0, report->options, &estimate);
    for (size_t r = 0; r < totals->run_count; r++) {
        const struct phases_entry *entry =
            item->entries[r] ? phases_entry_at(totals->phases, item->entries[r] - 1) : NULL;
        if (entry && entry->moments[0].n > 0) {
            low = fmin(low, (double)entry->moments[0].min);
            high = fmax(high, (double)entry->moments[0].max);
        }
    }
    bool good = phases_spread(totals, item, 0, &spread);
    struct rank_value *values = spread_sorted(&spread);
    const struct phases_percentile_row row = {.method = phases_text(totals->phases, item->method),
                                              .calls = item->calls,
                                              .mean_ns = estimate.mean,
                                              .sd_ns = estimate.sd,
                                              .cv = estimate.cv,
                                              .p50_ns = phases_percentile(values, spread.used, 0.5, low, high),
                                              .p90_ns = phases_percentile(values, spread.used, 0.9, low, high),
                                              .p99_ns = phases_percentile(values, spread.used, 0.99, low, high),
                                              .max_ns = estimate.n ? high : NAN,
                                              .unfinished = phases_unfinished(item)};
    report_row(report, &row);
    good &= values || spread.used == 0;
    *error = fmax(*error, spread_error(&spread));
    free(values);
    spread_free(&spread);
    return good ? 0 : ENOMEM;
}

int phases_percentiles_table(const struct phases_request *request, const struct phases_totals *totals,
                             struct report *report)
{
    double error = 0;
    int status = 0;
    size_t shown = phases_rows(request, report, totals->count);
    for (size_t i = 0; !status && i < shown; i++)
        status = phases_add_percentiles(totals, &totals->items[i], &error, report);
    if (error > 0)
        report_note(report,
                    "percentiles are within %.2g %% of their value where a method has more than %d distinct lengths, "
                    "and exact otherwise; all other columns are exact",
                    100 * error, SPREAD_TIMES);
    else
        report_note(report, "percentiles are exact");
    json_object_set_new(report->summary, "percentile_error", json_real(error));
    report_note(
        report,
        "mean, sd, cv and percentiles are for the elapsed time of finished calls, including all that they call");
    if (shown < totals->count)
        report_note(report, "%zu more methods are not shown (--top 0 shows all)", totals->count - shown);
    return status;
}

/* ------------------------------------------------------------------------------------------ boxes -- */

/* The smallest and the largest value over runs. */
static void phases_length_extremes(const struct phases_totals *totals, const struct phases_total *item, size_t metric,
                                   double *min, double *max)
{
    *min = INFINITY;
    *max = -INFINITY;
    for (size_t r = 0; r < totals->run_count; r++) {
        int slot = totals->metrics[metric].slots[r];
        if (item->entries[r] == 0 || slot < 0)
            continue;
        const struct phases_entry *entry = phases_entry_at(totals->phases, item->entries[r] - 1);
        bool is_rate = totals->metrics[metric].is_rate;
        const struct quotients *rate = &entry->rates[slot];
        const struct moments *moments = &entry->moments[slot];
        if (is_rate ? rate->n == 0 : moments->n == 0)
            continue;
        *min = fmin(*min, is_rate ? rate->min : (double)moments->min);
        *max = fmax(*max, is_rate ? rate->max : (double)moments->max);
    }
}

int phases_boxes_table(const struct phases_request *request, const struct phases_totals *totals, struct report *report)
{
    size_t metric = 0;
    while (metric < totals->metric_count && strcmp(totals->metrics[metric].name, request->metric) != 0)
        metric++;
    if (metric == totals->metric_count) {
        report_warn(report, "--boxes %s: there is no such metric; assay phases lists all", request->metric);
        report->no_result = true;
        return 0;
    }
    report->x_label = request->metric; /* the totals no longer exist when the figure is drawn */
    for (size_t i = 0; i < totals->count; i++) {
        struct phases_estimate estimate;
        double min, max;
        if (!totals->items[i].selected)
            continue;
        phases_estimate(totals, &totals->items[i], metric, report->options, &estimate);
        phases_length_extremes(totals, &totals->items[i], metric, &min, &max);
        const struct phases_box_row row = {.phase = phases_text(totals->phases, totals->items[i].method),
                                           .n = estimate.n,
                                           .mean = estimate.mean,
                                           .sd = estimate.sd,
                                           .low = estimate.mean - estimate.sd,
                                           .high = estimate.mean + estimate.sd,
                                           .min = estimate.n ? min : NAN,
                                           .max = estimate.n ? max : NAN};
        report_row(report, &row);
    }
    report_note(report, "%s of a call: low, high: one standard deviation (n-1) on either side of the mean",
                request->metric);
    return 0;
}

/* ------------------------------------------------------------------------------------------ histogram -- */

/* The start of a length's bin: four per power of two. Below 4 each whole number has its own. */
static double phases_bin_start(double ns)
{
    if (ns < 4)
        return floor(ns);
    double power = ldexp(1, (int)floor(log2(ns)));
    power = power > ns ? power / 2 : power * 2 <= ns ? power * 2 : power;
    return floor(ns / (power / 4)) * (power / 4);
}

int phases_histogram_table(const struct phases_request *request, const struct phases_totals *totals,
                           struct report *report)
{
    const struct phases_total *item = phases_find(totals, request->method);
    struct spread spread = {.limit = SPREAD_TIMES};
    if (!item) {
        report_warn(report, "--histogram %s: there is no such method; assay phases --percentiles lists all",
                    request->method);
        report->no_result = true;
        return 0;
    }
    bool good = phases_spread(totals, item, 0, &spread);
    struct rank_value *values = spread_sorted(&spread);
    uint64_t before = 0;
    for (size_t i = 0; values && i < spread.used;) {
        double from = phases_bin_start(values[i].value);
        uint64_t calls = 0;
        for (; i < spread.used && phases_bin_start(values[i].value) == from; i++)
            calls += values[i].count;
        before += calls;
        const struct phases_bin_row row = {.from_ns = from,
                                           .to_ns = from < 4 ? from + 1 : from + ldexp(1, (int)floor(log2(from)) - 2),
                                           .calls = calls,
                                           .share = (double)calls / (double)spread.n,
                                           .cumulative = (double)before / (double)spread.n};
        report_row(report, &row);
    }
    report_note(report,
                "%s: elapsed times of its finished calls; a bin includes from_ns and excludes to_ns; bins without "
                "calls are left out",
                request->method);
    if (spread_error(&spread) > 0)
        report_note(report, "a length is represented by a value within %.2g %% of it", 100 * spread_error(&spread));
    good &= values || spread.used == 0;
    free(values);
    spread_free(&spread);
    return good ? 0 : ENOMEM;
}
