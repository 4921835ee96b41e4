/*
 * series_autocorrelation.h - autocorrelation of a column of numbers.
 *
 * Quantity: r_k of autocorrelation.h, k = 1 … lags, as R's acf(); autocorrelation_ljung_box_of() tests them.
 *
 * Exact wherever the series is kept in integers (series.h) that span less than 2^56: values minus the smallest one,
 * which changes nothing, are multiplied and summed as integers, and r_k is rounded once. (Up to 2^28 with one product
 * a pair, above with three, of 28 bits each.) A series that spans more, or is kept in 113 bits, is rounded to multiples
 * of a unit first, at most range/2^54, and the rest is just as exact. This changes r_k by at most 2^-53·range/sd in
 * absolute terms; since rounding errors partly cancel, by about √n less.
 *
 * GSL's FFT gives all lags at once in O(n·log n), but keeps 12 digits of the first twenty r_k of 65536
 * independent values, where this keeps all, and needs 16 bytes per value.
 *
 * Sums of integers don't depend on their order, so no bit of r_k depends on the number of threads.
 */
#ifndef ASSAY_STATS_AUTOCORRELATION_SERIES_AUTOCORRELATION_H
#define ASSAY_STATS_AUTOCORRELATION_SERIES_AUTOCORRELATION_H

#include <stddef.h>

#include "stats/exact/series.h"

#define SERIES_AUTOCORRELATION_N_MAX ((size_t)1 << 35)

/*
 * r[0 … lags−1] = r_1 … r_lags, each −1 … 1. 1 ≤ lags ≤ AUTOCORRELATION_LAGS_MAX (STATS_DOMAIN); n > lags
 * (STATS_TOO_FEW); n ≤ SERIES_AUTOCORRELATION_N_MAX (STATS_OVERFLOW); values not all equal (STATS_CONSTANT); or
 * STATS_NO_MEMORY. On up to `jobs` threads (0 is one). About n·lags·0.1 ns up to 2^28, 0.2 ns above, of one core with
 * AVX2; memory O(jobs·lags), and none that grows with n.
 */
enum stats_status series_autocorrelation(const struct series *series, size_t lags, unsigned jobs, double *r);

#endif
