/*
 * series.h - a column of numbers in memory, exact where it can be.
 *
 * Values are integers times a common power of ten, the largest that all of them are multiples of, as long as they fit
 * in 62 bits: then every sum over the column can be exact. A column whose values span more than that (1e300 and 1e-300;
 * 1e5 and seventeen digits) is kept in 113 bits per value instead. Which it is depends on the values alone, not on how
 * they were written (1.50, 15e-1) nor on their order.
 */
#ifndef ASSAY_STATS_EXACT_SERIES_H
#define ASSAY_STATS_EXACT_SERIES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "stats/exact/decimal.h"

/* Start with {0}; series_free() at the end. Anyone may read this; only the functions below write it. */
struct series {
    size_t n, capacity;
    int32_t exponent;  /* of fixed; 0 if all values are 0 */
    int64_t magnitude; /* the largest |fixed[i]|, below 2^62 */
    int64_t *fixed;    /* value i = fixed[i]·10^exponent, exactly; NULL if wide is in use */
    __float128 *wide;  /* value i; NULL as long as all fit into fixed */
};

/* Appends n values. STATS_NO_MEMORY, and then nothing has changed. Amortised O(n), plus O(all) whenever the common
 * exponent gets smaller. 8 bytes per value (16 if wide). */
enum stats_status series_append(struct series *series, const struct decimal *values, size_t n);

/* Appends all of `later`, unchanged. As series_append(). */
enum stats_status series_join(struct series *series, const struct series *later);
void series_free(struct series *series);

/* Writes a series to a file in memory, and makes the same one of what was written, for another process of the same
 * build. STATS_NO_MEMORY; series_read() then leaves an empty series. O(n). */
enum stats_status series_write(const struct series *series, FILE *to);
enum stats_status series_read(struct series *series, FILE *from);

/* Removes the first `count` values, or all if there are fewer. O(n). */
void series_drop_first(struct series *series, size_t count);

/* Value i < n, correctly rounded (from wide: to within 2^-59 of an ulp); and to 113 bits. O(1). */
double series_double(const struct series *series, size_t i);
__float128 series_quad(const struct series *series, size_t i);

/* All values as doubles in x[n], in the order of the series or sorted. */
void series_to_doubles(const struct series *series, double *x);
void series_to_sorted(const struct series *series, double *x);

#endif
