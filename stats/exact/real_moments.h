/*
 * real_moments.h - n, mean, sum of squared deviations and sd of decimals, streaming and mergeable.
 *
 * Integers times a common power of ten (the largest that all values are multiples of) are summed exactly (moments.h),
 * in any order with the same bits. Once values do not fit that (decimal_align()), sums continue in 113 bits (mean and
 * squared deviations, Welford 1962; merging by Chan, Golub and LeVeque 1983), and bits may depend on the order of
 * merging. That happens only if the largest magnitude is at least 4.6 times that of another value: so max|x|/sd is
 * below 1.9√n there, and the worst cases n·2^-111 for the mean (of max|x|) and n·2^-111·max|x|/sd for the sd stay below
 * 1e-24 and 3e-20 up to n = 1e9: after rounding to double no digit of difference is left.
 */
#ifndef ASSAY_STATS_EXACT_REAL_MOMENTS_H
#define ASSAY_STATS_EXACT_REAL_MOMENTS_H

#include <stdbool.h>

#include "stats/exact/decimal.h"
#include "stats/exact/moments.h"
#include "stats/exact/series.h"

/* Start with {0}. Anyone may read this; only the functions below write it. */
struct real_moments {
    bool wide;            /* false: fixed and exponent hold; true: the others */
    int32_t exponent;     /* of the integers in fixed */
    struct moments fixed; /* of value / 10^exponent */
    uint64_t n;
    __float128 mean, deviations; /* Σ(x−x̄)² */
};

/* Adds n values. O(n): about 4 ns per value as integers, 300 ns in 113 bits. STATS_OVERFLOW beyond 2^63 values. */
enum stats_status real_moments_add(struct real_moments *moments, const struct decimal *values, size_t n);
enum stats_status real_moments_merge(struct real_moments *moments, const struct real_moments *other);

/* Computes the moments of all values of a series; an empty one has the moments of no values. O(n). */
void real_moments_of_series(const struct series *series, struct real_moments *out);

uint64_t real_moments_n(const struct real_moments *moments);

/* Mean and Σ(x−x̄)² to 113 bits, for what is computed from several of them (ANOVA); n ≥ 1, else STATS_TOO_FEW.
 * *deviations is exactly 0 if and only if all values are equal. */
enum stats_status real_moments_quad(const struct real_moments *moments, __float128 *mean, __float128 *deviations);

/* Rounded to double once. mean: n ≥ 1; sd: n ≥ 2 (STATS_TOO_FEW). STATS_OVERFLOW if it is not a finite double. */
enum stats_status real_moments_mean(const struct real_moments *moments, double *mean);
enum stats_status real_moments_sd(const struct real_moments *moments, double *sd);

#endif
