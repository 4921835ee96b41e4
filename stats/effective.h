/*
 * effective.h - how many independent values an autocorrelated series is worth, and the interval of its mean.
 */
#ifndef ASSAY_STATS_EFFECTIVE_H
#define ASSAY_STATS_EFFECTIVE_H

#include <stddef.h>
#include <stdint.h>

#include "stats/interval.h"
#include "stats/series.h"

enum { EFFECTIVE_N_MIN = 10 };

struct effective {
    double ess;   /* above 1 */
    double dof;   /* of the interval: 1 … n−1 */
    size_t order; /* of the autoregression, ≥ 1 */
};

/* How many autocorrelations effective_of() looks at: min(10·log10 n, n/10), at least 1. */
size_t effective_lags(uint64_t n);

/*
 * From r[lags] = r_1 … r_lags (series_autocorrelation(), autocorrelation_r()) of a series of n values. lags ≥ 1 and n >
 * lags, n ≥ EFFECTIVE_N_MIN (else STATS_TOO_FEW); |r| < 1 (STATS_DOMAIN). Fewer lags than effective_lags(n) limit the
 * order of the autoregression. O(lags²).
 */
enum stats_status effective_of(const double *r, size_t lags, uint64_t n, struct effective *out);

/* The same of a series. STATS_TOO_FEW, or as series_autocorrelation(). */
enum stats_status effective_of_series(const struct series *series, unsigned jobs, struct effective *out);

/* The interval of the mean that goes with it, from the mean and the sample standard deviation of the n values (the
 * naive one). Errors as interval_mean_of(). O(1). */
enum stats_status effective_interval(const struct effective *effective, uint64_t n, double mean, double sd,
                                     double confidence, struct interval *out);

#endif
