/*
 * levels.h - two levels of repetition: values (iterations) within processes.
 *
 * Model: value = mean + process + iteration, with independent deviations of variance σ_b² between processes and σ_w²
 * within them. The mean of k process means of m values each has the variance (σ_b² + σ_w²/m)/k, so its interval is
 * Student's t on the process means. Source: Kalibera and Jones 2013, DOI 10.1145/2464157.2464160, §5 and §6.
 */
#ifndef ASSAY_STATS_ESTIMATES_LEVELS_H
#define ASSAY_STATS_ESTIMATES_LEVELS_H

#include <stdint.h>

#include "stats/status.h"

/* What was measured: processes, all their values, the standard deviation of the process means, Σ of the squared
 * deviations of values from the mean of their process, and Σ over processes of 1/values. */
struct levels_pilot {
    uint64_t processes, values;
    double sd_means, deviations, inverse;
};

/* Unbiased; `between` is below 0 where the process means differ by less than their iterations alone would make them. */
struct levels_variances {
    double between, within;
};

/* STATS_TOO_FEW: fewer than 2 processes, or none with 2 values. Where all have m values this is the estimate of ANOVA,
 * σ_b² = s² − σ_w²/m, s² of the means. STATS_DOMAIN: not finite, or below 0. O(1). */
enum stats_status levels_estimate(const struct levels_pilot *pilot, struct levels_variances *out);

/* The share of the variance of a single value that lies between processes, from 0 to 1: the intra-class correlation.
 * NaN if there is no variance. */
double levels_correlation(const struct levels_variances *variances);

/* What a process takes before its first measured value, and what a value takes, in any common unit. */
struct levels_cost {
    double process, iteration; /* ≥ 0, and > 0 */
};

struct levels_plan {
    uint64_t processes, iterations;
};

/*
 * The cheapest processes × iterations, processes ≥ 2, for which t(processes − 1)·√((σ_b² + σ_w²/iterations)/processes)
 * ≤ half: an interval of that half width is then expected. For many processes, iterations are the optimum of Kalibera
 * and Jones, √(process/iteration · σ_w²/σ_b²). Beyond 1000 processes the cost is within 0.2 % of the least. half > 0 in
 * the unit of the values. STATS_DOMAIN; STATS_OVERFLOW: more than 2^53 of either. Up to 5 µs per number of processes
 * that is tried, some thousand at most.
 */
enum stats_status levels_make_plan(const struct levels_variances *variances, const struct levels_cost *cost,
                                   double half, double confidence, struct levels_plan *plan);

#endif
