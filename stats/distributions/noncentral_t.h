/*
 * noncentral_t.h - noncentral t: what Student's t becomes where the means differ.
 *
 * T = (Z + δ)/S with Z standard normal and νS² chi-square with ν degrees of freedom; δ is the noncentrality.
 * P(T ≥ t) = ∫ Φ(δ − t·s) f(s) ds over the density f of S. Source: Johnson, Kotz and Balakrishnan, Continuous
 * Univariate Distributions 2, 2nd ed., 1995, §31.5. The integral is computed by GSL's Gauss–Kronrod rule of 61 points
 * on pieces that neither f nor Φ changes much in.
 */
#ifndef ASSAY_STATS_DISTRIBUTIONS_NONCENTRAL_T_H
#define ASSAY_STATS_DISTRIBUTIONS_NONCENTRAL_T_H

#include "stats/status.h"

/* P(T ≥ t), any finite t and δ, 1 ≤ dof < ∞ (STATS_DOMAIN). Relative error below 1e-12 down to 1e-12. About 0.1 ms. */
enum stats_status noncentral_t_tail(double t, double dof, double noncentrality, double *p);

/*
 * The noncentrality δ with P(T ≥ t) = p: the lower limit of δ at confidence 1 − p, where t was found. The upper one is
 * −δ of −t. It grows with t and p. 1e-9 ≤ p ≤ 1 − 1e-9; t and dof as above. Error below 1e-12 times max(1, |δ|). About
 * 1 ms.
 */
enum stats_status noncentral_t_limit(double t, double dof, double p, double *noncentrality);

/* J(ν) = δ/E(T) = Γ(ν/2)/(√(ν/2)·Γ((ν−1)/2)), by which Hedges' g corrects a standardized difference. 1 < dof < ∞
 * (STATS_DOMAIN). Relative error below 1e-16. O(1). */
enum stats_status noncentral_t_correction(double dof, double *correction);

#endif
