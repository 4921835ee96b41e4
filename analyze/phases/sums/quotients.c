#include "analyze/phases/sums/quotients.h"

#include <errno.h>
#include <math.h>

static void quotients_add_pair(double sum[2], double high, double low)
{
    double total = sum[0] + high, part = total - sum[0];
    double rest = (sum[0] - (total - part)) + (high - part) + sum[1] + low;
    sum[0] = total + rest;
    sum[1] = rest - (sum[0] - total);
}

static void quotients_widen_range(struct quotients *all, double min, double max)
{
    if (all->n == 0 || min < all->min)
        all->min = min;
    if (all->n == 0 || max > all->max)
        all->max = max;
}

void quotients_add(struct quotients *all, double x)
{
    double square = x * x;
    quotients_widen_range(all, x, x);
    quotients_add_pair(all->sum, x, 0);
    quotients_add_pair(all->squares, square, fma(x, x, -square));
    all->n++;
}

void quotients_merge(struct quotients *all, const struct quotients *other)
{
    if (other->n == 0)
        return;
    quotients_widen_range(all, other->min, other->max);
    quotients_add_pair(all->sum, other->sum[0], other->sum[1]);
    quotients_add_pair(all->squares, other->squares[0], other->squares[1]);
    all->n += other->n;
}

enum stats_status quotients_group(const struct quotients *all, struct group *out)
{
    if (all->n == 0)
        return STATS_TOO_FEW;
    __float128 n = (__float128)all->n, sum = (__float128)all->sum[0] + (__float128)all->sum[1];
    __float128 deviations = (__float128)all->squares[0] + (__float128)all->squares[1] - sum * sum / n;
    bool constant = all->min == all->max;
    *out = (struct group){all->n, sum / n, constant || deviations < 0 ? 0 : deviations};
    return STATS_OK;
}

/* ------------------------------------------------------------------------------------------ as a field -- */

static int quotients_join(void *into, const void *from)
{
    quotients_merge(into, from);
    return 0;
}

static json_t *quotients_save(const void *object)
{
    const struct quotients *all = object;
    return json_pack("[I, f, f, f, f, f, f]", (json_int_t)all->n, all->sum[0], all->sum[1], all->squares[0],
                     all->squares[1], all->min, all->max);
}

static int quotients_load(void *object, const json_t *saved)
{
    struct quotients *all = object;
    json_int_t n;
    if (json_unpack((json_t *)(uintptr_t)saved, "[I, F, F, F, F, F, F]", &n, &all->sum[0], &all->sum[1],
                    &all->squares[0], &all->squares[1], &all->min, &all->max) != 0)
        return EINVAL;
    all->n = (uint64_t)n;
    return n >= 0 && all->min >= 0 && all->min <= all->max && (n > 0 || all->sum[0] == 0) ? 0 : EINVAL;
}

const struct field_class quotients_class = {
    .bytes = sizeof(struct quotients), .join = quotients_join, .save = quotients_save, .load = quotients_load};
