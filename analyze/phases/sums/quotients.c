#include "analyze/phases/sums/quotients.h"

#include <math.h>

static void add_pair(double sum[2], double high, double low)
{
    double total = sum[0] + high, part = total - sum[0];
    double rest = (sum[0] - (total - part)) + (high - part) + sum[1] + low;
    sum[0] = total + rest;
    sum[1] = rest - (sum[0] - total);
}

static void widen(struct quotients *rate, double min, double max)
{
    if (rate->n == 0 || min < rate->min)
        rate->min = min;
    if (rate->n == 0 || max > rate->max)
        rate->max = max;
}

void quotients_add(struct quotients *rate, double x)
{
    double square = x * x;
    widen(rate, x, x);
    add_pair(rate->sum, x, 0);
    add_pair(rate->squares, square, fma(x, x, -square));
    rate->n++;
}

void quotients_merge(struct quotients *rate, const struct quotients *other)
{
    if (other->n == 0)
        return;
    widen(rate, other->min, other->max);
    add_pair(rate->sum, other->sum[0], other->sum[1]);
    add_pair(rate->squares, other->squares[0], other->squares[1]);
    rate->n += other->n;
}

enum stats_status quotients_group(const struct quotients *rate, struct group *out)
{
    if (rate->n == 0)
        return STATS_TOO_FEW;
    __float128 n = (__float128)rate->n, sum = (__float128)rate->sum[0] + (__float128)rate->sum[1];
    __float128 deviations = (__float128)rate->squares[0] + (__float128)rate->squares[1] - sum * sum / n;
    bool constant = rate->min == rate->max;
    *out = (struct group){rate->n, sum / n, constant || deviations < 0 ? 0 : deviations};
    return STATS_OK;
}

json_t *quotients_save(const struct quotients *rate)
{
    return json_pack("[I, f, f, f, f, f, f]", (json_int_t)rate->n, rate->sum[0], rate->sum[1], rate->squares[0],
                     rate->squares[1], rate->min, rate->max);
}

bool quotients_load(const json_t *saved, struct quotients *rate)
{
    json_int_t n;
    if (json_unpack((json_t *)(uintptr_t)saved, "[I, F, F, F, F, F, F]", &n, &rate->sum[0], &rate->sum[1],
                    &rate->squares[0], &rate->squares[1], &rate->min, &rate->max) != 0)
        return false;
    rate->n = (uint64_t)n;
    return n >= 0 && rate->min >= 0 && rate->min <= rate->max && (n > 0 || rate->sum[0] == 0);
}
