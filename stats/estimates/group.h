/*
 * group.h - the moments of each group to be compared: n, mean and sum of squared deviations, in 113 bits.
 *
 * Groups of 1e12 ± 0.1 differ in digits that no double has, so comparisons (anova.h, compare.h) start from here and
 * round once, at their end.
 */
#ifndef ASSAY_STATS_ESTIMATES_GROUP_H
#define ASSAY_STATS_ESTIMATES_GROUP_H

#include <stdint.h>

#include "stats/exact/real_moments.h"
#include "stats/status.h"

/* Anyone may read this; only the functions below write it. */
struct group {
    uint64_t n; /* ≥ 1 */
    __float128 mean;
    __float128 deviations; /* Σ(x−x̄)² ≥ 0; 0 if and only if all values are equal */
};

/* From the values of a group; STATS_TOO_FEW if there are none. */
enum stats_status group_of_moments(const struct real_moments *moments, struct group *out);

/* Sample variance, for n ≥ 2. */
__float128 group_variance(const struct group *group);

/* Sample standard deviation, rounded once: the variance of values near 1e170 or 1e-170 is not a double, its root is. n
 * ≥ 2 (STATS_TOO_FEW); STATS_OVERFLOW: it is neither 0 nor a normal double. */
enum stats_status group_sd(const struct group *group, double *sd);

/* Mean of b − mean of a; exactly 0 if they differ by no more than the rounding of their last bits. */
__float128 group_difference(const struct group *a, const struct group *b);

/* A result, rounded to double once. STATS_OVERFLOW if it is neither 0 nor a normal double. */
enum stats_status group_to_double(__float128 value, double *out);

#endif
