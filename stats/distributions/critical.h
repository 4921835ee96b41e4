/*
 * critical.h - critical values: the statistic whose tail has a given probability.
 *
 * Common to all: NaN or an argument out of its range: STATS_DOMAIN; a value beyond the largest double: STATS_OVERFLOW.
 * GSL's gsl_cdf_tdist_Qinv() keeps 12 digits at 61 degrees of freedom and confidence 1 − 1e-12, 4 at one, and none at
 * 0.05; it has no studentized range.
 */
#ifndef ASSAY_STATS_DISTRIBUTIONS_CRITICAL_H
#define ASSAY_STATS_DISTRIBUTIONS_CRITICAL_H

#include "stats/status.h"

/*
 * t > 0 with P(|T| ≤ t) = confidence, of Student's t with dof degrees of freedom; infinite dof: of the normal
 * distribution. 0 < confidence < 1, 0.001 ≤ dof ≤ ∞. Relative error below 1e-15, for any confidence: below ½ the
 * probability of the middle is met, otherwise that of the tails, 1 − confidence. Three or four evaluations of the tail:
 * 5 µs. Halley's method on the log of the probability as function of log t, which is concave: it converges from
 * everywhere.
 */
enum stats_status critical_t(double confidence, double dof, double *t);

/*
 * q > 0 with P(Q ≥ q) = p, of the studentized range; 0 < p < 1, groups and dof as tail_studentized_range(). Relative
 * error below 1e-12 for p ≤ 0.9. About eight evaluations of the tail: 5 ms.
 */
enum stats_status critical_studentized_range(double p, double groups, double dof, double *q);

#endif
