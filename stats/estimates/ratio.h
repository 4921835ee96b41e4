/*
 * ratio.h - the ratio of two means and its confidence interval: slowdown and speedup.
 *
 * Quantity: R = x̄/ȳ of two independent samples, without unit. Two intervals:
 *
 * Fieller's, for unequal variances: all R for which Welch's t test of x against R·y (stats/inference/compare.h) does
 * not reject equal means, so that it contains 1 where that test of x against y shows no difference, and only there. The
 * numbers of degrees of freedom depend on R, so that its ends are found by bisection. It is unbounded if ȳ is not
 * known to differ from 0. Source: Fieller 1954, DOI 10.1111/j.2517-6161.1954.tb00159.x; Satterthwaite 1946, DOI
 * 10.2307/3002019, for the degrees of freedom.
 *
 * Bootstrap BCa: both samples are resampled with replacement, and the interval lies between two quantiles of the
 * ratios, chosen so that bias and skewness are corrected for. It makes no assumption about distributions, but needs
 * some 20 values in each sample: with fewer it is too narrow. Source: Efron 1987, DOI 10.1080/01621459.1987.10478410;
 * the acceleration for two samples, from influence values: Davison and Hinkley, Bootstrap Methods, 1997, §5.3.2. The
 * random indices are a fixed sequence (SplitMix64: Steele, Lea and Flood 2014, DOI 10.1145/2660193.2660195): the same
 * values give the same bits. (With GSL's generators, mt19937 and taus2, a number takes 8 and 5 times as long.)
 */
#ifndef ASSAY_STATS_ESTIMATES_RATIO_H
#define ASSAY_STATS_ESTIMATES_RATIO_H

#include <stddef.h>
#include <stdint.h>

#include "stats/status.h"

struct ratio {
    double ratio, low, high;
};

/* From n ≥ 2 (STATS_TOO_FEW), mean and sample standard deviation of each; mean_y > 0, mean_x ≥ 0, finite, sd ≥ 0,
 * 0 < confidence < 1, and bounded (STATS_DOMAIN). STATS_OVERFLOW: no finite double. With both sd 0 the interval is the
 * ratio. About 150 quantiles of t, 0.2 ms. */
struct ratio_side {
    uint64_t n;
    double mean, sd;
};
enum stats_status ratio_fieller(struct ratio_side x, struct ratio_side y, double confidence, struct ratio *out);

enum { RATIO_RESAMPLES = 10000 };

struct ratio_sample {
    const double *values; /* [n] */
    size_t n;
};

/*
 * From two samples, n ≥ 2 (STATS_TOO_FEW), finite, x̄ ≥ 0, ȳ > 0, resamples ≥ 100 (STATS_DOMAIN; also if a
 * resampled ȳ is not above 0, which can't happen if no y is below 0). STATS_NO_MEMORY. About 1.5 ns times
 * resamples·(n_x + n_y).
 */
enum stats_status ratio_bootstrap(struct ratio_sample x, struct ratio_sample y, unsigned resamples, double confidence,
                                  struct ratio *out);

/* The test that this interval inverts: one-sided p of the hypotheses that R is not less (greater) than a value above 0,
 * each the least tail for which the interval's end is on its other side; at least 1/(resamples + 1). The same
 * arguments, errors and cost; STATS_CONSTANT if both samples are. */
struct ratio_tails {
    double less, greater;
};
enum stats_status ratio_bootstrap_test(struct ratio_sample x, struct ratio_sample y, unsigned resamples, double value,
                                       struct ratio_tails *out);

#endif
