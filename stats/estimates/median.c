#include "stats/estimates/median.h"

#include <gsl/gsl_cdf.h>

/* P(B ≤ k) = P(Beta(n−k, k+1) ≥ ½), whose tail GSL has for real parameters of any size. */
static double binomial_half(size_t k, size_t n)
{
    return gsl_cdf_beta_Q(0.5, (double)k + 1, (double)(n - k));
}

enum stats_status median_interval(const double *sorted, size_t n, double confidence, double *low, double *high)
{
    if (!(confidence > 0 && confidence < 1))
        return STATS_DOMAIN;
    double tail = (1 - confidence) / 2;
    if (n < 1 || binomial_half(0, n) > tail)
        return STATS_TOO_FEW;
    size_t good = 0, bad = n / 2; /* P(B ≤ good) ≤ tail */
    while (bad - good > 1) {
        size_t middle = good + (bad - good) / 2;
        if (binomial_half(middle, n) <= tail)
            good = middle;
        else
            bad = middle;
    }
    *low = sorted[good];
    *high = sorted[n - 1 - good];
    return STATS_OK;
}
