/*
 * median.h - the median with a confidence interval that assumes no distribution.
 *
 * The interval lies between two order statistics, x_(k) and x_(n+1−k) of the sorted values, with the largest k for
 * which 2·P(B < k) ≤ 1 − confidence, B binomial with n and ½. It covers with at least the given confidence, for any
 * continuous distribution and, with ties, for any distribution at all. Source: Hettmansperger and McKean, Robust
 * Nonparametric Statistical Methods, 2nd ed., 2011, §1.3; R: binom.test(), DescTools::MedianCI(method = "exact").
 */
#ifndef ASSAY_STATS_ESTIMATES_MEDIAN_H
#define ASSAY_STATS_ESTIMATES_MEDIAN_H

#include <stddef.h>

#include "stats/status.h"

/* For sorted[n], ascending, in its unit. STATS_TOO_FEW: n is so small that even the whole range has less confidence
 * (below 6 for 95 %). 0 < confidence < 1 (STATS_DOMAIN). O(log n) evaluations of a binomial tail. */
enum stats_status median_interval(const double *sorted, size_t n, double confidence, double *low, double *high);

#endif
