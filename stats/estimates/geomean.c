#include "stats/estimates/geomean.h"

#include <math.h>

static enum stats_status geomean_mean_log(const double *x, size_t n, long double *mean)
{
    long double sum = 0, carry = 0; /* Kahan's: a million logarithms keep their digits */
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] > 0) || isinf(x[i]))
            return STATS_DOMAIN;
        long double term = logl(x[i]) - carry, next = sum + term;
        carry = next - sum - term;
        sum = next;
    }
    if (n < 1)
        return STATS_TOO_FEW;
    *mean = sum / (long double)n;
    return STATS_OK;
}

enum stats_status geomean_of(const double *x, size_t n, double *geomean)
{
    long double mean;
    enum stats_status status = geomean_mean_log(x, n, &mean);
    if (!status)
        *geomean = (double)expl(mean);
    return status;
}

enum stats_status geomean_interval(const double *x, size_t n, enum interval_method method, double confidence,
                                   struct interval *out)
{
    long double mean, squares = 0;
    double q;
    enum stats_status status = geomean_mean_log(x, n, &mean);
    if (status)
        return status;
    if (n < 2)
        return STATS_TOO_FEW;
    if ((status = interval_quantile(method, (double)(n - 1), confidence, &q)) != STATS_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        long double deviation = logl(x[i]) - mean;
        squares += deviation * deviation;
    }
    long double count = (long double)n, half = q * sqrtl(squares / (count - 1) / count);
    struct interval interval = {(double)expl(mean), (double)expl(mean - half), (double)expl(mean + half), 0};
    interval.half = fmax(interval.high - interval.mean, interval.mean - interval.low);
    if (!isfinite(interval.high) || interval.low <= 0)
        return STATS_OVERFLOW;
    *out = interval;
    return STATS_OK;
}
