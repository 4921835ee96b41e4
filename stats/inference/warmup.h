/*
 * warmup.h - does a process reach a steady state over its iterations, after how many, and how fast is it then?
 *
 * Quantity: the iterations of one process, in their order, in any unit. Outliers are further from the median of the
 * WARMUP_WINDOW iterations around them than three times the distance of the 10th and 90th percentiles there; they are
 * left out, except those that begin the series without a gap, which are taken for warm-up, and WARMUP_CHANGE or more
 * that end it without a gap, which may be a change. The others are segmented (segments.h) with the penalty 15·ln n, or
 * 8·f·ln(n/f) if that is more: where neighbours are correlated by φ, f = (1 + φ)/(1 − φ) values are worth one. φ is
 * estimated from differences of neighbours, so changes of level hardly count. Two segments are equal if their means
 * differ by at most `tolerance` times the later mean, or by no more than that and two standard errors.
 *
 * The steady state begins with the first of the segments that equal the last one and follow each other to the end. It
 * must have `share` of the iterations, and the means of its halves may not differ by three standard errors (corrected
 * by φ) more than the tolerance, or there is none. Before it, a segment that differs makes a warm-up if all that differ
 * are worse than the steady state, and a slowdown if one of them is better. Outliers that begin the series count like a
 * segment.
 *
 * Source: Barrett, Bolz-Tereick, Killick, Mount and Tratt 2017, Virtual machine warmup blows hot and cold, DOI
 * 10.1145/3133876: classes, outliers, segmentation and penalty. The steady state begins in the last 500 of 2000
 * iterations there. The tolerance, correlated iterations, halves, and outliers that begin or end a series
 * are ours.
 */
#ifndef ASSAY_STATS_INFERENCE_WARMUP_H
#define ASSAY_STATS_INFERENCE_WARMUP_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/exact/series.h"
#include "stats/inference/segments.h"

enum { WARMUP_WINDOW = 200, WARMUP_N_MIN = 4, WARMUP_CHANGE = 5 };
#define WARMUP_PENALTY 15.0
#define WARMUP_PENALTY_CORRELATED 8.0

enum warmup_class {
    WARMUP_FLAT,     /* steady from the first iteration */
    WARMUP_FASTER,   /* warm-up */
    WARMUP_SLOWER,   /* slowdown */
    WARMUP_UNSTEADY, /* no steady state */
    WARMUP_CLASSES
};

struct warmup_options {
    double tolerance; /* 0.01: means within 1 % are equal; ≥ 0 */
    double share;     /* 0.25: a quarter of the iterations; 0 < share ≤ 1 */
    bool higher_is_better;
};

struct warmup {
    enum warmup_class class;
    size_t steady_from;       /* iterations before the steady state; n if there is none */
    size_t outliers;          /* left out, of all iterations */
    size_t segment_count;     /* of the others */
    struct segment *segments; /* [segment_count], by the numbers of iterations */
    bool *is_outlier;         /* [n] */
};

/* x[n], finite, and options in their ranges (STATS_DOMAIN); n ≥ WARMUP_N_MIN (STATS_TOO_FEW). STATS_NO_MEMORY.
 * O(n·(WARMUP_WINDOW + changes)), at most O(n²). warmup_free() frees what `out` holds. */
enum stats_status warmup_classify(const double *x, size_t n, const struct warmup_options *options, struct warmup *out);

/* The same for a series, as doubles. */
enum stats_status warmup_of_series(const struct series *series, const struct warmup_options *options,
                                   struct warmup *out);
void warmup_free(struct warmup *found);

/* "flat", "warm-up", "slowdown", "no steady state". */
const char *warmup_class_name(enum warmup_class class);

#endif
