#include "stats/estimates/interval.h"

#include <math.h>

#include "stats/distributions/critical.h"

enum stats_status interval_quantile(enum interval_method method, double dof, double confidence, double *q)
{
    return critical_t(confidence, method == INTERVAL_T ? dof : INFINITY, q);
}

static enum stats_status interval_around_mean(uint64_t n, long double mean, long double sd, enum interval_method method,
                                              double confidence, struct interval *out)
{
    double q;
    if (n < 2)
        return STATS_TOO_FEW;
    enum stats_status status = interval_quantile(method, (double)(n - 1), confidence, &q);
    if (status)
        return status;
    long double half = q * sd / sqrtl((long double)n);
    struct interval interval = {(double)mean, (double)(mean - half), (double)(mean + half), (double)half};
    if (!isfinite(interval.low) || !isfinite(interval.high) || !isfinite(interval.half))
        return STATS_OVERFLOW;
    *out = interval;
    return STATS_OK;
}

enum stats_status interval_mean_of(uint64_t n, double mean, double sd, enum interval_method method, double confidence,
                                   struct interval *out)
{
    if (!isfinite(mean) || !isfinite(sd) || sd < 0)
        return STATS_DOMAIN;
    return interval_around_mean(n, mean, sd, method, confidence, out);
}

enum stats_status interval_mean(const double *x, size_t n, enum interval_method method, double confidence,
                                struct interval *out)
{
    long double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i]))
            return STATS_DOMAIN;
        sum += x[i];
    }
    if (n < 2)
        return STATS_TOO_FEW;
    long double count = (long double)n, mean = sum / count, squares = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        long double deviation = x[i] - mean;
        squares += deviation * deviation;
        rest += deviation;
    }
    squares -= rest * rest / count; /* what the rounding of the mean added (Chan, Golub, LeVeque 1983) */
    mean += rest / count;
    return interval_around_mean(n, mean, sqrtl(squares > 0 ? squares / (count - 1) : 0), method, confidence, out);
}
