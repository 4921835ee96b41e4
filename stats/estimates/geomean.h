/*
 * geomean.h - the geometric mean and its confidence interval.
 *
 * Quantity: (Π x_i)^(1/n), in the unit of x: the mean for ratios, such as slowdowns over several programs. Its interval
 * is that of the mean of log x (interval.h), taken back by exp: not symmetric around the mean, and right if the
 * logarithms are about normal.
 */
#ifndef ASSAY_STATS_ESTIMATES_GEOMEAN_H
#define ASSAY_STATS_ESTIMATES_GEOMEAN_H

#include <stddef.h>

#include "stats/estimates/interval.h"

/* Computes it from x[n], n ≥ 1 (STATS_TOO_FEW), all > 0 and finite (STATS_DOMAIN). Relative error below 2^-52. O(n). */
enum stats_status geomean_of(const double *x, size_t n, double *geomean);

/* out->mean is the geometric mean, out->half the larger distance to a bound. n ≥ 2 (STATS_TOO_FEW); STATS_OVERFLOW: a
 * bound that is not a finite double. Otherwise as geomean_of(). */
enum stats_status geomean_interval(const double *x, size_t n, enum interval_method method, double confidence,
                                   struct interval *out);

#endif
