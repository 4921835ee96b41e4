#include "stats/inference/compare.h"

#include <assert.h>
#include <quadmath.h>
#include <stdlib.h>

#include "stats/distributions/critical.h"
#include "stats/distributions/tail.h"

/* The error of a difference of two means. */
struct error {
    __float128 se; /* 0: no spread */
    double dof;
};

/* Welch's. */
static struct error compare_unequal_error(const struct group *a, const struct group *b)
{
    assert(a->n >= 2 && b->n >= 2);
    __float128 va = group_variance(a) / (__float128)a->n, vb = group_variance(b) / (__float128)b->n;
    __float128 spread = va * va / (__float128)(a->n - 1) + vb * vb / (__float128)(b->n - 1);
    __float128 square = va + vb;
    return (struct error){sqrtq(square), square > 0 ? (double)(square * square / spread) : 0};
}

/* difference ± half. */
static enum stats_status compare_set_bounds(__float128 difference, __float128 half, double *low, double *high,
                                            double *half_out)
{
    double lower, upper, rounded;
    if (group_to_double(difference - half, &lower) || group_to_double(difference + half, &upper) ||
        group_to_double(half, &rounded))
        return STATS_OVERFLOW;
    *low = lower;
    *high = upper;
    *half_out = rounded;
    return STATS_OK;
}

enum stats_status compare_welch(const struct group *a, const struct group *b, double confidence, struct welch_t *out)
{
    struct welch_t welch;
    struct tail tail;
    double quantile;
    if (a->n < 2 || b->n < 2)
        return STATS_TOO_FEW;
    struct error error = compare_unequal_error(a, b);
    if (!(confidence > 0 && confidence < 1))
        return STATS_DOMAIN;
    if (error.se == 0)
        return STATS_CONSTANT;
    __float128 difference = group_difference(b, a);
    welch.dof = error.dof;
    if (group_to_double(difference, &welch.difference) || group_to_double(difference / error.se, &welch.t))
        return STATS_OVERFLOW;
    enum stats_status status = critical_t(confidence, welch.dof, &quantile);
    if (!status)
        status = compare_set_bounds(difference, quantile * error.se, &welch.low, &welch.high, &welch.half);
    if (!status)
        status = tail_t_two_sided(welch.t, welch.dof, &tail);
    if (status)
        return status;
    welch.p = tail.p;
    welch.log10_p = tail.log10_p;
    *out = welch;
    return STATS_OK;
}

/* The q that the studentized range of this many groups exceeds with probability 1 − confidence. */
static enum stats_status compare_range_quantile(size_t groups, double dof, double confidence, double *q)
{
    if (!(confidence > 0 && confidence < 1))
        return STATS_DOMAIN;
    return critical_studentized_range(1 - confidence, (double)groups, dof, q);
}

size_t compare_pair_count(size_t groups)
{
    return groups < 2 ? 0 : groups % 2 ? (groups - 1) / 2 * groups : groups / 2 * (groups - 1);
}

/* Everything about a pair except its groups; quantile is that of the range at error.dof. */
static enum stats_status compare_test_pair(const struct group *first, const struct group *second, size_t count,
                                           struct error error, double quantile, struct compare_pair *pair)
{
    struct tail tail;
    __float128 difference = group_difference(first, second), unit = error.se / M_SQRT2q;
    pair->dof = error.dof;
    if (group_to_double(difference, &pair->difference) || group_to_double(fabsq(difference) / unit, &pair->q))
        return STATS_OVERFLOW;
    enum stats_status status = compare_set_bounds(difference, quantile * unit, &pair->low, &pair->high, &pair->half);
    if (!status)
        status = tail_studentized_range(pair->q, (double)count, pair->dof, &tail);
    if (status)
        return status;
    pair->p = tail.p;
    pair->log10_p = tail.log10_p;
    return STATS_OK;
}

/* The variance within groups that Tukey's method shares between all pairs, and its quantile. */
struct pooled {
    __float128 variance;
    double dof, quantile;
};

static enum stats_status compare_pool_groups(const struct group *groups, size_t count, double confidence,
                                             struct pooled *pooled)
{
    uint64_t n = 0;
    __float128 deviations = 0;
    for (size_t i = 0; i < count; i++) {
        if (groups[i].n < 1)
            return STATS_TOO_FEW;
        if (groups[i].n > MOMENTS_N_MAX - n)
            return STATS_OVERFLOW;
        n += groups[i].n;
        deviations += groups[i].deviations;
    }
    if (n <= count)
        return STATS_TOO_FEW;
    if (deviations == 0)
        return STATS_CONSTANT;
    pooled->variance = deviations / (__float128)(n - count);
    pooled->dof = (double)(n - count);
    return compare_range_quantile(count, pooled->dof, confidence, &pooled->quantile);
}

/* pooled NULL: Games and Howell. */
static enum stats_status compare_two_groups(const struct group *groups, size_t count, double confidence,
                                            const struct pooled *pooled, struct compare_pair *pair)
{
    const struct group *first = &groups[pair->first], *second = &groups[pair->second];
    if (pooled) {
        __float128 square = pooled->variance * (1 / (__float128)first->n + 1 / (__float128)second->n);
        struct error error = {sqrtq(square), pooled->dof};
        return compare_test_pair(first, second, count, error, pooled->quantile, pair);
    }
    struct error error = compare_unequal_error(first, second);
    double quantile;
    if (error.se == 0) {
        pair->status = STATS_CONSTANT;
        return group_to_double(group_difference(first, second), &pair->difference);
    }
    enum stats_status status = compare_range_quantile(count, error.dof, confidence, &quantile);
    return status ? status : compare_test_pair(first, second, count, error, quantile, pair);
}

static enum stats_status compare_all_pairs(const struct group *groups, size_t count, double confidence,
                                           const struct pooled *pooled, struct compare_pair **out)
{
    enum stats_status status = STATS_OK;
    if (count > UINT32_MAX)
        return STATS_NO_MEMORY;
    struct compare_pair *pairs = calloc(compare_pair_count(count), sizeof *pairs), *next = pairs;
    if (!pairs)
        return STATS_NO_MEMORY;
    for (size_t i = 0; i < count && !status; i++)
        for (size_t j = i + 1; j < count && !status; j++, next++) {
            *next = (struct compare_pair){.first = i, .second = j};
            status = compare_two_groups(groups, count, confidence, pooled, next);
        }
    if (status)
        free(pairs);
    else
        *out = pairs;
    return status;
}

enum stats_status compare_tukey(const struct group *groups, size_t count, double confidence,
                                struct compare_pair **pairs)
{
    struct pooled pooled;
    if (count < 2)
        return STATS_TOO_FEW;
    enum stats_status status = compare_pool_groups(groups, count, confidence, &pooled);
    return status ? status : compare_all_pairs(groups, count, confidence, &pooled, pairs);
}

enum stats_status compare_games_howell(const struct group *groups, size_t count, double confidence,
                                       struct compare_pair **pairs)
{
    if (count < 2)
        return STATS_TOO_FEW;
    if (!(confidence > 0 && confidence < 1))
        return STATS_DOMAIN;
    for (size_t i = 0; i < count; i++)
        if (groups[i].n < 2)
            return STATS_TOO_FEW;
    return compare_all_pairs(groups, count, confidence, NULL, pairs);
}
