#include "stats/estimates/effective.h"

#include <math.h>

#include "stats/autocorrelation/series_autocorrelation.h"

/* 10·log10 of the at most 2^64 values, and some margin. */
enum { ORDER_MAX = 200 };

size_t effective_lags(uint64_t n)
{
    if (n < 20)
        return 1;
    double wanted = 10 * log10((double)n);
    uint64_t most = n / 10;
    return (double)most < wanted ? (size_t)most : (size_t)wanted;
}

/* Partial autocorrelations (Durbin 1960) as far as their magnitudes are below 1: all are, except by rounding. Returns
 * their number. */
static size_t partial_autocorrelations(const double *r, size_t lags, double *partial)
{
    double predictor[ORDER_MAX + 1] = {0}, previous[ORDER_MAX + 1], variance = 1;
    for (size_t k = 1; k <= lags; k++) {
        double rest = r[k - 1];
        for (size_t j = 1; j < k; j++) {
            previous[j] = predictor[j];
            rest -= predictor[j] * r[k - j - 1];
        }
        double p = rest / variance;
        if (!(fabs(p) < 1))
            return k - 1;
        for (size_t j = 1; j < k; j++)
            predictor[j] = previous[j] - p * previous[k - j];
        predictor[k] = partial[k - 1] = p;
        variance *= 1 - p * p;
    }
    return lags;
}

enum stats_status effective_of(const double *r, size_t lags, uint64_t n, struct effective *out)
{
    if (lags < 1 || n <= lags || n < EFFECTIVE_N_MIN)
        return STATS_TOO_FEW;
    for (size_t k = 0; k < lags; k++)
        if (!(fabs(r[k]) < 1))
            return STATS_DOMAIN;
    double partial[ORDER_MAX] = {0}, values = (double)n;
    size_t wanted = effective_lags(n), used = lags < wanted ? lags : wanted;
    /* By AICc (Hurvich and Tsai 1989). */
    size_t count = partial_autocorrelations(r, used, partial);
    double log_variance = 0, least = INFINITY;
    size_t order = 1;
    for (size_t k = 1; k <= count; k++) {
        log_variance += log1p(-partial[k - 1] * partial[k - 1]);
        double parameters = (double)k + 1,
               criterion = values * log_variance + 2 * parameters * values / (values - parameters - 1);
        if (criterion < least) {
            least = criterion;
            order = k;
        }
    }
    double innovations = 1, gain = 1, tau = 1, taus = 0;
    for (size_t k = order; k >= 1; k--) {
        /* This takes out the bias of order 1/n: −(1 + 4ρ)/n for the first, and alternately −1/n and −2/n around 0 for
         * the others. */
        double corrected = (values * partial[k - 1] + (k % 2 == 1 ? 1 : 2)) / (values - 3 - (double)k),
               limit = 1 - 4 / values;
        double p = fmax(-limit, fmin(corrected, limit));
        innovations *= 1 - partial[k - 1] * partial[k - 1];
        gain *= (1 - p) * (1 - p);
        tau *= (1 + p) / (1 - p);
        taus += tau;
    }
    out->ess = 1 + (values - 1 - (double)order) * gain / innovations;
    out->dof = fmax(1, fmin(values / (1 + 2 * taus), values - 1));
    out->order = order;
    return STATS_OK;
}

enum stats_status effective_of_series(const struct series *series, unsigned jobs, struct effective *out)
{
    double r[ORDER_MAX];
    if (series->n < EFFECTIVE_N_MIN)
        return STATS_TOO_FEW;
    size_t lags = effective_lags(series->n);
    enum stats_status status = series_autocorrelation(series, lags, jobs, r);
    return status ? status : effective_of(r, lags, series->n, out);
}

enum stats_status effective_interval(const struct effective *effective, uint64_t n, double mean, double sd,
                                     double confidence, struct interval *out)
{
    double q, count = (double)n;
    if (!isfinite(mean) || !isfinite(sd) || sd < 0 || !(effective->ess > 1))
        return STATS_DOMAIN;
    if (n < 2)
        return STATS_TOO_FEW;
    enum stats_status status = interval_quantile(INTERVAL_T, effective->dof, confidence, &q);
    if (status)
        return status;
    double half = q * sd * sqrt((count - 1) / count / (effective->ess - 1));
    struct interval interval = {mean, mean - half, mean + half, half};
    if (!isfinite(interval.low) || !isfinite(interval.high) || !isfinite(half))
        return STATS_OVERFLOW;
    *out = interval;
    return STATS_OK;
}
