#include "stats/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/wide.h"

/* Sorted: the n_x·n_y differences are known without being stored. */
struct differences {
    const double *x, *y;
    size_t x_count, y_count;
};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How many x_i − y_j (as doubles, so rounding can't reorder them) are ≤ limit: as x grows, fewer of the least y are. */
static wide_u128 count_up_to(const struct differences *all, double limit)
{
    wide_u128 count = 0;
    size_t j = 0;
    for (size_t i = 0; i < all->x_count; i++) {
        while (j < all->y_count && all->x[i] - all->y[j] > limit)
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

/* The difference of this rank, from 1: the least limit up to which there are so many. */
static double difference_at(const struct differences *all, wide_u128 rank)
{
    int64_t low = to_order(all->x[0] - all->y[all->y_count - 1]);
    int64_t high = to_order(all->x[all->x_count - 1] - all->y[0]);
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
    if (!isfinite(all->x[0] - all->y[all->y_count - 1]) || !isfinite(all->x[all->x_count - 1] - all->y[0]))
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

enum stats_status rank_shift(const struct rank_group *x, const struct rank_group *y, double *shift)
{
    if (x->n < 1 || y->n < 1)
        return STATS_TOO_FEW;
    if (x->n > RANK_N_MAX || y->n > RANK_N_MAX - x->n)
        return STATS_OVERFLOW;
    double *sorted = malloc((x->n + y->n) * sizeof *sorted);
    if (!sorted)
        return STATS_NO_MEMORY;
    struct differences all = {sorted, sorted + x->n, x->n, y->n};
    enum stats_status status = copy_sorted(x, sorted);
    if (!status)
        status = copy_sorted(y, sorted + x->n);
    if (!status)
        status = median_difference(&all, shift);
    free(sorted);
    return status;
}
