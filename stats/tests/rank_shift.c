#include "stats/tests/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distributions/critical.h"
#include "stats/exact/wide.h"
#include "stats/tests/rank_exact.h"

/* Sorted: the n_x·n_y differences (or ratios, of values > 0) are known without being stored. */
struct differences {
    const double *x, *y;
    size_t x_count, y_count;
    bool ratios;
};

/* Grows with x, falls as y grows. */
static inline double pair_at(const struct differences *all, size_t i, size_t j)
{
    return all->ratios ? all->x[i] / all->y[j] : all->x[i] - all->y[j];
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The number of pairs (as doubles, so rounding can't reorder them) that are ≤ limit: as x grows, fewer of the smallest
 * y are. */
static wide_u128 count_up_to(const struct differences *all, double limit)
{
    wide_u128 count = 0;
    size_t j = 0;
    for (size_t i = 0; i < all->x_count; i++) {
        while (j < all->y_count && pair_at(all, i, j) > limit)
            j++;
        count += all->y_count - j;
    }
    return count;
}

/* Doubles in order ↔ integers in order, so that bisection reaches any double in 64 steps. 0 and −0 are one. */
static int64_t to_order(double value)
{
    int64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits >= 0 ? bits : INT64_MIN - bits;
}

static double from_order(int64_t order)
{
    int64_t bits = order >= 0 ? order : INT64_MIN - order;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The difference of this rank, from 1: the smallest limit up to which there are that many. */
static double difference_at(const struct differences *all, wide_u128 rank)
{
    int64_t low = to_order(pair_at(all, 0, all->y_count - 1));
    int64_t high = to_order(pair_at(all, all->x_count - 1, 0));
    while (low < high) {
        int64_t middle = (int64_t)(((wide_i128)low + high) >> 1);
        if (count_up_to(all, from_order(middle)) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return from_order(low);
}

static enum stats_status median_difference(const struct differences *all, double *shift)
{
    if (!isfinite(pair_at(all, 0, all->y_count - 1)) || !isfinite(pair_at(all, all->x_count - 1, 0)))
        return STATS_OVERFLOW;
    wide_u128 pairs = (wide_u128)all->x_count * all->y_count;
    double upper = difference_at(all, pairs / 2 + 1);
    double lower = pairs % 2 ? upper : difference_at(all, pairs / 2);
    *shift = lower / 2 + upper / 2;
    return STATS_OK;
}

static enum stats_status copy_sorted(const struct rank_group *group, double *to)
{
    for (size_t i = 0; i < group->n; i++) {
        if (!isfinite(group->x[i]))
            return STATS_DOMAIN;
        to[i] = group->x[i];
    }
    qsort(to, group->n, sizeof *to, compare_doubles);
    return STATS_OK;
}

/* Both groups, sorted; to be released by free(*sorted). */
static enum stats_status sort_both(const struct rank_group *x, const struct rank_group *y, struct differences *all,
                                   double **sorted)
{
    if (x->n < 1 || y->n < 1)
        return STATS_TOO_FEW;
    if (x->n > RANK_N_MAX || y->n > RANK_N_MAX - x->n)
        return STATS_OVERFLOW;
    double *both = malloc((x->n + y->n) * sizeof *both);
    if (!both)
        return STATS_NO_MEMORY;
    *all = (struct differences){both, both + x->n, x->n, y->n, false};
    enum stats_status status = copy_sorted(x, both);
    if (!status)
        status = copy_sorted(y, both + x->n);
    if (status)
        free(both);
    else
        *sorted = both;
    return status;
}

enum stats_status rank_shift(const struct rank_group *x, const struct rank_group *y, double *shift)
{
    struct differences all;
    double *sorted;
    enum stats_status status = sort_both(x, y, &all, &sorted);
    if (status)
        return status;
    status = median_difference(&all, shift);
    free(sorted);
    return status;
}

/* P(U < k) without ties. */
static enum stats_status below(const struct rank_runs *untied, uint64_t k, double *p)
{
    struct tail less, greater;
    enum stats_status status = rank_exact(untied, 2 * (k - 1), &less, &greater);
    if (!status)
        *p = less.p;
    return status;
}

/* The largest k with P(U < k) ≤ tail, 0 if there is none. */
static enum stats_status exact_cut(size_t m, size_t n, double tail, uint64_t *cut)
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
        status = below(&untied, middle, &p);
        if (p <= tail)
            good = middle;
        else
            bad = middle;
    }
    *cut = good;
    free(ones);
    return status;
}

static enum stats_status find_cut(const struct differences *all, double confidence, wide_u128 *cut)
{
    double m = (double)all->x_count, n = (double)all->y_count, z;
    uint64_t exact = 0;
    enum stats_status status;
    if (m * n <= RANK_EXACT_PAIRS) {
        status = exact_cut(all->x_count, all->y_count, (1 - confidence) / 2, &exact);
        *cut = exact;
    } else {
        status = critical_t(confidence, INFINITY, &z);
        double k = status ? 0 : floor(m * n / 2 - z * sqrt(m * n / 12 * (m + n + 1)));
        *cut = k > 0 ? (wide_u128)k : 0;
    }
    return status ? status : *cut == 0 ? STATS_TOO_FEW : STATS_OK;
}

static enum stats_status ratio_bounds(const struct differences *all, double confidence, double *low, double *high)
{
    wide_u128 cut, pairs = (wide_u128)all->x_count * all->y_count;
    if (!(all->x[0] > 0) || !(all->y[0] > 0))
        return STATS_DOMAIN;
    if (!isfinite(pair_at(all, all->x_count - 1, 0)))
        return STATS_OVERFLOW;
    enum stats_status status = find_cut(all, confidence, &cut);
    if (status)
        return status;
    *low = difference_at(all, cut);
    *high = difference_at(all, pairs + 1 - cut);
    return STATS_OK;
}

enum stats_status rank_ratio_interval(const struct rank_group *x, const struct rank_group *y, double confidence,
                                      double *low, double *high)
{
    struct differences all;
    double *sorted;
    if (!(confidence > 0 && confidence < 1))
        return STATS_DOMAIN;
    enum stats_status status = sort_both(x, y, &all, &sorted);
    if (status)
        return status;
    all.ratios = true;
    status = ratio_bounds(&all, confidence, low, high);
    free(sorted);
    return status;
}
