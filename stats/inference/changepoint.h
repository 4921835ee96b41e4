/*
 * changepoint.h - where does a series of runs become steady? Segments of equal mean, and how much of the beginning is
 * warm-up.
 *
 * Quantity: the partition of x into segments that minimises Σ over segments of Σ(x − mean)²/σ², plus a penalty of
 * CHANGEPOINT_PENALTY·log n for each change. σ is estimated from the differences of neighbours (1.4826·median|Δ|/√2),
 * which a change of mean hardly affects; if more than half of them are 0, as with a coarse clock, as √(mean Δ²/2).
 * Single outliers (further than 3σ from the median of their seven neighbours) are moved to that distance first, so that
 * they form no segment. A segment has CHANGEPOINT_LENGTH_MIN values or more: a warm-up shorter than that is not seen.
 * On series without a change it sees one in 1.5 % of 30 normal values, 4 % of 30 log-normal ones (sd of the log 0.5),
 * less than 1 % of 100 (simulated: tests/stats/inference/changepoint_test). Source: optimal partitioning (Jackson et
 * al. 2005, DOI 10.1109/LSP.2001.838216), with the penalty's form of Killick, Fearnhead and Eckley 2012,
 * DOI 10.1080/01621459.2012.737745; using segments to judge warm-up: Barrett et al., Virtual machine warmup blows hot
 * and cold, OOPSLA 2017, DOI 10.1145/3133876.
 */
#ifndef ASSAY_STATS_INFERENCE_CHANGEPOINT_H
#define ASSAY_STATS_INFERENCE_CHANGEPOINT_H

#include <stddef.h>

#include "stats/status.h"

#define CHANGEPOINT_PENALTY 5.0
enum { CHANGEPOINT_LENGTH_MIN = 3, CHANGEPOINT_N_MIN = 10, CHANGEPOINT_N_MAX = 2000 };

enum changepoint_verdict {
    CHANGEPOINT_FLAT,     /* no change */
    CHANGEPOINT_WARM_UP,  /* every earlier segment lies above the last one: it got faster */
    CHANGEPOINT_SLOWDOWN, /* every earlier segment lies below */
    CHANGEPOINT_UNSTEADY  /* some above, some below */
};

struct changepoint {
    enum changepoint_verdict verdict;
    size_t steady_from; /* where the last segment begins, 0 … n−1 */
    double steady_mean; /* of the last segment, in the unit of x */
    size_t count;       /* of segments */
    size_t *begins;     /* [count], ascending from 0; to be freed by free() */
};

/*
 * x[n] in the order of the runs, times (less is better), finite (STATS_DOMAIN). CHANGEPOINT_N_MIN ≤ n ≤
 * CHANGEPOINT_N_MAX (STATS_TOO_FEW, STATS_OVERFLOW). STATS_CONSTANT: all values are equal. STATS_NO_MEMORY.
 * O(n²), 20 ms at the limit.
 */
enum stats_status changepoint_find(const double *x, size_t n, struct changepoint *out);

#endif
