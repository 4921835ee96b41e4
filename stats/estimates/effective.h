/*
 * effective.h - how many independent values an autocorrelated series is worth, and the interval of its mean.
 *
 * Quantity: the variance V of the mean of a stationary series is σ²/n·(1 + 2Σρ_k), and the effective sample size ess is
 * the number of independent values whose mean has it. From the data: V = s²(n−1)/(n(ess−1)), which for ess = n is the
 * usual s²/n. Where neighbours are negatively correlated ess exceeds n: such a mean really is more precise. The
 * interval is x̄ ± t·√V.
 *
 * Estimator: V is that of an autoregression (the autoregressive spectral estimate at frequency 0; Berk 1974,
 * Annals of Statistics 2) of order 1 or more, chosen by AICc (Hurvich and Tsai 1989, DOI 10.1093/biomet/76.2.297), in
 * terms of partial autocorrelations φ_k: nV = s²(n−1)/(n−1−p) · Π(1−φ_k²) / Π(1−φ'_k)². φ'_k = (nφ_k + b)/(n−3−k), b =
 * 1 for odd, 2 for even k, is without the bias of order 1/n (Marriott and Pope 1954, DOI 10.1093/biomet/41.3-4.390),
 * which otherwise makes V too small. Degrees of freedom are 2/Var(log V) by its asymptotic variance: n/(1 + 2Σ_k
 * Π_{j≥k} (1+φ'_j)/(1−φ'_j)).
 *
 * Simulated coverage of the 95 % interval (20000 replicates, ± 0.15 points; AR(1) with normal noise; in brackets the
 * interval of independent values), printed by tests/stats/estimates/effective_test 20000:
 *
 *   n \ ρ    −0.9         −0.7         −0.3        0           0.3         0.5         0.7         0.9
 *     20   96.4 (100)   94.6 (99.9)  94.0 (98.8) 94.4 (95.0) 94.7 (85.3) 95.0 (74.5) 94.5 (57.1) 92.0 (31.6)
 *     50   94.9 (100)   94.0 (100)   94.2 (99.2) 94.6 (95.2) 95.0 (85.1) 94.9 (73.5) 95.7 (58.2) 94.9 (32.2)
 *    100   94.6 (100)   94.4 (100)   94.4 (99.1) 94.7 (95.0) 95.1 (85.5) 95.4 (74.6) 95.6 (58.5) 96.0 (33.2)
 *   1000   94.9 (100)   94.8 (100)   95.0 (99.2) 95.0 (95.0) 95.0 (84.9) 95.4 (74.7) 95.0 (59.1) 96.0 (34.3)
 *
 * For other processes at n = 100 (4000 replicates): MA(1) 0.8 and −0.5 95.5 and 95.9, AR(2) 0.5, 0.3 94.1 and 1,
 * −0.5 96.6, ARMA 0.8, −0.4 91.8. Skewed values need larger n, with and without correlation: for log-normal ones (e^x
 * of the AR(1) series) ρ = 0 has 92.3 at n = 100 and 94.8 at 1000 (91.7 and 94.5 if independence is known), ρ =
 * 0.7 88.5 and 93.4. Sums of autocorrelations up to where noise begins (Geyer 1992's initial monotone sequence) were
 * tried first: 90 at ρ = 0.7 and 78 at −0.7, n = 100.
 */
#ifndef ASSAY_STATS_ESTIMATES_EFFECTIVE_H
#define ASSAY_STATS_ESTIMATES_EFFECTIVE_H

#include <stddef.h>
#include <stdint.h>

#include "stats/estimates/interval.h"
#include "stats/exact/series.h"

enum { EFFECTIVE_N_MIN = 10 };

struct effective {
    double ess;   /* above 1 */
    double dof;   /* of the interval: 1 … n−1 */
    size_t order; /* of the autoregression, ≥ 1 */
};

/* The number of autocorrelations that effective_of() uses: min(10·log10 n, n/10), at least 1. */
size_t effective_lags(uint64_t n);

/*
 * From r[lags] = r_1 … r_lags (series_autocorrelation(), autocorrelation_r()) of a series of n values. lags ≥ 1 and n >
 * lags, n ≥ EFFECTIVE_N_MIN (else STATS_TOO_FEW); |r| < 1 (STATS_DOMAIN). Fewer lags than effective_lags(n) limit the
 * order of the autoregression. O(lags²).
 */
enum stats_status effective_of(const double *r, size_t lags, uint64_t n, struct effective *out);

/* The same for a series. STATS_TOO_FEW, or as series_autocorrelation(). */
enum stats_status effective_of_series(const struct series *series, unsigned jobs, struct effective *out);

/* The interval of the mean that goes with it, from the mean and the sample standard deviation of the n values (the
 * naive one). Errors as interval_mean_of(). O(1). */
enum stats_status effective_interval(const struct effective *effective, uint64_t n, double mean, double sd,
                                     double confidence, struct interval *out);

#endif
