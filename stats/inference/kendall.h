/*
 * kendall.h - do two measurements order the same things in the same way?
 *
 * Quantity: Kendall's τ_b, −1 … 1: pairs of things in the same order minus those in opposite order, over the geometric
 * mean of the pairs that x and that y tells apart. 1: same order, 0: none. Source: Kendall 1945,
 * DOI 10.1093/biomet/33.3.239; R: cor(x, y, method = "kendall").
 */
#ifndef ASSAY_STATS_INFERENCE_KENDALL_H
#define ASSAY_STATS_INFERENCE_KENDALL_H

#include <stddef.h>

#include "stats/status.h"

/* x[n], y[n], finite (else STATS_DOMAIN), n ≥ 2 (STATS_TOO_FEW), neither all equal (STATS_CONSTANT). O(n²). */
enum stats_status kendall_tau(const double *x, const double *y, size_t n, double *tau);

#endif
