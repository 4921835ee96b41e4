/*
 * warmup_process.h - one process of a benchmark in one value column.
 */
#ifndef ASSAY_ANALYZE_WARMUP_WARMUP_PROCESS_H
#define ASSAY_ANALYZE_WARMUP_WARMUP_PROCESS_H

#include "stats/exact/series.h"
#include "stats/inference/warmup.h"

struct warmup_process {
    size_t iterations;       /* 0: it was left out */
    struct warmup found;     /* warmup_free() frees what it holds */
    double before, mean, sd; /* the sum before the steady state, and its level with the divisor n − 1; NaN: none */
};

/* Iterations in the steady state count with their outliers, since these take their time. Statuses of
 * warmup_of_series(); on failure `iterations` is 0. O(iterations) more than that. */
enum stats_status warmup_process_classify(struct warmup_process *process, const struct series *series,
                                          const struct warmup_options *how);

#endif
