/*
 * rank_counted.h - Kruskal and Wallis's test for values with their frequencies.
 *
 * The same statistic as rank_kruskal_wallis() of rank.h for the values written out, with memory and time that depend
 * only on the distinct values: 1e9 calls can be tested from their histogram.
 */
#ifndef ASSAY_STATS_INFERENCE_RANK_COUNTED_H
#define ASSAY_STATS_INFERENCE_RANK_COUNTED_H

#include <stddef.h>
#include <stdint.h>

#include "stats/inference/rank.h"

struct rank_value {
    double value;
    uint64_t count; /* ≥ 1 */
};

/* A group: values[count], in any order, finite, repeated or not. */
struct rank_counted {
    const struct rank_value *values;
    size_t count;
};

/* As rank_kruskal_wallis(), errors as well. O(m log m) for m values of all groups, 24 bytes each. */
enum stats_status rank_kruskal_wallis_counted(const struct rank_counted *groups, size_t count,
                                              struct kruskal_wallis *out);

#endif
