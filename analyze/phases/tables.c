/* The phases with their metrics, the totals of all methods, the plane of thresholds. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/phases/rows.h"
#include "base/text.h"
#include "stats/estimates/cov.h"

enum { TOP_FOR_READERS = 20 };

size_t phases_rows(const struct phases_request *request, const struct report *report, size_t count)
{
    uint64_t top = request->has_top ? request->top : report->options->human_readable ? TOP_FOR_READERS : 0;
    return top == 0 || top > count ? count : (size_t)top;
}

/* ------------------------------------------------------------------------------------------ phases -- */

int phases_table(const struct phases_request *request, const struct phases_totals *totals, struct report *report)
{
    (void)request;
    for (size_t i = 0; i < totals->count; i++)
        for (size_t m = 0; totals->items[i].selected && m < totals->metric_count; m++) {
            const struct phases_total *item = &totals->items[i];
            struct phases_estimate estimate;
            phases_estimate(totals, item, m, report->options, &estimate);
            const struct phases_metric_row row = {.phase = phases_text(totals->phases, item->method),
                                                  .calls = item->calls,
                                                  .total_share = item->share,
                                                  .mean_share = item->mean_share,
                                                  .metric = totals->metrics[m].name,
                                                  .n = estimate.n,
                                                  .mean = estimate.mean,
                                                  .sd = estimate.sd,
                                                  .cv = estimate.cv,
                                                  .low = estimate.low,
                                                  .high = estimate.high,
                                                  .half_width = estimate.half};
            report_row(report, &row);
        }
    return 0;
}

/* ------------------------------------------------------------------------------------------ overall CoV -- */

/* The phases' CoV of one metric, weighted by their time. A phase with one call, or mean 0, has none. */
static enum stats_status phases_find_overall_cov(const struct phases_totals *totals, size_t metric,
                                                 const struct analysis_options *options, struct cov_overall *out)
{
    struct group *groups = calloc(totals->count + 1, sizeof *groups);
    double *weights = calloc(totals->count + 1, sizeof *weights);
    size_t count = 0;
    enum stats_status status = groups && weights ? STATS_OK : STATS_NO_MEMORY;
    for (size_t i = 0; !status && i < totals->count; i++) {
        struct phases_estimate estimate;
        if (!totals->items[i].selected)
            continue;
        phases_estimate(totals, &totals->items[i], metric, options, &estimate);
        if (estimate.n == 0)
            continue;
        groups[count] = estimate.group;
        weights[count++] = totals->items[i].share;
    }
    if (!status)
        status = cov_overall(groups, count, weights, out);
    free(groups);
    free(weights);
    return status;
}

static const struct table_column cov_columns[] = {{"metric", TABLE_TEXT}, {"cov", TABLE_REAL}};

int phases_overall_cov(const struct phases_totals *totals, struct report *report)
{
    json_t *covs = json_object();
    bool draw = report->wants_figure && !report->figure;
    if (!covs || (draw && !(report->figure = table_new(TABLE_COLUMNS(cov_columns)))))
        return ENOMEM;
    for (size_t m = 0; m < totals->metric_count; m++) {
        struct cov_overall overall;
        enum stats_status status = phases_find_overall_cov(totals, m, report->options, &overall);
        if (status == STATS_NO_MEMORY)
            return ENOMEM;
        text_json_set(covs, totals->metrics[m].name, status ? json_null() : json_real(overall.cov));
        if (!status && overall.left_out > 0)
            report_note(
                report,
                "%s: overall CoV %.4g, over %.2f %% of the phases' time: %zu phases with one call or mean 0 have none",
                totals->metrics[m].name, overall.cov, 100 * (1 - overall.share_left_out), overall.left_out);
        else if (!status)
            report_note(report, "%s: overall CoV %.4g: mean over the phases, weighted by their time",
                        totals->metrics[m].name, overall.cov);
        if (draw && !status) {
            table_text(report->figure, totals->metrics[m].name);
            table_real(report->figure, overall.cov);
        }
    }
    json_object_set_new(report->summary, "overall_cov", covs);
    return 0;
}

/* ------------------------------------------------------------------------------------------ totals -- */

int phases_totals_table(const struct phases_request *request, const struct phases_totals *totals, struct report *report)
{
    size_t shown = phases_rows(request, report, totals->count);
    for (size_t i = 0; i < shown; i++) {
        const struct phases_total *item = &totals->items[i];
        const struct phases_total_row row = {.method = phases_text(totals->phases, item->method),
                                             .calls = item->calls,
                                             .share = item->share,
                                             .low = item->share - item->share_half,
                                             .high = item->share + item->share_half,
                                             .exclusive = item->exclusive_share,
                                             .exclusive_low = item->exclusive_share - item->exclusive_half,
                                             .exclusive_high = item->exclusive_share + item->exclusive_half,
                                             .mean_share = item->mean_share,
                                             .total = item->basis_total,
                                             .exclusive_total = item->exclusive_total,
                                             .exceptions = item->exceptions,
                                             .unfinished = phases_unfinished(item)};
        report_row(report, &row);
    }
    if (shown < totals->count)
        report_note(report, "%zu more methods are not shown (--top 0 shows all)", totals->count - shown);
    report_note(report, "total, exclusive_total: over all runs, in the unit of %s", totals->basis);
    return 0;
}

/* ------------------------------------------------------------------------------------------ plane -- */

int phases_plane_table(const struct phases_request *request, const struct phases_totals *totals, struct report *report)
{
    (void)request;
    const struct columns *columns = &phases_columns[PHASES_VIEW_PLANE];
    report->human = report->options->human_readable ? columns_table(columns, COLUMNS_HUMAN, 0) : NULL;
    if (report->options->human_readable && !report->human)
        return ENOMEM;
    for (size_t w = 0; w < PHASES_THETAS; w++)
        for (size_t g = 0; g < PHASES_THETAS; g++) {
            struct phases_choice choice = phases_count(totals, phases_theta(w), phases_theta(g));
            const struct phases_plane_row row = {.weight = choice.weight,
                                                 .granularity = choice.granularity,
                                                 .phases = choice.phases,
                                                 .invocations = choice.invocations,
                                                 .overhead = choice.overhead};
            columns_add(report->table, columns, COLUMNS_MACHINE, 0, &row);
            if (report->human && w % 3 == 0 && g % 3 == 0)
                columns_add(report->human, columns, COLUMNS_HUMAN, 0, &row);
        }
    if (report->human)
        report_note(report, "shows powers of ten only (--format csv also has 2 and 5 times them)");
    return 0;
}
