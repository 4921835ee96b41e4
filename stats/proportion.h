/*
 * proportion.h - the interval of a proportion.
 *
 * Quantity: Wilson's score interval of a proportion p that was seen among n independent observations, at `confidence`;
 * n need not be whole: of weighted observations it is the effective number (Kish 1965). Within 0 … 1, and of some
 * width even for p = 0 and p = 1, where p ± z·√(p(1−p)/n) has none.
 * Source: Wilson 1927, DOI 10.1080/01621459.1927.10502953; R: prop.test(correct = FALSE).
 */
#ifndef ASSAY_STATS_PROPORTION_H
#define ASSAY_STATS_PROPORTION_H

#include "stats/status.h"

/*
 * *low ≤ p ≤ *high for 0 ≤ p ≤ 1, n > 0 and finite, 0 < confidence < 1; else STATS_DOMAIN. O(1): critical_t().
 */
enum stats_status proportion_interval(double p, double n, double confidence, double *low, double *high);

/*
 * The effective number of observations behind p = Σ w·x / Σ w, with x 0 or 1: p(1 − p) over the variance Σ w²(x − p)² /
 * (Σ w)² of the weighted mean (linearised; Cochran 1977, §6.5), or (Σ w)² / Σ w² (Kish) where p is 0 or 1. From sums of
 * w, w², w² where x is 1. NaN if there is nothing.
 */
double proportion_effective(double sum, double squares, double hit_squares, double p);

#endif
