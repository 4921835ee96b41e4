#include "stats/estimates/cov.h"

#include <math.h>
#include <quadmath.h>

static __float128 cov_quad(const struct group *group)
{
    return sqrtq(group_variance(group)) / group->mean;
}

enum stats_status cov_of(const struct group *group, double *cov)
{
    if (group->n < 2)
        return STATS_TOO_FEW;
    if (!(group->mean > 0))
        return STATS_DOMAIN;
    return group_to_double(cov_quad(group), cov);
}

enum stats_status cov_overall(const struct group *groups, size_t count, const double *weights, struct cov_overall *out)
{
    struct cov_overall overall = {.left_out = 0};
    __float128 sum = 0, counted = 0, rest = 0;
    for (size_t i = 0; i < count; i++) {
        const struct group *group = &groups[i];
        if (group->mean < 0 || (weights && !(weights[i] >= 0 && isfinite(weights[i]))))
            return STATS_DOMAIN;
        __float128 weight = weights ? (__float128)weights[i] : (__float128)group->n * group->mean;
        if (group->n < 2 || group->mean == 0) {
            overall.left_out++;
            rest += weight;
        } else {
            counted += weight;
            sum += weight * cov_quad(group);
        }
    }
    if (counted == 0)
        return STATS_TOO_FEW;
    overall.share_left_out = (double)(rest / (rest + counted));
    enum stats_status status = group_to_double(sum / counted, &overall.cov);
    if (!status)
        *out = overall;
    return status;
}
