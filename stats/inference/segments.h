/*
 * segments.h - a series of measurements as segments within which mean and variance are constant.
 *
 * Quantity: the partition of x into segments that minimises Σ over segments of n(ln(2π·v) + u/v), which is −2 log of
 * the normal likelihood, plus `penalty` for each segment after the first. A segment has n values, SEGMENT_LENGTH_MIN or
 * more; u is their variance (divisor n), and v the larger one of u and q²/12. q stands for the resolution of the clock:
 * without it, equal values would have an infinite likelihood. It is the smallest difference of two values that differ,
 * by more than rounding of doubles does (1e-9 of the largest value).
 * If a twentieth of the values or more are equal, it is the distance from the most frequent value within which a
 * twentieth lies besides: a few odd values say nothing about the steps of a coarse clock.
 * Source: the cost and exact pruning of Killick, Fearnhead and Eckley 2012 (PELT), DOI 10.1080/01621459.2012.737745.
 * Blocks of 256 beginnings are pruned and skipped together, with the same result.
 * Barrett et al. 2017 (DOI 10.1145/3133876) take the penalty 15·ln n for iterations of benchmarks.
 */
#ifndef ASSAY_STATS_INFERENCE_SEGMENTS_H
#define ASSAY_STATS_INFERENCE_SEGMENTS_H

#include <stddef.h>

#include "stats/status.h"

enum { SEGMENT_LENGTH_MIN = 2 };

struct segment {
    size_t begin, end; /* values begin … end − 1, from 0 */
    double mean, sd;   /* in the unit of x; sd with the divisor n, without q²/12 */
};

/*
 * x[n] in the order of measurement, finite (STATS_DOMAIN); n ≥ 2·SEGMENT_LENGTH_MIN (STATS_TOO_FEW); penalty > 0
 * (STATS_DOMAIN). STATS_NO_MEMORY. (*segments)[*count], ascending, from 0 to n without a gap, is to be freed by free().
 * Constant values are one segment. O(n) expected where changes occur all along the series, and O(n²/256) without
 * any.
 */
enum stats_status segments_find(const double *x, size_t n, double penalty, struct segment **segments, size_t *count);

#endif
