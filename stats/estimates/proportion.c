#include "stats/estimates/proportion.h"

#include <math.h>

#include "stats/distributions/critical.h"

/* Wilson's interval with the quantile q. */
static void proportion_wilson(double p, double n, double q, double *low, double *high)
{
    double share = q * q / n;
    double middle = (p + share / 2) / (1 + share);
    double half = q / (1 + share) * sqrt(p * (1 - p) / n + share / (4 * n));
    *low = p == 0 ? 0 : fmax(0, fmin(p, middle - half));
    *high = p == 1 ? 1 : fmin(1, fmax(p, middle + half));
}

enum stats_status proportion_interval(double p, double n, double confidence, double *low, double *high)
{
    double z;
    if (!(p >= 0 && p <= 1) || !(n > 0) || !isfinite(n))
        return STATS_DOMAIN;
    enum stats_status status = critical_t(confidence, INFINITY, &z);
    if (status)
        return status;
    proportion_wilson(p, n, z, low, high);
    return STATS_OK;
}

double proportion_effective(double sum, double squares, double hit_squares, double p)
{
    double variance = (hit_squares * (1 - 2 * p) + p * p * squares) / (sum * sum);
    if (!(sum > 0) || !(squares > 0))
        return NAN;
    return p > 0 && p < 1 && variance > 0 ? p * (1 - p) / variance : sum * sum / squares;
}

enum stats_status proportion_mean_interval(const double *p, size_t n, enum interval_method method, double confidence,
                                           struct interval *out)
{
    double q;
    struct interval interval;
    for (size_t i = 0; i < n; i++)
        if (!(p[i] >= 0 && p[i] <= 1))
            return STATS_DOMAIN;
    enum stats_status status = interval_mean(p, n, method, confidence, &interval);
    if (!status && (interval.low < 0 || interval.high > 1)) {
        status = interval_quantile(method, (double)(n - 1), confidence, &q);
        double error = interval.half / q, mean = interval.mean;
        if (!status)
            proportion_wilson(mean, mean * (1 - mean) / (error * error), q, &interval.low, &interval.high);
        interval.half = (interval.high - interval.low) / 2;
    }
    if (!status)
        *out = interval;
    return status;
}

enum stats_status proportion_widen(double p, double sd, double confidence, double *low, double *high)
{
    double z;
    enum stats_status status = sd >= 0 ? critical_t(confidence, INFINITY, &z) : STATS_DOMAIN;
    if (status || isnan(*low) || isnan(*high))
        return status;
    *low = fmax(0, p - hypot(p - *low, z * sd));
    *high = fmin(1, p + hypot(*high - p, z * sd));
    return STATS_OK;
}
