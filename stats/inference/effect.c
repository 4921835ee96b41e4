#include "stats/inference/effect.h"

#include <math.h>
#include <quadmath.h>
#include <stdlib.h>

#include "stats/distributions/critical.h"
#include "stats/distributions/noncentral_t.h"
#include "stats/estimates/order.h"
#include "stats/exact/wide.h"

enum stats_status effect_hedges_g(const struct group *a, const struct group *b, double confidence, struct effect *out)
{
    struct effect effect;
    double t, scale, low, high, correction;
    if (a->n < 1 || b->n < 1 || a->n + b->n < 4)
        return STATS_TOO_FEW;
    if (!(confidence > 0 && 1 - confidence >= 2e-9))
        return STATS_DOMAIN;
    __float128 dof = (__float128)(a->n + b->n - 2), deviations = a->deviations + b->deviations;
    if (deviations == 0)
        return STATS_CONSTANT;
    __float128 inverse = sqrtq(1 / (__float128)a->n + 1 / (__float128)b->n);
    __float128 d = group_difference(b, a) / sqrtq(deviations / dof);
    enum stats_status status = noncentral_t_correction((double)dof, &correction);
    if (!status)
        status = group_to_double(d * (__float128)correction, &effect.value);
    if (!status)
        status = group_to_double(d / inverse, &t);
    if (!status)
        status = group_to_double(inverse * (__float128)correction, &scale);
    if (status)
        return status;
    effect.no_interval = noncentral_t_limit(t, (double)dof, (1 - confidence) / 2, &low);
    if (!effect.no_interval)
        effect.no_interval = noncentral_t_limit(-t, (double)dof, (1 - confidence) / 2, &high);
    effect.low = effect.no_interval ? NAN : low * scale;
    effect.high = effect.no_interval ? NAN : -high * scale;
    *out = effect;
    return STATS_OK;
}

/* ------------------------------------------------------------------------------------------ Cliff's δ -- */

/* Sums over the pairs of one sample's values with all of the other's: a value counts how many it exceeds, minus how
 * many exceed it. */
struct dominance {
    wide_i128 sum;      /* of these counts */
    __float128 squares; /* and of their squares */
    wide_u128 unequal;  /* pairs that differ */
};

/* x[n] and y[m] sorted. */
static struct dominance effect_count_pairs(const double *x, size_t n, const double *y, size_t m)
{
    struct dominance found = {0};
    for (size_t i = 0, below = 0, up_to = 0; i < n; i++) {
        while (below < m && y[below] < x[i])
            below++;
        while (up_to < m && y[up_to] <= x[i])
            up_to++;
        wide_i128 count = (wide_i128)below - (wide_i128)(m - up_to);
        found.sum += count;
        found.squares += (__float128)count * (__float128)count;
        found.unequal += below + (m - up_to);
    }
    return found;
}

/* The interval of δ, |δ| ≤ 1, from n_x and n_y ≥ 2 values. `rows` counts by x, `columns` by y. */
static enum stats_status effect_cliff_interval(const struct dominance *rows, const struct dominance *columns,
                                               size_t n_x, size_t n_y, double confidence, struct effect *effect)
{
    double t;
    __float128 n = (__float128)n_x, m = (__float128)n_y, pairs = n * m, delta = (__float128)rows->sum / pairs;
    enum stats_status status = critical_t(confidence, (double)n_x + (double)n_y - 2, &t);
    if (status)
        return status;
    __float128 t2 = (__float128)t * (__float128)t, rest = 1 - delta * delta;
    if (rest == 0) {
        __float128 least = n < m ? n : m;
        double bound = fmax((double)((least - t2) / (least + t2)), -1);
        effect->low = effect->value > 0 ? bound : -1;
        effect->high = effect->value > 0 ? 1 : -bound;
        return STATS_OK;
    }
    /* n_y²Σ(d_i·−δ)² = Σ(n_y·d_i·)² − n_x·(n_y·δ)², and so on: the counts are integers. */
    __float128 by_x = rows->squares - n * (m * delta) * (m * delta);
    __float128 by_y = columns->squares - m * (n * delta) * (n * delta);
    __float128 by_pair = (__float128)rows->unequal - pairs * delta * delta;
    __float128 variance = (by_x + by_y - by_pair) / (pairs * (n - 1) * (m - 1)), least = rest / (pairs - 1);
    __float128 spread = t2 * (variance > least ? variance : least);
    __float128 half = sqrtq(spread * (rest * rest + spread)), middle = delta * rest;
    effect->low = (double)((middle - half) / (rest + spread));
    effect->high = (double)((middle + half) / (rest + spread));
    return STATS_OK;
}

enum stats_status effect_cliff_delta(const struct rank_group *x, const struct rank_group *y, double confidence,
                                     struct effect *out)
{
    if (x->n < 1 || y->n < 1)
        return STATS_TOO_FEW;
    if (x->n > RANK_N_MAX || y->n > RANK_N_MAX - x->n)
        return STATS_OVERFLOW;
    if (!(confidence > 0 && confidence < 1) || !order_all_finite(x->x, x->n) || !order_all_finite(y->x, y->n))
        return STATS_DOMAIN;
    double *both = malloc((x->n + y->n) * sizeof *both), *other = both ? both + x->n : NULL;
    if (!both)
        return STATS_NO_MEMORY;
    for (size_t i = 0; i < x->n; i++)
        both[i] = x->x[i];
    for (size_t i = 0; i < y->n; i++)
        other[i] = y->x[i];
    order_sort(both, x->n);
    order_sort(other, y->n);
    struct dominance rows = effect_count_pairs(both, x->n, other, y->n);
    struct dominance columns = effect_count_pairs(other, y->n, both, x->n);
    free(both);
    struct effect effect = {.value = (double)((__float128)rows.sum / ((__float128)x->n * (__float128)y->n)),
                            .low = NAN,
                            .high = NAN,
                            .no_interval = STATS_TOO_FEW};
    if (x->n > 1 && y->n > 1)
        effect.no_interval = effect_cliff_interval(&rows, &columns, x->n, y->n, confidence, &effect);
    *out = effect;
    return STATS_OK;
}

struct effect effect_a12(const struct effect *delta)
{
    return (struct effect){(delta->value + 1) / 2, (delta->low + 1) / 2, (delta->high + 1) / 2, delta->no_interval};
}
