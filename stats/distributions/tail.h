/*
 * tail.h - upper tails of distributions, as p and as log10 p.
 *
 * A long trace gives p-values that no double can hold (1e-2477), so each tail comes as log10 p and as p, which is 0
 * below the smallest double.
 *
 * Common to all: NaN or an argument out of its range: STATS_DOMAIN, and nothing is written. Relative error below 1e-14
 * of both p (where it is a normal number) and log10 p, the latter from p = 1 − 1e-300 down to the largest negative
 * double; beyond that, and for an infinite statistic, p = 0 and log10 p = −∞. An infinite dof is the limit: χ²/dof for
 * F, the normal distribution for t. Cost: O(1), at most about 20 µs, except for the studentized range.
 *
 * GSL has no logs of tails, and its gsl_cdf_chisq_Q() keeps 12 digits at 1e6 degrees of freedom and none at 1e9,
 * gsl_cdf_fdist_Q() 4 at 1e12, or it is NaN, and gsl_cdf_tdist_Q() 10 at p = 1e-226; hence these.
 */
#ifndef ASSAY_STATS_DISTRIBUTIONS_TAIL_H
#define ASSAY_STATS_DISTRIBUTIONS_TAIL_H

#include "stats/status.h"

struct tail {
    double p;       /* 0 … 1 */
    double log10_p; /* −∞ … 0 */
};

/*
 * P(X ≥ x) of chi-square with dof degrees of freedom = Q(dof/2, x/2), the regularised upper incomplete gamma function.
 * x ≥ 0, 0.001 ≤ dof < ∞.
 */
enum stats_status tail_chi_square(double x, double dof, struct tail *out);

/*
 * P(F ≥ f) with dof_between and dof_within degrees of freedom = I_x(dof_within/2, dof_between/2) at
 * x = dof_within/(dof_within + dof_between·f), the regularised incomplete beta function (DLMF 8.17).
 * f ≥ 0, 0.001 ≤ dof_between < ∞, 0 < dof_within ≤ ∞; for dof_within < 0.001 the absolute error of log10 p stays below
 * 1e-17, its relative error does not.
 */
enum stats_status tail_f(double f, double dof_between, double dof_within, struct tail *out);

/* P(T ≥ t) of Student's t, any t; and P(|T| ≥ |t|), which is the tail of F = t² with 1 and dof. 0 < dof ≤ ∞, as F. */
enum stats_status tail_t(double t, double dof, struct tail *out);
enum stats_status tail_t_two_sided(double t, double dof, struct tail *out);

/* P(Z ≥ z) of the standard normal distribution, any z; and P(|Z| ≥ |z|). */
enum stats_status tail_normal(double z, struct tail *out);
enum stats_status tail_normal_two_sided(double z, struct tail *out);

/*
 * P(Q ≥ q) of the studentized range: the range of `groups` standard normal values over an independent √(χ²/dof), for
 * Tukey's HSD and Games and Howell's test. q ≥ 0, 2 ≤ groups ≤ 10000, 1 ≤ dof ≤ ∞; both may be fractional. Two groups
 * are t: P(|T| ≥ q/√2). Relative error below 1e-12 of p and log10 p. Cost 0.3 … 1 ms, above p = ½ about 2 ms. Source:
 * stats/distributions/studentized_range.h.
 */
enum stats_status tail_studentized_range(double q, double groups, double dof, struct tail *out);

#endif
