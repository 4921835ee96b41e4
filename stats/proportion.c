#include "stats/proportion.h"

#include <math.h>

#include "stats/critical.h"

enum stats_status proportion_interval(double p, double n, double confidence, double *low, double *high)
{
    double z;
    if (!(p >= 0 && p <= 1) || !(n > 0) || !isfinite(n))
        return STATS_DOMAIN;
    enum stats_status status = critical_t(confidence, INFINITY, &z);
    if (status)
        return status;
    double share = z * z / n;
    double middle = (p + share / 2) / (1 + share);
    double half = z / (1 + share) * sqrt(p * (1 - p) / n + share / (4 * n));
    *low = p == 0 ? 0 : fmax(0, fmin(p, middle - half));
    *high = p == 1 ? 1 : fmin(1, fmax(p, middle + half));
    return STATS_OK;
}

double proportion_effective(double sum, double squares, double hit_squares, double p)
{
    double variance = (hit_squares * (1 - 2 * p) + p * p * squares) / (sum * sum);
    if (!(sum > 0) || !(squares > 0))
        return NAN;
    return p > 0 && p < 1 && variance > 0 ? p * (1 - p) / variance : sum * sum / squares;
}
