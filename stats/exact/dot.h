/*
 * dot.h - exact products of integer vectors. Internal to stats; where autocorrelations spend their time.
 */
#ifndef ASSAY_STATS_EXACT_DOT_H
#define ASSAY_STATS_EXACT_DOT_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/exact/wide.h"

/* So many products of values in [0, 2^28) have a sum below 2^64. As times in ns: below 268 ms. */
enum { DOT_NARROW_N = 256 };

/* Whether all of x[n] are in [0, 2^28). */
bool dot_is_narrow(const int64_t *x, size_t n);

/* Σ a_i·b_i for n ≤ DOT_NARROW_N of such values. About 0.1 ns per product with AVX2, 0.3 ns without. */
uint64_t dot_narrow(const int64_t *a, const int64_t *b, size_t n);

/* Σ a_i·b_i modulo 2^128 for any values. About 1.4 ns per product. */
wide_u128 dot_wide(const int64_t *a, const int64_t *b, size_t n);

/*
 * A vector of values in [0, 2^56) as limbs of 28 bits: the low one in the low half of limbs[i], the high one in the
 * high half, and apart[i] = low − high. Then (low − high)(low' − high') gives both mixed products at the cost of one
 * (Karatsuba and Ofman 1962).
 */
struct dot_split {
    uint64_t *limbs;
    int64_t *apart;
};
enum { DOT_SPLIT_BITS = 56, DOT_SPLIT_LAGS = 3 };

void dot_split_set(struct dot_split vector, size_t i, uint64_t value);

/*
 * sums[k] = Σ_{i<n} x_{a+i}·x_{b+i−k} for k < DOT_SPLIT_LAGS ≤ b + 1 and n ≤ DOT_NARROW_N, a multiple of 4; one more
 * element must be readable (whatever it is) after the last. Below 2^120. About 0.2 ns per product with AVX2, 1.4 ns
 * without.
 */
void dot_split(struct dot_split vector, size_t a, size_t b, size_t n, wide_u128 sums[DOT_SPLIT_LAGS]);

#endif
