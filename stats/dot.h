/*
 * dot.h - exact products of integer vectors. Inside of stats; where autocorrelation spends its time.
 */
#ifndef ASSAY_STATS_DOT_H
#define ASSAY_STATS_DOT_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/wide.h"

/* So many products of values in [0, 2^28) have a sum below 2^64. As times in ns: below 268 ms. */
enum { DOT_NARROW_N = 256 };

/* Whether all of x[n] are in [0, 2^28). */
bool dot_is_narrow(const int64_t *x, size_t n);

/* Σ a_i·b_i for n ≤ DOT_NARROW_N of such values. About 0.1 ns a product with AVX2, 0.3 ns without. */
uint64_t dot_narrow(const int64_t *a, const int64_t *b, size_t n);

/* Σ a_i·b_i modulo 2^128 for any values. About 1.4 ns a product. */
wide_u128 dot_wide(const int64_t *a, const int64_t *b, size_t n);

#endif
