#include "stats/estimates/runs_needed.h"

#include <math.h>
#include <stdbool.h>

#include "stats/distributions/tail.h"

enum stats_status runs_needed(struct runs_pilot pilot, double half, double confidence, uint64_t *n)
{
    double t;
    if (!(pilot.sd >= 0) || isinf(pilot.sd) || !(half > 0) || isinf(half))
        return STATS_DOMAIN;
    if (pilot.n < 2)
        return STATS_TOO_FEW;
    enum stats_status status = interval_quantile(INTERVAL_T, (double)(pilot.n - 1), confidence, &t);
    if (status)
        return status;
    double root = t * pilot.sd / half, runs = ceil(root * root);
    if (!(runs < 0x1p53))
        return STATS_OVERFLOW;
    *n = runs > (double)pilot.n ? (uint64_t)runs : pilot.n;
    return STATS_OK;
}

static const uint64_t RUNS_MOST = UINT64_C(1) << 53;

static bool runs_are_enough(uint64_t n, double ratio, enum interval_method method, double confidence)
{
    double q;
    return interval_quantile(method, (double)(n - 1), confidence, &q) == STATS_OK && q * ratio <= sqrt((double)n);
}

/* The least n ≥ 2 with q(n)·ratio ≤ √n: q falls and √n rises, so it can be searched for by halves. */
static uint64_t runs_needed_least(double ratio, enum interval_method method, double confidence)
{
    uint64_t wide = 1, narrow = 2;
    while (!runs_are_enough(narrow, ratio, method, confidence)) {
        if (narrow >= RUNS_MOST)
            return UINT64_MAX;
        wide = narrow;
        narrow *= 2;
    }
    while (narrow - wide > 1) {
        uint64_t middle = wide + (narrow - wide) / 2;
        if (runs_are_enough(middle, ratio, method, confidence))
            narrow = middle;
        else
            wide = middle;
    }
    return narrow;
}

/* x with P(X ≥ x) = p, of chi-square with dof ≥ 1, by halves of log x: relative error below 1e-12 for p ≤ 0.999. (Some
 * values of GSL's gsl_cdf_chisq_Qinv() are wrong: by 13 % for p = 0.025 at 5043 degrees of freedom, by 32 % at
 * 100,000.) */
static double runs_needed_chi_square(double p, double dof)
{
    double low = -700, high = log(dof) + 10;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        struct tail tail;
        if (tail_chi_square(exp(middle), dof, &tail) == STATS_OK && tail.p > p)
            low = middle;
        else
            high = middle;
    }
    return exp((low + high) / 2);
}

enum stats_status runs_expected(struct runs_pilot pilot, double half, enum interval_method method, double confidence,
                                double sure, struct runs_expected *out)
{
    double dof = (double)pilot.n - 1, q, ratio = pilot.sd / half;
    if (!(pilot.sd >= 0) || isinf(pilot.sd) || !(half > 0) || isinf(half) || !(sure > 0 && sure < 1))
        return STATS_DOMAIN;
    if (pilot.n < 2)
        return STATS_TOO_FEW;
    enum stats_status status = interval_quantile(method, dof, confidence, &q);
    if (status)
        return status;
    double least = sqrt(dof / runs_needed_chi_square((1 - sure) / 2, dof));
    double most = sqrt(dof / runs_needed_chi_square((1 + sure) / 2, dof));
    *out = (struct runs_expected){.n = runs_needed_least(ratio, method, confidence),
                                  .low = runs_needed_least(ratio * least, method, confidence),
                                  .high = runs_needed_least(ratio * most, method, confidence)};
    return STATS_OK;
}
