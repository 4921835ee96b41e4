/*
 * column.h - a series as integers times a unit, for exact sums. Inside of stats.
 *
 * The integers of a fixed series are its own. Those of a wide one are its values in fixed point: rounded to 2^(1−bits)
 * of the largest, so that what is lost is what 113 bits a value lose as well.
 */
#ifndef ASSAY_STATS_COLUMN_H
#define ASSAY_STATS_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/series.h"
#include "stats/wide.h"

struct column {
    const struct series *series; /* NULL: 1 in every row */
    unsigned bits;               /* |integer| < 2^bits; at most 62 of a fixed series, 1 of ones */
    int32_t shift;               /* wide: integer = value · 2^shift, rounded */
    __float128 unit;             /* value = integer · unit; relative error at most 2^-111 */
};

/* The column of a series (or of ones), wide values in `bits` (64 … 120) bits. O(1), O(n) if wide. */
struct column column_of(const struct series *series, unsigned bits);

/* Whether the integers are the values themselves. */
bool column_is_exact(const struct column *column);

/* The integers of rows first … first + n − 1. About 3 ns a value. */
void column_read(const struct column *column, size_t first, size_t n, wide_i128 *out);

#endif
