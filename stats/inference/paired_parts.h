/*
 * paired_parts.h - distributions that the tests of pairs share with their intervals. Internal to stats.
 */
#ifndef ASSAY_STATS_INFERENCE_PAIRED_PARTS_H
#define ASSAY_STATS_INFERENCE_PAIRED_PARTS_H

#include "stats/inference/paired.h"

static inline __float128 paired_difference(const struct paired *pairs, size_t i, double factor)
{
    return pairs->x[i] - (__float128)factor * pairs->y[i];
}

/*
 * P(V ≤ v) and P(V ≥ v) of the sum of the ranks with positive signs, all 2^n signs being equally likely; ranks and v
 * doubled, n ≤ PAIRED_EXACT. Counts are integers below 2^101, so both are rounded once. STATS_NO_MEMORY. O(n³).
 */
enum stats_status paired_signed_rank_tails(const uint64_t *doubled_ranks, size_t n, uint64_t doubled, struct tail *less,
                                           struct tail *greater);

/* P(at least this many heads) of n coins, least ≤ n. */
enum stats_status paired_binomial_tail(uint64_t least, uint64_t n, struct tail *out);

#endif
