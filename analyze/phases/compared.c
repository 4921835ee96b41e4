/* Compares two sets of traces: what changed since the baseline. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/phases/rows.h"
#include "stats/inference/compare.h"

/* ------------------------------------------------------------------------------------------ samples -- */

bool phases_sample(struct phases_side *side, const struct analysis_options *options, bool by_runs)
{
    struct phases_estimate estimate;
    struct real_moments moments = {0};
    phases_estimate(side->totals, side->item, side->metric, options, &estimate);
    side->group = estimate.group;
    if (!by_runs)
        return estimate.n > 0;
    size_t count = phases_run_means(side->totals, side->item, side->metric, side->means);
    for (size_t i = 0; i < count; i++) {
        struct decimal value;
        if (decimal_of_double(side->means[i], &value) != STATS_OK || real_moments_add(&moments, &value, 1) != STATS_OK)
            return false;
    }
    return count > 1 && group_of_moments(&moments, &side->group) == STATS_OK;
}

struct ratio phases_ratio(const struct group *new, const struct group *old, double confidence)
{
    struct ratio ratio = {NAN, NAN, NAN};
    double sd_old, sd_new;
    if (group_sd(old, &sd_old) == STATS_OK && group_sd(new, &sd_new) == STATS_OK)
        ratio_fieller((struct ratio_side){new->n, (double)new->mean, sd_new},
                      (struct ratio_side){old->n, (double)old->mean, sd_old}, confidence, &ratio);
    return ratio;
}

/* ------------------------------------------------------------------------------------------ baseline -- */

static void phases_add_comparison(struct phases_side *old, struct phases_side *new, struct report *report)
{
    const struct analysis_options *options = report->options;
    bool by_runs = phases_run_means(old->totals, old->item, old->metric, old->means) > 1 &&
                   phases_run_means(new->totals, new->item, new->metric, new->means) > 1;
    bool has_old = phases_sample(old, options, by_runs);
    if (!phases_sample(new, options, by_runs) || !has_old)
        return;
    struct welch_t test = {.low = NAN, .high = NAN, .p = NAN, .log10_p = NAN, .half = NAN};
    test.difference = (double)group_difference(&old->group, &new->group);
    compare_welch(&new->group, &old->group, options->confidence, &test);
    const struct phases_baseline_row row = {.phase = phases_text(new->totals->phases, new->item->method),
                                            .metric = new->totals->metrics[new->metric].name,
                                            .n_old = old->group.n,
                                            .n_new = new->group.n,
                                            .old = (double)old->group.mean,
                                            .new = (double)new->group.mean,
                                            .ratio = phases_ratio(&new->group, &old->group, options->confidence),
                                            .difference = test.difference,
                                            .low = test.low,
                                            .high = test.high,
                                            .half_width = test.half,
                                            .p = test.p,
                                            .log10_p = test.log10_p,
                                            .sample = by_runs ? "runs" : "calls"};
    report_row(report, &row);
}

int phases_baseline_table(const struct phases_totals *old, const struct phases_totals *new, struct report *report)
{
    double *means[2] = {calloc(old->run_count + 1, sizeof(double)), calloc(new->run_count + 1, sizeof(double))};
    size_t one_sided = 0;
    bool good = means[0] && means[1];
    for (size_t i = 0; good && i < new->count; i++) {
        const struct phases_total *item = &new->items[i];
        const struct phases_total *before = phases_find(old, phases_text(new->phases, item->method));
        if (!item->selected && !(before && before->selected))
            continue;
        one_sided += !before;
        for (size_t m = 0; before && m < new->metric_count; m++) {
            const struct phases_metric *metric = &new->metrics[m];
            size_t same = 0; /* the same metric in the old traces */
            while (same < old->metric_count && (old->metrics[same].is_rate != metric->is_rate ||
                                                strcmp(old->metrics[same].name, metric->name) != 0))
                same++;
            struct phases_side sides[2] = {{old, before, same, means[0], {0}}, {new, item, m, means[1], {0}}};
            if (same < old->metric_count)
                phases_add_comparison(&sides[0], &sides[1], report);
        }
    }
    for (size_t i = 0; i < old->count; i++)
        one_sided += old->items[i].selected && !phases_find(new, phases_text(old->phases, old->items[i].method));
    free(means[0]);
    free(means[1]);
    if (!good)
        return ENOMEM;
    report_note(report,
                "difference: new - old, its interval and p by Welch's t test; ratio: new / old, Fieller's "
                "interval; sample: means of runs; where a side has only one run, its calls, taken as independent");
    report_note(report,
                "p is not adjusted for the number of rows: of 20 rows without a change, one has p < 0.05 on average");
    if (one_sided > 0)
        report_warn(report, "%zu phases were called in the old or in the new traces only, and are not compared",
                    one_sided);
    return 0;
}
