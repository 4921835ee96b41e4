/*
 * tail.h - upper tails of distributions, as p and as log10 p.
 *
 * A long trace makes p-values that no double holds (1e-2477), so each tail comes as log10 p, with p beside it: 0 where
 * p is below the smallest double.
 */
#ifndef ASSAY_STATS_TAIL_H
#define ASSAY_STATS_TAIL_H

#include "stats/status.h"

struct tail {
    double p;       /* 0 … 1 */
    double log10_p; /* −∞ … 0 */
};

/*
 * P(X ≥ x) of chi-square with dof degrees of freedom = Q(dof/2, x/2), the regularised upper incomplete gamma function.
 * x ≥ 0 (+∞: p = 0, log10 p = −∞), 1 ≤ dof ≤ 1e12; NaN or anything else: STATS_DOMAIN.
 * Relative error below 1e-14 of both p (where it is a normal number) and log10 p, the latter for p from 1 − 1e-16 to
 * 1e-1000000. Cost O(√dof).
 * Source: series and continued fraction of DLMF 8.7.1 and 8.9.2; the factor x^a·e^−x/Γ(a) by its deviance (Loader 2000,
 * "Fast and accurate computation of binomial probabilities"), which loses no digits for large dof.
 */
enum stats_status tail_chi_square(double x, double dof, struct tail *out);

#endif
