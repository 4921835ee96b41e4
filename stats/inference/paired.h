/*
 * paired.h - tests and intervals for pairs of values: the same benchmark, input or run, measured twice.
 *
 * All compare x with factor·y by the differences d_i = x_i − factor·y_i of n pairs; t has d_i = x_i − y_i. What the
 * pairs share cancels in the differences. All are computed in 113 bits; of whole values they are exact, and so are
 * their ties.
 *
 * - Student's paired t: that the mean of d is (factor − 1)·ȳ, where ȳ counts as known; normal differences. It does not
 *   test x − factor·y, whose spread is that of the benchmarks: the farther the factor, the less would be shown.
 * - Wilcoxon's signed rank test: that d is symmetric about 0. V is the sum of the ranks of |d_i| over d_i > 0, equal
 *   ones sharing the mean of their ranks. Pairs with d_i = 0 are left out first, as Wilcoxon does (R's wilcox.test();
 *   Pratt ranks them, too, R's coin by default). Exact up to PAIRED_EXACT pairs: P over all 2^n signs of the given
 *   |d_i|, ties included. That distribution is symmetric, so the doubled tail is also the probability of a V as far
 *   from the middle. Beyond, normal, corrected for ties and continuity, as in R.
 * - the sign test: that d is as often above 0 as below; by the binomial distribution, always exact, without the zeros.
 * If all differences are 0, p is 1 (of t: STATS_CONSTANT). Two-sided p: the doubled smaller tail, at most 1.
 * Source: Student 1908; Wilcoxon 1945, DOI 10.2307/3001968; Hollander and Wolfe, Nonparametric Statistical Methods, 2nd
 * ed., 1999, §3.1 to 3.6. R: t.test(x, y, paired = TRUE), wilcox.test(x, y, paired = TRUE), binom.test().
 *
 * Common errors: STATS_TOO_FEW: no pair (t: fewer than two); STATS_OVERFLOW: a result that is neither 0 nor a normal
 * double, or more than 2^40 pairs; STATS_NO_MEMORY.
 */
#ifndef ASSAY_STATS_INFERENCE_PAIRED_H
#define ASSAY_STATS_INFERENCE_PAIRED_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/distributions/tail.h"
#include "stats/estimates/ratio.h"
#include "stats/exact/series.h"

/* n pairs in a common unit, in any order. */
struct paired {
    __float128 *x, *y; /* [n] */
    size_t n;
};

/* The pairs of two series of the same length; whole numbers, if both series have them. paired_free() releases them.
 * STATS_NO_MEMORY. 32 bytes per pair. */
enum stats_status paired_of_series(const struct series *x, const struct series *y, struct paired *out);
void paired_free(struct paired *pairs);

enum { PAIRED_EXACT = 100 };

struct paired_test {
    double statistic;          /* t; V; the number of d_i > 0 */
    double dof;                /* of t; else 0 */
    size_t used, zeros;        /* pairs with d_i ≠ 0, and the others */
    bool exact;                /* p is not an approximation: of V, and always of the sign test */
    struct tail less, greater; /* one-sided, small if x tends to be less (greater) than factor·y */
    struct tail both;
};

/* factor > 0. STATS_CONSTANT (t): all differences are equal. t: O(n); Wilcoxon: O(n log n), exactly n³ steps at most;
 * sign: O(n). */
enum stats_status paired_t(const struct paired *pairs, double factor, struct paired_test *out);
enum stats_status paired_wilcoxon(const struct paired *pairs, double factor, struct paired_test *out);
enum stats_status paired_sign(const struct paired *pairs, double factor, struct paired_test *out);

/*
 * The ratio of x to y, and the interval of all factors that the test does not distinguish from it.
 * t: the ratio of the means, 1 + d̄/ȳ, and its interval 1 + (d̄ ± t·s_d/√n)/ȳ: that of the mean difference, as a share of
 * ȳ, which counts as known. It excludes a factor exactly where the test rejects it. (Fieller's, which also allows
 * for the error of ȳ, is unbounded where benchmarks differ as much as they do.) STATS_DOMAIN: ȳ is not above 0.
 * Wilcoxon: the median of the n(n+1)/2 ratios (x_i + x_j)/(y_i + y_j), i ≤ j; the interval lies between two of them.
 * Sign: the median of the ratios x_i/y_i; the interval lies between two of them.
 * Both: STATS_DOMAIN if a value is not above 0. Limits are those of the exact distributions without ties up to
 * PAIRED_EXACT pairs (sign: always), else by the normal one; ties make them wider than needed.
 * Without an interval, because there are too few pairs for the confidence (6 for 95 %), *no_interval is STATS_TOO_FEW
 * and the ends are NaN. 0 < confidence < 1 (STATS_DOMAIN). O(n log n), Wilcoxon: times 200.
 */
enum stats_status paired_t_ratio(const struct paired *pairs, double confidence, struct ratio *out,
                                 enum stats_status *no_interval);
enum stats_status paired_wilcoxon_ratio(const struct paired *pairs, double confidence, struct ratio *out,
                                        enum stats_status *no_interval);
enum stats_status paired_sign_ratio(const struct paired *pairs, double confidence, struct ratio *out,
                                    enum stats_status *no_interval);

#endif
