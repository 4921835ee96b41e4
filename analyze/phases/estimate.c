/* Estimates of a metric of a phase: over calls, and over runs. */
#include <math.h>
#include <stdlib.h>

#include "analyze/phases/totals.h"
#include "stats/estimates/cov.h"
#include "stats/estimates/interval.h"

/* The entry of a method in a run and the index of its metric; NULL if the run lacks it. */
static const struct phases_entry *phases_entry_in_run(const struct phases_totals *totals,
                                                      const struct phases_total *item, size_t metric, size_t run,
                                                      int *slot)
{
    *slot = totals->metrics[metric].slots[run];
    return item->entries[run] && *slot >= 0 ? phases_entry_at(totals->phases, item->entries[run] - 1) : NULL;
}

static bool phases_group_in_run(const struct phases_totals *totals, const struct phases_total *item, size_t metric,
                                size_t run, struct group *group)
{
    int slot;
    const struct phases_entry *entry = phases_entry_in_run(totals, item, metric, run, &slot);
    if (!entry)
        return false;
    if (totals->metrics[metric].is_rate)
        return quotients_group(&entry->rates[slot], group) == STATS_OK;
    const struct real_moments moments = {.fixed = entry->moments[slot]};
    return group_of_moments(&moments, group) == STATS_OK;
}

/* The calls of all runs. Whole numbers are summed as such, so nothing is rounded before the end. */
static bool phases_group_of_runs(const struct phases_totals *totals, const struct phases_total *item, size_t metric,
                                 struct group *group)
{
    struct real_moments moments = {0};
    struct quotients rate = {0};
    for (size_t r = 0; r < totals->run_count; r++) {
        int slot;
        const struct phases_entry *entry = phases_entry_in_run(totals, item, metric, r, &slot);
        if (!entry)
            continue;
        quotients_merge(&rate, &entry->rates[slot]);
        if (moments_merge(&moments.fixed, &entry->moments[slot]) != STATS_OK)
            return false;
    }
    if (totals->metrics[metric].is_rate)
        return quotients_group(&rate, group) == STATS_OK;
    return group_of_moments(&moments, group) == STATS_OK;
}

void phases_estimate(const struct phases_totals *totals, const struct phases_total *item, size_t metric,
                     const struct analysis_options *options, struct phases_estimate *out)
{
    struct interval interval;
    enum interval_method method = options->use_z ? INTERVAL_Z : INTERVAL_T;
    *out = (struct phases_estimate){.mean = NAN, .sd = NAN, .cv = NAN, .low = NAN, .high = NAN, .half = NAN};
    if (!phases_group_of_runs(totals, item, metric, &out->group))
        return;
    out->n = out->group.n;
    out->mean = (double)out->group.mean;
    if (group_sd(&out->group, &out->sd) != STATS_OK)
        out->sd = NAN;
    if (cov_of(&out->group, &out->cv) != STATS_OK)
        out->cv = NAN;

    /* Over runs: half the width of the interval of Σ sums / Σ n; for less than two runs, over calls. */
    size_t runs = 0;
    __float128 squares = 0;
    double q;
    for (size_t r = 0; r < totals->run_count; r++) {
        struct group group;
        if (!phases_group_in_run(totals, item, metric, r, &group))
            continue;
        __float128 apart = (__float128)group.n * (group.mean - out->group.mean);
        squares += apart * apart;
        runs++;
    }
    if (runs >= 2 && interval_quantile(method, (double)runs - 1, options->confidence, &q) == STATS_OK)
        out->half = q * sqrt((double)squares * (double)runs / (double)(runs - 1)) / (double)out->n;
    out->by_runs = !isnan(out->half);
    if (!out->by_runs && !isnan(out->sd) &&
        interval_mean_of(out->n, out->mean, out->sd, method, options->confidence, &interval) == STATS_OK)
        out->half = interval.half;
    out->low = out->mean - out->half;
    out->high = out->mean + out->half;
}

bool phases_spread(const struct phases_totals *totals, const struct phases_total *item, size_t metric,
                   struct spread *spread)
{
    bool is_rate = totals->metrics[metric].is_rate;
    for (size_t r = 0; r < totals->run_count; r++) {
        int slot;
        const struct phases_entry *entry = phases_entry_in_run(totals, item, metric, r, &slot);
        const struct spread *from = NULL;
        if (entry && slot == 0 && !is_rate)
            from = &entry->spreads.times;
        else if (entry && entry->spreads.others)
            from = &entry->spreads.others[is_rate ? METRICS_MAX + slot : slot];
        if (from && !spread_merge(spread, from))
            return false;
    }
    return true;
}

size_t phases_run_means(const struct phases_totals *totals, const struct phases_total *item, size_t metric,
                        double *means)
{
    size_t count = 0;
    for (size_t r = 0; r < totals->run_count; r++) {
        struct group group;
        if (phases_group_in_run(totals, item, metric, r, &group))
            means[count++] = (double)group.mean;
    }
    return count;
}

void phases_sums_of(const struct phases_totals *totals, const struct phases_total *item, size_t metric, double *above,
                    double *below)
{
    *above = *below = 0;
    for (size_t r = 0; r < totals->run_count; r++) {
        int slot;
        const struct phases_entry *entry = phases_entry_in_run(totals, item, metric, r, &slot);
        if (!entry)
            continue;
        struct phases_metrics metrics = phases_metrics(totals->phases, phases_run_at(totals->phases, totals->runs[r]));
        int under = metrics.denominator[slot];
        if (under < 0)
            continue;
        *above += phases_without_probe(entry->inclusive.metrics[slot], entry->inclusive.probe[slot]);
        *below +=
            phases_without_probe(entry->inclusive.metrics[under], entry->inclusive.probe[under]) / metrics.factor[slot];
    }
}
