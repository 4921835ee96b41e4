#include "analyze/waste/baseline/waste_baseline_change.h"

#include <math.h>

#include "stats/distributions/critical.h"
#include "stats/inference/compare.h"

const char *const waste_status_names[WASTE_STATUSES] = {"gone", "less", "same", "more", "new", "moved", "unclear"};

/* False if there are no values. */
static bool waste_change_group(const double *values, size_t count, struct group *group)
{
    struct real_moments moments = {0};
    for (size_t i = 0; i < count; i++) {
        struct decimal value;
        if (decimal_of_double(values[i], &value) != STATS_OK || real_moments_add(&moments, &value, 1) != STATS_OK)
            return false;
    }
    return group_of_moments(&moments, group) == STATS_OK;
}

/* The half width by the normal quantile. */
static double waste_change_normal(const struct group *old, const struct group *new, double confidence)
{
    double z, variance = (double)(group_variance(old) / old->n + group_variance(new) / new->n);
    return critical_t(confidence, INFINITY, &z) == STATS_OK ? z * sqrt(variance) : NAN;
}

static void waste_change_intervals(const struct group *old, const struct group *new,
                                   const struct analysis_options *options, struct waste_change *change)
{
    struct welch_t test;
    enum stats_status status = compare_welch(new, old, options->confidence, &test);
    if (status == STATS_CONSTANT) {
        change->low = change->high = change->change;
    } else if (status == STATS_OK) {
        double half = options->use_z ? waste_change_normal(old, new, options->confidence) : test.half;
        change->low = options->use_z ? change->change - half : test.low;
        change->high = options->use_z ? change->change + half : test.high;
    }
}

static bool waste_change_has_zeros(const double *values, size_t count, bool all)
{
    size_t zeros = 0;
    for (size_t i = 0; i < count; i++)
        zeros += values[i] == 0;
    return all ? count > 0 && zeros == count : zeros > 0 || count == 0;
}

void waste_change_of_runs(const double *old, size_t n, const double *new, size_t m,
                          const struct analysis_options *options, struct waste_change *change)
{
    struct group before, after;
    bool has_old = waste_change_group(old, n, &before), has_new = waste_change_group(new, m, &after);
    *change = (struct waste_change){.old = has_old ? (double)before.mean : NAN,
                                    .new = has_new ? (double)after.mean : NAN,
                                    .change = has_old &&has_new ? (double)group_difference(&before, &after) : NAN,
                                    .low = NAN,
                                    .high = NAN,
                                    .ratio = {NAN, NAN, NAN},
                                    .runs_old = n,
                                    .runs_new = m};
    change->parted = (waste_change_has_zeros(old, n, true) && !waste_change_has_zeros(new, m, false)) ||
                     (waste_change_has_zeros(new, m, true) && !waste_change_has_zeros(old, n, false));
    if (change->old > 0 && has_new)
        change->ratio.ratio = change->new / change->old;
    if (has_old && has_new && n > 1 && m > 1)
        waste_change_intervals(&before, &after, options, change);
}

void waste_change_add_ratio(const double *old, size_t n, const double *new, size_t m, double confidence,
                            struct waste_change *change)
{
    struct group before, after;
    struct ratio_side sides[2] = {{n, change->old, 0}, {m, change->new, 0}};
    bool varied = n > 1 && m > 1 && change->old > 0 && waste_change_group(old, n, &before) &&
                  waste_change_group(new, m, &after) && group_sd(&before, &sides[0].sd) == STATS_OK &&
                  group_sd(&after, &sides[1].sd) == STATS_OK;
    struct ratio ratio;
    if (varied && ratio_fieller(sides[1], sides[0], confidence, &ratio) == STATS_OK)
        change->ratio = ratio;
}

void waste_change_add_interval(const struct waste_mean *old, const struct waste_mean *new, struct waste_change *change)
{
    if (!isnan(change->low) || !old->has_interval || !new->has_interval)
        return;
    change->low = change->change - hypot(new->value - new->interval.low, old->interval.high - old->value);
    change->high = change->change + hypot(new->interval.high - new->value, old->value - old->interval.low);
}

bool waste_change_is_shown(const struct waste_change *change)
{
    if (change->parted)
        return true;
    return isnan(change->low) ? change->change != 0 && !isnan(change->change) : change->low > 0 || change->high < 0;
}

enum waste_status waste_change_status(const struct waste_change *change)
{
    double most = fmax(change->high, -change->low); /* NaN if there is no interval */
    if (!waste_change_is_shown(change))
        return change->change != 0 && most > WASTE_CLEAR * fmax(change->old, change->new) ? WASTE_UNCLEAR : WASTE_SAME;
    if (change->change < 0)
        return change->new > 0 ? WASTE_LESS : WASTE_GONE;
    return change->old > 0 ? WASTE_MORE : WASTE_NEW;
}
