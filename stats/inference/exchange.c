#include "stats/inference/exchange.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "stats/estimates/resample.h"

enum { SHORTEST = 3 }; /* values on either side of a change */

/* Takes x[n] with mean 0. */
typedef double statistic(const double *x, size_t n, size_t lags);

static double exchange_test_level(const double *x, size_t n, size_t lags)
{
    double sum = 0, most = 0, all = (double)n;
    (void)lags;
    for (size_t k = 1; k + SHORTEST <= n; k++) {
        sum += x[k - 1];
        double squared = sum * sum / ((double)k * (all - (double)k));
        if (k >= SHORTEST && squared > most)
            most = squared;
    }
    return most;
}

/* Without the factors that are the same for all orders. */
static double exchange_ljung_box(const double *x, size_t n, size_t lags)
{
    double q = 0;
    for (size_t lag = 1; lag <= lags; lag++) {
        double sum = 0;
        for (size_t i = lag; i < n; i++)
            sum += x[i] * x[i - lag];
        q += sum * sum / (double)(n - lag);
    }
    return q;
}

static enum stats_status exchange_permute(const double *x, size_t n, size_t lags, double alpha, statistic *of,
                                          bool *found)
{
    uint64_t state = 0x2545f4914f6cdd1d;
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    if (!(alpha > 0 && alpha < 1) || !isfinite(sum))
        return STATS_DOMAIN;
    if (n < 2)
        return STATS_TOO_FEW;
    double *order = malloc(n * sizeof *order);
    if (!order)
        return STATS_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        order[i] = (double)(x[i] - sum / (long double)n);
    double observed = of(order, n, lags) * (1 - 1e-12); /* equal except for the order of the additions */
    size_t most = (size_t)(alpha * (1 + EXCHANGE_PERMUTATIONS) + 1e-9), at_least = 1;
    for (size_t i = 0; i < EXCHANGE_PERMUTATIONS && at_least <= most; i++) {
        /* Fisher and Yates. */
        for (size_t at = n - 1; at > 0; at--) {
            size_t j = resample_index(&state, at + 1);
            double kept = order[at];
            order[at] = order[j];
            order[j] = kept;
        }
        at_least += of(order, n, lags) >= observed;
    }
    free(order);
    *found = at_least <= most;
    return STATS_OK;
}

enum stats_status exchange_level(const double *x, size_t n, double alpha, bool *found)
{
    return exchange_permute(x, n, 0, alpha, exchange_test_level, found);
}

enum stats_status exchange_lags(const double *x, size_t n, size_t lags, double alpha, bool *found)
{
    if (lags < 1 || lags >= n)
        return lags < 1 ? STATS_DOMAIN : STATS_TOO_FEW;
    return exchange_permute(x, n, lags, alpha, exchange_ljung_box, found);
}
