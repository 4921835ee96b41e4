/*
 * rank_exact.h - the permutation distribution of Mann and Whitney's U, with or without ties. Internal to stats.
 *
 * Given the pooled values, each of the (m+n choose m) ways to label m of them "x" is equally likely. They are
 * counted exactly, by the sum of doubled midranks that they have (Streitberg and Röhmel 1986, Exact distributions for
 * permutation and rank tests, the shift algorithm), or without ties by Gauss's polynomial.
 */
#ifndef ASSAY_STATS_INFERENCE_RANK_EXACT_H
#define ASSAY_STATS_INFERENCE_RANK_EXACT_H

#include <stddef.h>
#include <stdint.h>

#include "stats/distributions/tail.h"
#include "stats/status.h"

/* The pooled values in ascending order: how many are equal to the first, to the next one that differs … */
struct rank_runs {
    const size_t *length; /* [count] */
    size_t count;
    size_t m, n; /* of x and of y; Σ length = m + n, 1 ≤ m·n ≤ RANK_EXACT_PAIRS */
};

/*
 * P(U ≤ u) in *less and P(U ≥ u) in *greater, for doubled = 2u, 0 … 2·m·n. Counts are integers below 2^97, so both are
 * rounded once. STATS_NO_MEMORY. At most (m+n)·m²·n steps with ties (6 ms for 50 and 50), and fewer the farther u lies
 * from the middle; m²·n/2 without.
 */
enum stats_status rank_exact(const struct rank_runs *runs, uint64_t doubled, struct tail *less, struct tail *greater);

#endif
