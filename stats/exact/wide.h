/*
 * wide.h - integers of 128 and 256 bits, for sums that must be exact.
 *
 * Two's complement throughout: additions and products of 256 bits wrap, so that a sum whose true value fits is right
 * whatever its intermediate values were, in any order. The caller shows that the true value fits.
 * GMP's mpn_add_n() takes 2.2 times as long as wide_add(), mpn_mul_n() 1.5 times, mpn_mul_1() three times, and a whole
 * fit to 200,000 rows 1.2 times, since its loops suit more than four words.
 */
#ifndef ASSAY_STATS_EXACT_WIDE_H
#define ASSAY_STATS_EXACT_WIDE_H

#include <stdbool.h>
#include <stdint.h>

typedef __int128 wide_i128;
typedef unsigned __int128 wide_u128;

struct wide {
    wide_u128 low, high;
};

struct wide wide_add(struct wide a, struct wide b);
struct wide wide_subtract(struct wide a, struct wide b);

/* a · b, exact for all arguments. */
struct wide wide_multiply(wide_i128 a, wide_i128 b);

/* a · b for 0 ≤ a < 2^192 given as low and high, exact; b < 2^63, so that the result is below 2^255. */
struct wide wide_multiply_192(wide_u128 low, uint64_t high, uint64_t b);

bool wide_is_zero(struct wide a);

/* The value to 113 bits: relative error at most 2^-111, for either sign. */
__float128 wide_to_quad(struct wide a);

/* √v for 0 ≤ v ≤ 2^256, relative error at most 2^-100. */
__float128 wide_square_root(__float128 v);

/* |value| = result · 2^*exponent, result < 2^113, of a finite value; 0 of those below 2^-16382 (subnormal). By its
 * bits: conversions in the library take ten times as long. */
wide_u128 wide_mantissa(__float128 value, int *exponent, bool *negative);

/* A 128-bit integer as two words, low first, and back; for states that are saved. */
void wide_to_words(wide_u128 value, uint64_t words[2]);
wide_u128 wide_from_words(const uint64_t words[2]);

#endif
