/*
 * deviance.h - parts of log densities whose plain form suffers from cancellation.
 *
 * log Γ, log x and e^x of large arguments differ by less than their rounding where a tail is computed. These are the
 * differences themselves, to a few units of long double's last place. NaN for NaN; O(1).
 */
#ifndef ASSAY_STATS_DISTRIBUTIONS_DEVIANCE_H
#define ASSAY_STATS_DISTRIBUTIONS_DEVIANCE_H

/*
 * Stirling's error log Γ(a+1) − [(a+½)·log a − a + ½·log 2π] for a > 0; below 1/(12a). Absolute error below 1e-17.
 * Source: DLMF 5.11.1.
 */
long double deviance_stirling(long double a);

/*
 * excess − log(ratio) ≥ 0, where excess = ratio − 1 > −1. Both are given, because near ratio = 0 the excess, and near
 * ratio = 1 the ratio, does not hold the other's digits.
 * Source: Loader 2000, "Fast and accurate computation of binomial probabilities".
 */
long double deviance_log(long double ratio, long double excess);

/* e^x − 1 − x ≥ 0. */
long double deviance_exp(long double x);

#endif
