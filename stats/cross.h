/*
 * cross.h - exact sums of products of columns, and of powers of one column. Inside of stats.
 *
 * Sums are as wide as their values make them: integers of 20 bits are multiplied and added in 128 bits, of 62 in 256,
 * and powers have as many words as they fill. So extra precision costs only where the data have it. One pass over the
 * data, in blocks that stay in the cache; memory beside the columns is constant.
 */
#ifndef ASSAY_STATS_CROSS_H
#define ASSAY_STATS_CROSS_H

#include <stddef.h>

#include "stats/big.h"
#include "stats/column.h"

enum { CROSS_COLUMNS_MAX = 34 };

/*
 * entry[i·count + j] = Σ column_i · column_j over n rows, for i ≤ j; count ≤ CROSS_COLUMNS_MAX, n < 2^47, and
 * bits ≤ 103 (2·bits + bits of n ≤ 254) of every column. Room 4 limbs an entry. STATS_NO_MEMORY. A product of two
 * fixed columns takes about 1.5 ns a row, if any column is wide 10 ns.
 */
enum stats_status cross_columns(const struct column *columns, size_t count, size_t n, struct big *entry);

/*
 * The same for the columns x^lowest, x^(lowest+1) … x^degree, y. Room of cross_powers_bits(…) bits an entry. About
 * 10·degree ns a row while powers fit one word, in proportion to their words above.
 */
enum stats_status cross_powers(const struct column *x, const struct column *y, unsigned lowest, unsigned degree,
                               size_t n, struct big *entry);

/* Bits that hold the sum over n rows of x^a · y^b. */
size_t cross_power_bits(const struct column *x, size_t a, const struct column *y, size_t b, size_t n);

#endif
