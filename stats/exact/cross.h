/*
 * cross.h - exact sums of products of columns, and of powers of one column. Internal to stats.
 *
 * Sums are as wide as their values make them: integers of 20 bits are multiplied and added in 128 bits, of 62 in 256,
 * and wide columns and powers have as many words as they need. So extra precision costs only where the data have it.
 * One pass over the data, in blocks that stay in the cache; memory, apart from the columns, does not depend on n.
 */
#ifndef ASSAY_STATS_EXACT_CROSS_H
#define ASSAY_STATS_EXACT_CROSS_H

#include <gmp.h>
#include <stddef.h>

#include "stats/exact/column.h"

enum { CROSS_COLUMNS_MAX = 34 };

/* Bits that hold the sum over n rows of x^a · y^b. */
size_t cross_bits(const struct column *x, size_t a, const struct column *y, size_t b, size_t n);

/*
 * entry[i·count + j] = Σ column_i · column_j over n rows, for i ≤ j; count ≤ CROSS_COLUMNS_MAX. STATS_NO_MEMORY. A
 * product takes about 1.5 ns per row between fixed columns, 15 ns if any is wide.
 */
enum stats_status cross_columns(const struct column *columns, size_t count, size_t n, mpz_t *entry);

/*
 * The same for the columns x^lowest, x^(lowest+1) … x^degree, y. About 30·degree ns a row while powers fit two words,
 * and in proportion to their words beyond that.
 */
enum stats_status cross_powers(const struct column *x, const struct column *y, unsigned lowest, unsigned degree,
                               size_t n, mpz_t *entry);

#endif
