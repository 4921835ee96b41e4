/*
 * big.h - integers of any length, for exact results. Internal to stats.
 *
 * Sign and magnitude. The caller owns the limbs and guarantees room for each result; lengths adapt to the values, so
 * small numbers cost little whatever their room. Products are schoolbook: about 1 ns per pair of limbs.
 */
#ifndef ASSAY_STATS_EXACT_BIG_H
#define ASSAY_STATS_EXACT_BIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/exact/wide.h"

/* {0} with limb set to some room is zero. */
struct big {
    uint64_t *limb; /* least significant first */
    size_t length;  /* limbs in use, the last of them not 0; zero has none */
    bool negative;  /* never of zero */
};

/* Natural numbers as bare limbs: out[an + bn] = a · b, disjoint from both; returns the length without leading zeros. */
size_t big_multiply_limbs(const uint64_t *a, size_t an, const uint64_t *b, size_t bn, uint64_t *out);

/* sum += a, with sum[] long enough for the carry to end. */
void big_add_limbs(uint64_t *sum, const uint64_t *a, size_t an);

/* ±limb[n], leading zeros allowed. Room n. */
void big_set_limbs(struct big *out, const uint64_t *limb, size_t n, bool negative);

/* ±magnitude · 2^shift. Room (shift + 127) / 64 + 2. */
void big_set_shifted(struct big *out, wide_u128 magnitude, size_t shift, bool negative);

/* Two's complement of 256 bits. Room 4. */
void big_set_wide(struct big *out, struct wide value);

/* a ·= 2^(64·n). Room a.length + n. */
void big_shift_limbs(struct big *a, size_t n);

/* out = a · b, disjoint from both. Room a.length + b.length. */
void big_multiply(struct big *out, const struct big *a, const struct big *b);

/* a −= b. Room of a: the longer one + 1. */
void big_subtract(struct big *a, const struct big *b);

/* A divisor > 0, prepared for many exact divisions: odd · 2^shift. Room of odd: the value's length. */
struct big_divisor {
    struct big odd;
    size_t shift;
    uint64_t inverse; /* of odd modulo 2^64 */
};
void big_divisor_set(struct big_divisor *divisor, const struct big *value);

/*
 * out = a / divisor, which must leave no remainder; a is destroyed. Room of out: one more than the result needs. From
 * the low end (Jebelean 1993, "An algorithm for exact division", DOI 10.1006/jsco.1993.1012): no trial quotients.
 */
void big_divide_exact(struct big *out, struct big *a, const struct big_divisor *divisor);

/* a = result · 2^*exponent, |result| < 2^192; relative error at most 2^-111. */
__float128 big_to_quad(const struct big *a, int64_t *exponent);

#endif
