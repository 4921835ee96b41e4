/*
 * beta.h - logs of the regularised incomplete beta function.
 *
 * I_x(a,b) = ∫ t^(a−1)·(1−t)^(b−1) dt/B(a,b) from 0 to x, for a, b > 0 at x = a/(a + b·ratio), 0 < ratio < ∞. The ratio
 * is 1 at the mean a/(a+b), and F at a = dof_within/2, b = dof_between/2, which makes I_x the upper tail of F; no other
 * form of x keeps its digits at both ends and near the mean at once. Absolute error of the logs below 1e-17 +
 * 4e-19·|log|, above m = 10000 below 1e-15; where the log nears 0 (the other tail vanishes) the relative error stays
 * below 2e-15 (for a or b below 0.0005 below 1e-18 divided by it). Never NaN. Cost O(√m), m = ab/(a+b), up to m =
 * 10000, O(1) above. Source: the continued fraction of DiDonato & Morris 1992, DOI 10.1145/131766.131776, eq. 9; its
 * factor by deviances (Loader 2000); above m = 10000 the integral over log t/(1−t) by GSL's Gauss–Kronrod rule of 61
 * points.
 */
#ifndef ASSAY_STATS_DISTRIBUTIONS_BETA_H
#define ASSAY_STATS_DISTRIBUTIONS_BETA_H

/*
 * log I_x(a,b) and log(1 − I_x(a,b)). *log_density, unless NULL, becomes the log of x^a·(1−x)^b/B(a,b), the density of
 * log X/(1−X), which is computed anyway.
 */
long double beta_log_lower(long double a, long double b, long double ratio, long double *log_density);
long double beta_log_upper(long double a, long double b, long double ratio, long double *log_density);

#endif
