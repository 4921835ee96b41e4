#include "stats/estimates/weighted_pairs.h"

#include <math.h>

#include "stats/distributions/critical.h"

void weighted_pairs_merge(struct weighted_pairs *pairs, const struct weighted_pairs *other)
{
    double sum = pairs->weight + other->weight;
    if (other->n == 0)
        return;
    double dx = other->mean_x - pairs->mean_x, dy = other->mean_y - pairs->mean_y;
    double part = other->weight / sum, product = pairs->weight * part;
    pairs->xx += other->xx + dx * dx * product;
    pairs->yy += other->yy + dy * dy * product;
    pairs->xy += other->xy + dx * dy * product;
    pairs->mean_x += dx * part;
    pairs->mean_y += dy * part;
    pairs->weight = sum;
    pairs->weight_squares += other->weight_squares;
    pairs->n += other->n;
}

void weighted_pairs_add(struct weighted_pairs *pairs, double x, double y, double weight)
{
    weighted_pairs_merge(pairs,
                         &(struct weighted_pairs){
                             .n = 1, .weight = weight, .weight_squares = weight * weight, .mean_x = x, .mean_y = y});
}

enum stats_status weighted_pairs_correlation(const struct weighted_pairs *pairs, double confidence,
                                             struct correlation *out)
{
    double z, n = pairs->n > 0 ? pairs->weight * pairs->weight / pairs->weight_squares : 0;
    if (!(n > 3))
        return STATS_TOO_FEW;
    if (!(pairs->xx > 0) || !(pairs->yy > 0))
        return STATS_DOMAIN;
    enum stats_status status = critical_t(confidence, INFINITY, &z);
    double r = pairs->xy / sqrt(pairs->xx) / sqrt(pairs->yy);
    r = fmax(-1, fmin(1, r));
    double step = z / sqrt(n - 3);
    *out = (struct correlation){r, fabs(r) < 1 ? tanh(atanh(r) - step) : r, fabs(r) < 1 ? tanh(atanh(r) + step) : r};
    return status;
}
