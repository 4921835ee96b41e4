/*
 * warmup.h - does a process reach a steady state over its iterations, after how many, and how fast is it then?
 *
 * Quantity: the iterations of one process, in their order, in any unit. Outliers are further from the median of the
 * WARMUP_WINDOW iterations around them than four times the distance of the 20th and 80th percentiles there, which is
 * seven standard deviations of normal noise, and fewer than WARMUP_CHANGE in a row. They are left out, except those
 * that begin the series, which are taken for warm-up. The others are segmented (segments.h) with the penalty
 * 9·f·ln(n/f): where neighbours are correlated by φ, f = (1 + φ)/(1 − φ) values are worth one. φ is estimated from
 * differences within short blocks, so neither changes of level nor of spread count much. Fewer than WARMUP_FEW
 * iterations cannot show φ: the penalty is 15·ln n.
 *
 * Two segments are equal if their means differ by at most `tolerance` times the later mean, or by no more than that and
 * two standard errors; four if the earlier segment does not begin the series. Segments of fewer than WARMUP_EXCURSION
 * iterations that neither begin nor end the series make no difference. The steady state begins with the first of the
 * segments that equal the last one and follow each other to the end. It must have `share` of the iterations, or there
 * is none. Nor is there if the means of its halves differ by three standard errors (corrected by φ) more than the
 * tolerance; this needs WARMUP_FEW iterations, 20 of them in the steady state. Before it, a segment that differs makes
 * a warm-up if all that differ are worse than the steady state, and a slowdown if one of them is better. Outliers that
 * begin the series count like a segment, but differ only by the tolerance.
 *
 * Source: Barrett, Bolz-Tereick, Killick, Mount and Tratt 2017, Virtual machine warmup blows hot and cold, DOI
 * 10.1145/3133876: classes, segmentation, and the penalty 15·ln n. Outliers are beyond three times the distance of the
 * 10th and 90th percentiles of 200 iterations there, and the steady state begins in the last 500 of 2000. Ours are the
 * window, the tolerance, the correlation, its penalty, excursions, halves, and outliers that begin or end a series.
 */
#ifndef ASSAY_STATS_INFERENCE_WARMUP_H
#define ASSAY_STATS_INFERENCE_WARMUP_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/exact/series.h"
#include "stats/inference/segments.h"

enum { WARMUP_WINDOW = 24, WARMUP_N_MIN = 4, WARMUP_CHANGE = 5, WARMUP_EXCURSION = 8, WARMUP_FEW = 40 };
#define WARMUP_PENALTY 9.0
#define WARMUP_PENALTY_FEW 15.0

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
