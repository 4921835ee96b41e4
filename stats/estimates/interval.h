/*
 * interval.h - confidence intervals.
 *
 * Quantity: the two-sided interval x̄ ± q·s/√n of a mean, in the unit of x, where s is the sample standard deviation
 * (divisor n−1) and q the (1+confidence)/2 quantile of Student's t with n−1 degrees of freedom, or of the normal
 * distribution ("z"). With z the interval is too narrow at small n: at n = 30 and 95 % it covers 94.0 %.
 * Source: Student 1908, DOI 10.1093/biomet/6.1.1.
 */
#ifndef ASSAY_STATS_ESTIMATES_INTERVAL_H
#define ASSAY_STATS_ESTIMATES_INTERVAL_H

#include <stddef.h>
#include <stdint.h>

#include "stats/status.h"

enum interval_method { INTERVAL_T, INTERVAL_Z };

struct interval {
    double mean, low, high;
    double half; /* q·s/√n: high − mean before rounding */
};

/*
 * q > 0, for 0 < confidence < 1 and, with INTERVAL_T, 0.001 ≤ dof ≤ ∞ (ignored by INTERVAL_Z); else STATS_DOMAIN.
 * STATS_OVERFLOW if q is not a finite double, which takes a dof below 0.05. Relative error below 1e-15. O(1):
 * critical_t().
 */
enum stats_status interval_quantile(enum interval_method method, double dof, double confidence, double *q);

/*
 * From n values, all finite (else STATS_DOMAIN) and n ≥ 2 (else STATS_TOO_FEW: one value gives no interval). Mean and
 * sd in two passes of extended precision. STATS_OVERFLOW if a bound is not a finite double. O(n).
 */
enum stats_status interval_mean(const double *x, size_t n, enum interval_method method, double confidence,
                                struct interval *out);

/* From n ≥ 2, the mean, and the sample standard deviation sd ≥ 0, both finite. Errors as interval_mean(). O(1). */
enum stats_status interval_mean_of(uint64_t n, double mean, double sd, enum interval_method method, double confidence,
                                   struct interval *out);

#endif
