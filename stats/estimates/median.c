#include "stats/estimates/median.h"

#include "stats/distributions/tail.h"

/* P(B ≤ k) = I_½(n−k, k+1), a tail of F, to 15 digits for n = 1000, 13 for 40,000. (GSL's gsl_cdf_beta_Q() keeps 13 for
 * n = 1000, 10 for 100,000.)
 */
static double median_binomial_tail(size_t k, size_t n)
{
    double above = (double)(n - k), up_to = (double)k + 1;
    struct tail tail = {.p = 1};
    tail_f(above / up_to, 2 * up_to, 2 * above, &tail);
    return tail.p;
}

enum stats_status median_interval(const double *sorted, size_t n, double confidence, double *low, double *high)
{
    if (!(confidence > 0 && confidence < 1))
        return STATS_DOMAIN;
    double tail = (1 - confidence) / 2;
    if (n < 1 || median_binomial_tail(0, n) > tail)
        return STATS_TOO_FEW;
    size_t good = 0, bad = n / 2; /* P(B ≤ good) ≤ tail */
    while (bad - good > 1) {
        size_t middle = good + (bad - good) / 2;
        if (median_binomial_tail(middle, n) <= tail)
            good = middle;
        else
            bad = middle;
    }
    *low = sorted[good];
    *high = sorted[n - 1 - good];
    return STATS_OK;
}
