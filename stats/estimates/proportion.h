/*
 * proportion.h - the interval of a proportion.
 *
 * Quantity: Wilson's score interval of a proportion p observed in n independent observations, at `confidence`; n need
 * not be an integer: for weighted observations it is the effective number (Kish 1965). It lies within 0 … 1, and has
 * some width even for p = 0 and p = 1, where p ± z·√(p(1−p)/n) has none. Source: Wilson 1927,
 * DOI 10.1080/01621459.1927.10502953; R: prop.test(correct = FALSE).
 */
#ifndef ASSAY_STATS_ESTIMATES_PROPORTION_H
#define ASSAY_STATS_ESTIMATES_PROPORTION_H

#include "stats/estimates/interval.h"
#include "stats/status.h"

/*
 * *low ≤ p ≤ *high for 0 ≤ p ≤ 1, n > 0 and finite, 0 < confidence < 1; else STATS_DOMAIN. O(1): critical_t().
 */
enum stats_status proportion_interval(double p, double n, double confidence, double *low, double *high);

/*
 * The effective number of observations behind p = Σ w·x / Σ w, with x 0 or 1: p(1 − p) over the variance Σ w²(x − p)² /
 * (Σ w)² of the weighted mean (linearised; Cochran 1977, §6.5), or (Σ w)² / Σ w² (Kish) where p is 0 or 1. From sums of
 * w, w², w² where x is 1. NaN if there are no observations.
 */
double proportion_effective(double sum, double squares, double hit_squares, double p);

/*
 * The interval of the mean p̄ of n proportions, one per run: interval_mean()'s p̄ ± q·s/√n, except where that would
 * extend beyond 0 … 1. There it is Wilson's, with the effective number of observations p̄(1 − p̄)/(s²/n) and q in place
 * of z (Dean and Pagano 2015), and `half` is half its width. Runs without any spread (all 0, all 1) give p̄ alone, since
 * s = 0 says nothing. All 0 ≤ p ≤ 1 and n ≥ 2, else STATS_DOMAIN and STATS_TOO_FEW. O(n). Source: Dean, Pagano 2015,
 * DOI 10.1093/jssam/smv024. Simulated over runs of 100 to 300 samples, p from 0.1 to 99 %, it covers 93.3 to 99.5 %.
 */
enum stats_status proportion_mean_interval(const double *p, size_t n, enum interval_method method, double confidence,
                                           struct interval *out);

/*
 * Widens low ≤ p ≤ high, an interval at `confidence`, for a further undirected error, independent of the first,
 * with standard deviation sd ≥ 0 in units of p: each side's width becomes √(width² + (z·sd)²), cut at 0 and 1. NaN
 * bounds stay. Source: limits recovered by squaring and adding, Zou and Donner 2008, DOI 10.1002/sim.3095. STATS_DOMAIN
 * for sd < 0, and for confidence as above. O(1).
 */
enum stats_status proportion_widen(double p, double sd, double confidence, double *low, double *high);

#endif
