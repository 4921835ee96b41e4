#include "stats/inference/rank.h"

#include <math.h>
#include <stdlib.h>

#include "stats/distributions/critical.h"
#include "stats/estimates/order.h"
#include "stats/exact/double_bits.h"
#include "stats/exact/wide.h"
#include "stats/inference/rank_exact.h"

/* Sorted values > 0: their n_x·n_y ratios are known without being stored. */
struct ratios {
    double *x, *y;
    size_t x_count, y_count;
};

/* Grows with x, falls as y grows. */
static inline double rank_ratio_at(const struct ratios *all, size_t i, size_t j)
{
    return all->x[i] / all->y[j];
}

/* The number of ratios (as doubles, so rounding can't reorder them) that are ≤ limit: as x grows, fewer of the smallest
 * y have one. */
static wide_u128 rank_ratio_count_up_to(const struct ratios *all, double limit)
{
    wide_u128 count = 0;
    size_t j = 0;
    for (size_t i = 0; i < all->x_count; i++) {
        while (j < all->y_count && rank_ratio_at(all, i, j) > limit)
            j++;
        count += all->y_count - j;
    }
    return count;
}

/* The ratio of this rank, from 1: the smallest limit up to which there are that many, by bisection of the bits in at
 * most 64 steps. */
static double rank_ratio_of_rank(const struct ratios *all, wide_u128 rank)
{
    uint64_t low = double_to_bits(rank_ratio_at(all, 0, all->y_count - 1)),
             high = double_to_bits(rank_ratio_at(all, all->x_count - 1, 0));
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (rank_ratio_count_up_to(all, double_of_bits(middle)) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return double_of_bits(low);
}

static bool rank_ratio_copy_sorted(const struct rank_group *group, double *to)
{
    for (size_t i = 0; i < group->n; i++) {
        if (!(group->x[i] > 0) || isinf(group->x[i]))
            return false;
        to[i] = group->x[i];
    }
    order_sort(to, group->n);
    return true;
}

/* P(U < k) without ties. */
static enum stats_status rank_ratio_probability_below(const struct rank_runs *untied, uint64_t k, double *p)
{
    struct tail less, greater;
    enum stats_status status = rank_exact(untied, 2 * (k - 1), &less, &greater);
    if (!status)
        *p = less.p;
    return status;
}

/* The largest k with P(U < k) ≤ tail, 0 if there is none. */
static enum stats_status rank_ratio_exact_cut(size_t m, size_t n, double tail, uint64_t *cut)
{
    size_t *ones = malloc((m + n) * sizeof *ones);
    if (!ones)
        return STATS_NO_MEMORY;
    for (size_t i = 0; i < m + n; i++)
        ones[i] = 1;
    struct rank_runs untied = {ones, m + n, m, n};
    enum stats_status status = STATS_OK;
    uint64_t good = 0, bad = m * n / 2 + 1; /* P(U < bad) ≥ ½ */
    while (!status && bad - good > 1) {
        uint64_t middle = good + (bad - good) / 2;
        double p = 1;
        status = rank_ratio_probability_below(&untied, middle, &p);
        if (p <= tail)
            good = middle;
        else
            bad = middle;
    }
    *cut = good;
    free(ones);
    return status;
}

static enum stats_status rank_ratio_find_cut(const struct ratios *all, double confidence, wide_u128 *cut)
{
    double m = (double)all->x_count, n = (double)all->y_count, z;
    uint64_t exact = 0;
    enum stats_status status;
    if (m * n <= (double)RANK_EXACT_PAIRS) {
        status = rank_ratio_exact_cut(all->x_count, all->y_count, (1 - confidence) / 2, &exact);
        *cut = exact;
    } else {
        status = critical_t(confidence, INFINITY, &z);
        double k = status ? 0 : floor(m * n / 2 - z * sqrt(m * n / 12 * (m + n + 1)));
        *cut = k > 0 ? (wide_u128)k : 0;
    }
    return status ? status : *cut == 0 ? STATS_TOO_FEW : STATS_OK;
}

static enum stats_status rank_ratio_bounds(const struct ratios *all, double confidence, double *low, double *high)
{
    wide_u128 cut, pairs = (wide_u128)all->x_count * all->y_count;
    if (isinf(rank_ratio_at(all, all->x_count - 1, 0)))
        return STATS_OVERFLOW;
    enum stats_status status = rank_ratio_find_cut(all, confidence, &cut);
    if (status)
        return status;
    *low = rank_ratio_of_rank(all, cut);
    *high = rank_ratio_of_rank(all, pairs + 1 - cut);
    return STATS_OK;
}

enum stats_status rank_ratio_interval(const struct rank_group *x, const struct rank_group *y, double confidence,
                                      double *low, double *high)
{
    if (!(confidence > 0 && confidence < 1))
        return STATS_DOMAIN;
    if (x->n < 1 || y->n < 1)
        return STATS_TOO_FEW;
    if (x->n > RANK_N_MAX || y->n > RANK_N_MAX - x->n)
        return STATS_OVERFLOW;
    double *both = malloc((x->n + y->n) * sizeof *both);
    if (!both)
        return STATS_NO_MEMORY;
    struct ratios all = {both, both + x->n, x->n, y->n};
    bool positive = rank_ratio_copy_sorted(x, all.x) && rank_ratio_copy_sorted(y, all.y);
    enum stats_status status = positive ? rank_ratio_bounds(&all, confidence, low, high) : STATS_DOMAIN;
    free(both);
    return status;
}
