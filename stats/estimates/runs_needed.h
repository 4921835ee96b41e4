/*
 * runs_needed.h - the number of runs for a wanted interval.
 *
 * Quantity: the smallest n ≥ n_0 such that the interval x̄ ∓ t·s/√n of a mean has a half width of at most h, where s is
 * the standard deviation of n_0 pilot runs and t the quantile of Student's t with n_0 − 1 degrees of freedom: n =
 * max(n_0, ⌈(t·s/h)²⌉). With the pilot runs among the n, that interval covers the mean with at least the wanted
 * confidence, if values are normal. Source: Stein 1945, DOI 10.1214/aoms/1177731088.
 */
#ifndef ASSAY_STATS_ESTIMATES_RUNS_NEEDED_H
#define ASSAY_STATS_ESTIMATES_RUNS_NEEDED_H

#include <stdint.h>

#include "stats/estimates/interval.h"
#include "stats/status.h"

/* The runs that there are: n_0 ≥ 2 (STATS_TOO_FEW), and their standard deviation, sd ≥ 0, finite (STATS_DOMAIN). */
struct runs_pilot {
    uint64_t n;
    double sd;
};

/* half > 0 in the unit of sd, finite, 0 < confidence < 1 (STATS_DOMAIN). STATS_OVERFLOW: more than 2^53 runs. O(1). */
enum stats_status runs_needed(struct runs_pilot pilot, double half, double confidence, uint64_t *n);

/* Runs in all; UINT64_MAX: more than 2^53. */
struct runs_expected {
    uint64_t n, low, high;
};

/*
 * Quantity: the least n ≥ 2 with q(n)·σ/√n ≤ h, where q(n) is the quantile of the interval of n runs: when an interval
 * that takes all runs for its sample is expected to be narrow enough. n: σ is s, the standard deviation of the n_0
 * pilot runs; low, high: σ is at the ends of its own interval of confidence `sure`, s·√((n_0 − 1)/χ²), for normal
 * values. Unlike runs_needed() this guarantees nothing, and is not inflated by the quantile of few pilot runs.
 *
 * Arguments and errors as runs_needed(), but for STATS_OVERFLOW. `confidence` is that of the mean's interval, 0 < sure
 * < 1. About 200 evaluations of a quantile: 1 ms.
 */
enum stats_status runs_expected(struct runs_pilot pilot, double half, enum interval_method method, double confidence,
                                double sure, struct runs_expected *out);

#endif
