/*
 * moments.h - mean and standard deviation of integer samples, exact and mergeable.
 *
 * Sums are integers (Σx in 128 bits, Σx² in 192), so that merging in any order gives the same bits, and mean and sd
 * are rounded once, at the end: from n·Σx² − (Σx)² in 256 bits. No cancellation, whatever the ratio of mean to sd:
 * of the sd of NIST's NumAcc4 (1e7 ± 0.1) this keeps all digits, GSL's gsl_stats_sd(), which takes doubles, 8.
 */
#ifndef ASSAY_STATS_EXACT_MOMENTS_H
#define ASSAY_STATS_EXACT_MOMENTS_H

#include <stdint.h>

#include "stats/exact/wide.h"
#include "stats/status.h"

/* Start with {0}. Anyone may read this; only the functions below write it. */
struct moments {
    uint64_t n;            /* values, at most MOMENTS_N_MAX */
    wide_i128 sum;         /* Σx */
    wide_u128 squares_low; /* Σx² = squares_high · 2^128 + squares_low */
    uint64_t squares_high;
    wide_i128 min, max; /* 0 if n is 0 */
};

#define MOMENTS_N_MAX ((uint64_t)INT64_MAX) /* below it no sum of 64-bit values can overflow */

/* Adds one value; any value. Signed and unsigned ones may be mixed. O(1), about 3 ns. */
void moments_add_signed(struct moments *moments, int64_t x);
void moments_add_unsigned(struct moments *moments, uint64_t x);

/* Joins other into moments. STATS_OVERFLOW if n would exceed MOMENTS_N_MAX. */
enum stats_status moments_merge(struct moments *moments, const struct moments *other);

/* Multiplies every value by factor > 0. The caller shows that all of them still fit in 64 bits. O(1). */
void moments_scale(struct moments *moments, int64_t factor);

/* x̄ and Σ(x−x̄)² to 113 bits (relative error at most 2^-110), for what is computed from several of them; n ≥ 1, else
 * STATS_TOO_FEW. *deviations is exactly 0 if and only if all values are equal. */
enum stats_status moments_quad(const struct moments *moments, __float128 *mean, __float128 *deviations);

/* x̄ = Σx/n in the unit of x; n ≥ 1, else STATS_TOO_FEW. Correctly rounded (to within 2^-50 of an ulp). */
enum stats_status moments_mean(const struct moments *moments, double *mean);

/*
 * Sample standard deviation √(Σ(x−x̄)²/(n−1)) in the unit of x; n ≥ 2, else STATS_TOO_FEW. Exactly 0 if and only if all
 * values are equal. Correctly rounded (to within 2^-40 of an ulp).
 */
enum stats_status moments_sd(const struct moments *moments, double *sd);

/* The state as words, to save it, and back. STATS_DOMAIN if the words can't be the moments of any values. */
enum { MOMENTS_WORDS = 10 };
void moments_to_words(const struct moments *moments, uint64_t words[MOMENTS_WORDS]);
enum stats_status moments_from_words(const uint64_t words[MOMENTS_WORDS], struct moments *moments);

#endif
