/*
 * gamma.h - logs of the regularised incomplete gamma functions.
 *
 * P(a,x) = ∫ t^(a−1)·e^−t dt/Γ(a) from 0 to x, Q = 1 − P: the two tails of the gamma distribution of shape a > 0, at
 * x, 0 < x < ∞. `excess` is x − a: the caller has it exactly, where x itself may be rounded.
 * Absolute error of the logs below 1e-17 + 4e-19·|log|, above a = 10000 below 1e-15; where the log nears 0 (the other
 * tail vanishes) the relative error stays below 2e-15 (for a < 0.0005 below 1e-18/a). Never NaN. Cost O(√a) up to a =
 * 10000, O(1) above. Source: series, continued fraction of DLMF 8.7.1 and 8.9.2; above a = 10000 the integral over log
 * t by GSL's Gauss–Kronrod rule of 61 points.
 */
#ifndef ASSAY_STATS_DISTRIBUTIONS_GAMMA_H
#define ASSAY_STATS_DISTRIBUTIONS_GAMMA_H

/*
 * log P(a,x) and log Q(a,x). *log_density, unless NULL, becomes the log of x^a·e^−x/Γ(a), the density of log X, which
 * is computed anyway.
 */
long double gamma_log_lower(long double a, long double x, long double excess, long double *log_density);
long double gamma_log_upper(long double a, long double x, long double excess, long double *log_density);

#endif
