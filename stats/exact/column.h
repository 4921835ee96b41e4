/*
 * column.h - a series as integers times a power of ten, for exact sums. Internal to stats.
 *
 * The integers of a fixed series are its own. The integers of a wide one have as many bits as the range of its values
 * needs, plus some 60: a value in 113 bits determines the decimal of at most 18 digits that it was read from, so
 * nothing is rounded.
 */
#ifndef ASSAY_STATS_EXACT_COLUMN_H
#define ASSAY_STATS_EXACT_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/exact/series.h"

struct column_scale;

struct column {
    const struct series *series; /* NULL: 1 in every row */
    int32_t exponent;            /* value = integer · 10^exponent */
    size_t bits;                 /* |integer| < 2^bits; at most 62 for a fixed series, 2200 for any */
    size_t limbs;                /* that hold it */
    struct column_scale *scale;  /* for a wide series: for each binary exponent from `least` on */
    int least;
};

/* The column of a series, or of ones; to be closed by column_close(). O(1); O(n) for a wide series. STATS_NO_MEMORY. */
enum stats_status column_open(struct column *column, const struct series *series);
void column_close(struct column *column);

/* One of them. */
struct column_value {
    uint64_t *limb; /* magnitude, least significant first; the caller's capacity of column.limbs */
    size_t length;  /* in use, the last of them not 0; zero has none */
    bool negative;
};

/* The integer of row i. 2 ns; about 15 for a wide series. */
void column_read(const struct column *column, size_t i, struct column_value *out);

#endif
