/*
 * measure.h - how far profilers agree.
 *
 * Quantities, of profiles as means over runs:
 *   Union_n    |H_1 ∪ … ∪ H_m|, H_p the n hottest methods of profiler p: n if all agree, n·m if none do
 *   overlap    |H_a ∩ H_b| / the size of the larger of both: 0 … 1
 *   tau        Kendall's τ_b of the shares of H_a ∪ H_b (stats/inference/kendall.h)
 *   distance   total variation, ½ Σ |a_m − b_m| over all methods: 0 (the same profile) … 1 (nothing in common)
 * Source: Mytkowicz et al., PLDI 2010, §4.1, where Union_n also uses "the average from multiple runs".
 *
 * Intervals: the runs of each profiler are resampled with replacement (Efron and Tibshirani, "An Introduction to the
 * Bootstrap", 1993), and the interval lies between two quantiles of the results, widened as Student's t requires for
 * few runs (Hesterberg 2015, DOI 10.1080/00031305.2015.1089789).
 *
 * Noise makes every distance too large: |a_m − b_m| is above 0 even if both are the same: at most by noise = ½ Σ
 * σ_m·√(2/π) over the methods whose difference is within 3 σ_m, σ_m its standard error (√(2/π) is the mean of |x| of a
 * standard normal x; beyond 3 σ_m the sign of a difference is certain, and noise cancels out). The lower end of the
 * distance's interval is reduced by that, so it covers the distance of noiseless profiles at least as often as stated.
 */
#ifndef ASSAY_AGREE_MEASURE_H
#define ASSAY_AGREE_MEASURE_H

#include "analyze/agree/view.h"
#include "stats/estimates/interval.h"

enum { MEASURE_TOP_MAX = 100, MEASURE_RESAMPLES = 2000 };

/* How intervals are made. use_z: the normal quantile in place of Student's t, so nothing is widened for few runs. */
struct measure_options {
    double confidence;
    bool use_z;
};

struct measured {
    double value;  /* NaN: there is none */
    double lo, hi; /* NaN: none, since some profiler has fewer than two runs */
};

/* For the two sides of a view. tau is NaN if a profiler gives all of them the same share. 0 or ENOMEM. O(resamples ·
 * runs · methods). */
struct measured_pair {
    struct measured overlap, tau, distance;
    double noise; /* 0 without intervals */
};
int measure_pair(const struct view *view, size_t top, const struct measure_options *options, struct measured_pair *out);

/* Union_1 … Union_top over all sides of a view, in unions[top]. 0 or ENOMEM. */
int measure_unions(const struct view *view, size_t top, const struct measure_options *options, struct measured *unions);

/* The difference of a method's mean shares, the second side's minus the first's, with Welch's interval. */
struct measured measure_difference(const struct view *view, uint32_t method, const struct measure_options *options);

#endif
