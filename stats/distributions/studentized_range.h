/*
 * studentized_range.h - the distribution of the studentized range.
 *
 * Q = W/S: W is the range (largest − smallest) of `groups` standard normal values, S an independent √(χ²/dof).
 *
 *   P(W ≥ w) = ∫ groups·φ(z)·Φ(z)^(groups−1)·(1 − (1 − Φ(z−w)/Φ(z))^(groups−1)) dz    over the largest value z
 *   P(Q ≥ q) = ∫ P(W ≥ q·e^v)·density(v) dv                                            over v = log S
 *
 * Every integrand is positive and written without cancellation, so that far tails keep their relative error; so does
 * the lower tail, which gives log p where p is near 1. The inner integral by the trapezoidal rule, which converges
 * exponentially for it; from w = 24 on it is groups·(groups−1)·(1 − Φ(w/√2)), right to groups·e^(−w²/12). The outer one
 * by GSL's Gauss–Kronrod rule of 31 points around the peak, in logs scaled by the peak's height, so that no tail
 * underflows.
 * Source: Lund & Lund 1983 (AS 190), DOI 10.2307/2347300, for the double integral; Trefethen & Weideman 2014,
 * DOI 10.1137/130932132, for the rule.
 */
#ifndef ASSAY_STATS_DISTRIBUTIONS_STUDENTIZED_RANGE_H
#define ASSAY_STATS_DISTRIBUTIONS_STUDENTIZED_RANGE_H

#define STUDENTIZED_RANGE_GROUPS_MAX 10000

/*
 * log P(Q ≥ q), 0 < q < ∞, 2 ≤ groups ≤ STUDENTIZED_RANGE_GROUPS_MAX, 1 ≤ dof ≤ ∞. Relative error below 1e-12 of p and
 * of its log. 5000 … 20000 calls of erfc; where p > ½, four times the time.
 */
long double studentized_range_log_upper(double q, double groups, double dof);

#endif
