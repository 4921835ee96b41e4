#include "stats/estimates/group.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <quadmath.h>

enum stats_status group_of_moments(const struct real_moments *moments, struct group *out)
{
    struct group group = {.n = real_moments_n(moments)};
    enum stats_status status = real_moments_quad(moments, &group.mean, &group.deviations);
    if (!status)
        *out = group;
    return status;
}

__float128 group_variance(const struct group *group)
{
    assert(group->n >= 2);
    return group->deviations / (__float128)(group->n - 1);
}

enum stats_status group_sd(const struct group *group, double *sd)
{
    return group->n < 2 ? STATS_TOO_FEW : group_to_double(sqrtq(group_variance(group)), sd);
}

__float128 group_difference(const struct group *a, const struct group *b)
{
    __float128 difference = b->mean - a->mean;
    /* A mean is a sum, scaled and divided: three roundings of 2^-113 each, of both. */
    __float128 noise = (fabsq(a->mean) + fabsq(b->mean)) * 0x1p-109;
    return fabsq(difference) <= noise ? 0 : difference;
}

enum stats_status group_to_double(__float128 value, double *out)
{
    double rounded = (double)value;
    if (!isfinite(rounded) || (value != 0 && fabs(rounded) < DBL_MIN))
        return STATS_OVERFLOW;
    *out = rounded;
    return STATS_OK;
}
