#include "stats/estimates/runs_needed.h"

#include <math.h>

#include "stats/estimates/interval.h"

enum stats_status runs_needed(uint64_t pilot_n, double sd, double half, double confidence, uint64_t *n)
{
    double t;
    if (!(sd >= 0) || isinf(sd) || !(half > 0) || isinf(half))
        return STATS_DOMAIN;
    if (pilot_n < 2)
        return STATS_TOO_FEW;
    enum stats_status status = interval_quantile(INTERVAL_T, (double)(pilot_n - 1), confidence, &t);
    if (status)
        return status;
    double root = t * sd / half, runs = ceil(root * root);
    if (!(runs < 0x1p53))
        return STATS_OVERFLOW;
    *n = runs > (double)pilot_n ? (uint64_t)runs : pilot_n;
    return STATS_OK;
}
