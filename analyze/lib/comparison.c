#include "analyze/lib/comparison.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/compare.h"
#include "stats/rank.h"
#include "stats/real_moments.h"

static_assert(RATIO_RESAMPLES == 10000, "the names of the methods say so");

enum stats_status comparison_side_init(struct comparison_side *side, const struct series *series)
{
    struct real_moments moments;
    *side = (struct comparison_side){.n = series->n};
    side->x = malloc((series->n ? series->n : 1) * sizeof *side->x);
    if (!side->x)
        return STATS_NO_MEMORY;
    series_to_doubles(series, side->x);
    real_moments_of_series(series, &moments);
    enum stats_status status = group_of_moments(&moments, &side->group);
    if (!status)
        status = real_moments_mean(&moments, &side->mean);
    return status ? status : real_moments_sd(&moments, &side->sd);
}

void comparison_side_free(struct comparison_side *side)
{
    free(side->x);
    side->x = NULL;
}

static enum stats_status rank_test(const struct comparison_side *a, const struct comparison_side *b,
                                   struct comparison *out)
{
    struct mann_whitney found;
    struct rank_group x = {a->x, a->n}, y = {b->x, b->n};
    enum stats_status status = rank_mann_whitney(&x, &y, &found);
    if (status)
        return status;
    out->p = found.p;
    out->log10_p = found.log10_p;
    out->method = found.method == RANK_EXACT ? "Mann-Whitney (exact), BCa, 10000 resamples"
                                             : "Mann-Whitney (normal), BCa, 10000 resamples";
    return STATS_OK;
}

static enum stats_status t_test(const struct comparison_side *a, const struct comparison_side *b, double confidence,
                                struct comparison *out)
{
    struct welch_t found;
    enum stats_status status = compare_welch(&a->group, &b->group, confidence, &found);
    if (status)
        return status;
    out->p = found.p;
    out->log10_p = found.log10_p;
    return STATS_OK;
}

static enum stats_status find_ratio(const struct comparison_side *a, const struct comparison_side *b, bool delta,
                                    double confidence, struct ratio *ratio)
{
    double exact;
    struct ratio_side x = {a->n, a->mean, a->sd}, y = {b->n, b->mean, b->sd};
    enum stats_status status = delta ? ratio_delta(x, y, confidence, ratio)
                                     : ratio_bootstrap(a->x, a->n, b->x, b->n, RATIO_RESAMPLES, confidence, ratio);
    if (!status)
        status = group_to_double(a->group.mean / b->group.mean, &exact);
    if (status)
        return status;
    if (ratio->low == ratio->high) /* no spread at all */
        ratio->low = ratio->high = exact;
    ratio->ratio = exact;
    return STATS_OK;
}

static struct ratio speedup_of(const struct ratio *ratio, bool rates)
{
    if (rates)
        return *ratio;
    return (struct ratio){1 / ratio->ratio, 1 / ratio->high, ratio->low > 0 ? 1 / ratio->low : NAN};
}

enum stats_status comparison_make(const struct comparison_side *a, const struct comparison_side *b, const char *method,
                                  bool rates, double confidence, struct comparison *out)
{
    bool delta = strcmp(method, "welch") == 0, ranks = strcmp(method, "mann-whitney") == 0;
    struct comparison found = {
        .p = NAN, .log10_p = NAN, .method = delta ? "Welch t, delta" : "Welch t, BCa, 10000 resamples"};
    enum stats_status status = find_ratio(a, b, delta, confidence, &found.ratio);
    if (status)
        return status;
    found.speedup = speedup_of(&found.ratio, rates);
    status = ranks ? rank_test(a, b, &found) : t_test(a, b, confidence, &found);
    found.constant = status == STATS_CONSTANT;
    if (status && !found.constant)
        return status;
    *out = found; /* of constant groups the ratio stands */
    return STATS_OK;
}
