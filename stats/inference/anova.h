/*
 * anova.h - do the means of several groups differ? Analysis of variance, one way.
 *
 * Quantities, for k groups of n_i values x_ij with means x̄_i, together n values with mean x̄:
 *   ss_between = Σ n_i (x̄_i − x̄)²      dof_between = k−1    ms_between = ss_between / dof_between
 *   ss_within  = ΣΣ (x_ij − x̄_i)²      dof_within  = n−k    ms_within  = ss_within / dof_within
 *   f = ms_between / ms_within, and p = P(F ≥ f) if all means are equal, the values being normal with one variance
 *   eta2   = ss_between / (ss_between + ss_within): the share of variance explained in these values (R²)
 *   omega2 = (ss_between − dof_between·ms_within) / (ss_between + ss_within + ms_within): the same for the population
 *            (Hays 1963). It is below 0 where f < 1, and is reported so: cut at 0, its average over tables would be
 *            too large.
 *   residual_sd = √ms_within, in the unit of x
 * Source: Fisher 1925, as in method-level-phases §4; Hays, Statistics for Psychologists, 1963.
 */
#ifndef ASSAY_STATS_INFERENCE_ANOVA_H
#define ASSAY_STATS_INFERENCE_ANOVA_H

#include <stddef.h>
#include <stdint.h>

#include "stats/estimates/group.h"

struct anova {
    double f; /* ≥ 0; +∞ if each group is constant, but not all with the same value */
    double dof_between, dof_within;
    double p;       /* 0 where it is below the smallest double */
    double log10_p; /* −∞ if and only if f is +∞ */
    double ss_between, ss_within, ms_between, ms_within;
    double eta2, omega2; /* 1 and 1 if f is +∞ */
    double residual_sd;
    size_t groups;
    uint64_t n;
};

/*
 * From groups[count]. STATS_TOO_FEW: less than two groups, a group without values, or n = count, so the spread within
 * is unknown (single groups may have one value). STATS_CONSTANT: all values of all groups are equal. STATS_OVERFLOW: a
 * sum of squares that is not a normal double. Everything is taken in 113 bits and rounded once. O(count).
 */
enum stats_status anova_one_way(const struct group *groups, size_t count, struct anova *out);

struct anova_welch {
    double f;           /* ≥ 0 */
    double dof_between; /* k−1 */
    double dof_within;  /* > 0, a fraction */
    double p, log10_p;  /* as above, log10_p always finite */
    size_t groups;
    uint64_t n;
};

/*
 * The same question where variances may differ: each group weighs w_i = n_i/s_i².
 *   f = Σ w_i(x̄_i − x̃)²/(k−1) / (1 + 2(k−2)/(k²−1)·Λ), Λ = Σ (1 − w_i/Σw)²/(n_i−1), dof_within = (k²−1)/(3Λ)
 * Source: Welch 1951, DOI 10.1093/biomet/38.3-4.330; R: oneway.test().
 * STATS_TOO_FEW: less than two groups, or less than two values in one. STATS_CONSTANT: all values of one group are
 * equal, which gives it an infinite weight. STATS_OVERFLOW as above. O(count).
 */
enum stats_status anova_welch(const struct group *groups, size_t count, struct anova_welch *out);

#endif
