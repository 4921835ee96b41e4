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

#include "stats/status.h"

/* n_0 ≥ 2 (STATS_TOO_FEW); sd ≥ 0 and half > 0 in one unit, finite, 0 < confidence < 1 (STATS_DOMAIN). STATS_OVERFLOW:
 * more than 2^53 runs. O(1). */
enum stats_status runs_needed(uint64_t pilot_n, double sd, double half, double confidence, uint64_t *n);

#endif
