/*
 * paired_effect.h - how large is the difference between the values of pairs, in units that need no unit? Effect sizes
 * with intervals.
 *
 * All are of the differences d_i = x_i − y_i of n pairs, and positive where x tends to be greater.
 *
 * - g_z = J(n−1)·d̄/s_d: the mean difference in standard deviations of the differences. J is that of effect.h. The
 *   interval is J/√n times that of the noncentrality of the paired t = √n·d̄/s_d (stats/distributions/noncentral_t.h),
 *   exact for normal differences. R: effectsize's hedges_g(x, y, paired = TRUE); without J it is Cohen's d_z.
 * - g_av = J(n−1)·d̄/s_av, s_av² = (s_x² + s_y²)/2: in standard deviations of the values, as Hedges' g of independent
 *   values is. The interval is that of the same noncentrality times J·s_d/(√n·s_av), which takes s_d/s_av as known.
 *   Source: Algina and Keselman 2003, DOI 10.1177/0013164403256358, eq. 11; Cumming, Understanding the New Statistics,
 *   2012, ch. 11.
 * - the matched-pairs rank-biserial correlation r = (W⁺ − W⁻)/(W⁺ + W⁻), −1 … 1, of Wilcoxon's sums of the ranks of
 * |d_i| over d_i > 0 and d_i < 0; pairs with d_i = 0 are left out. The interval is tanh(atanh r ± z·s), s² = (2m +
 * 1)·2/(3m(m + 1)) of m pairs, the variance of r if signs are random: an approximation. At |r| = 1 it is Wilson's of m
 * pairs that all agree: from (m − z²)/(m + z²) to 1. Source: Kerby 2014, DOI 10.2466/11.IT.3.1; R: effectsize's
 * rank_biserial(x, y, paired = TRUE), which counts pairs with x = 0 instead of d = 0 in m, and has no interval at 1.
 *
 * Errors of all: STATS_TOO_FEW: fewer than three pairs (r: no pair); STATS_CONSTANT: no spread to compare with (r: all
 * differences are 0); STATS_DOMAIN: not 2e-9 ≤ 1 − confidence < 1; STATS_OVERFLOW; STATS_NO_MEMORY.
 */
#ifndef ASSAY_STATS_INFERENCE_PAIRED_EFFECT_H
#define ASSAY_STATS_INFERENCE_PAIRED_EFFECT_H

#include "stats/inference/effect.h"
#include "stats/inference/paired.h"

/* O(n), and about 2 ms. */
enum stats_status paired_effect_gz(const struct paired *pairs, double confidence, struct effect *out);

/* Without an interval (no_interval is STATS_CONSTANT) if all differences are equal. O(n), and about 2 ms. */
enum stats_status paired_effect_gav(const struct paired *pairs, double confidence, struct effect *out);

/* As paired_wilcoxon(). */
enum stats_status paired_effect_rank(const struct paired *pairs, double confidence, struct effect *out);

#endif
