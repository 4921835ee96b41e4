/*
 * quantile.h - quantiles of unsigned integer samples in bounded memory, mergeable.
 *
 * A histogram whose buckets are linear within each power of two: 256 per power, so a value is known to 2^-8 of itself,
 * and exactly below 512. Powers of two in which no value falls take no memory. Counts are integers: merging in any
 * order gives the same bits. (GSL's gsl_rstat_quantile() needs less memory, but can't be merged and has no bound of its
 * error.)
 */
#ifndef ASSAY_STATS_ESTIMATES_QUANTILE_H
#define ASSAY_STATS_ESTIMATES_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

#include "stats/status.h"

enum { QUANTILE_BITS = 8, QUANTILE_BUCKETS = 1 << QUANTILE_BITS, QUANTILE_POWERS = 64 - QUANTILE_BITS + 1 };

/* Start with {0}; quantile_free() at the end. 2 KiB for each power of two that occurs. */
struct quantile {
    uint64_t n;
    uint64_t min, max;
    uint64_t *counts[QUANTILE_POWERS]; /* [QUANTILE_BUCKETS], or NULL */
};

/* STATS_NO_MEMORY, and then nothing has changed. O(1). */
enum stats_status quantile_add(struct quantile *quantile, uint64_t x);

/* Joins other into quantile. STATS_NO_MEMORY or STATS_OVERFLOW (n ≥ 2^63), and then nothing has changed. */
enum stats_status quantile_merge(struct quantile *quantile, const struct quantile *other);

void quantile_free(struct quantile *quantile);

/*
 * The value at rank 1 + (n−1)·share, interpolated as R's quantile(type = 7), in the unit of x. 0 ≤ share ≤ 1
 * (STATS_DOMAIN); n ≥ 1 (STATS_TOO_FEW). Error at most 2^-8 of the value, none at share 0 and 1 or if all values are
 * equal.
 */
enum stats_status quantile_at(const struct quantile *quantile, double share, double *value);

/*
 * Robust spread: twice the length of the shortest span that holds a quarter of the values / median. For uniform values
 * that is what interquartile range / median is, 0.3 for 10 ± 3; but unlike that it is small if a quarter of the values
 * are nearly equal, whatever the others are. n ≥ 2 (STATS_TOO_FEW), median > 0 (STATS_DOMAIN). Absolute error at most
 * 2^-6 for spreads up to 1; biased low for small n, by 0.05 at n = 100 and spread 0.3. O(buckets). Source: the shorth
 * of Andrews et al., Robust Estimates of Location, 1972, with a quarter in place of a half.
 */
enum stats_status quantile_spread(const struct quantile *quantile, double *spread);

/* Converts the state to words: min, max, then index and count of each bucket that is not empty. STATS_DOMAIN: not a
 * state.
 */
size_t quantile_word_count(const struct quantile *quantile);
void quantile_to_words(const struct quantile *quantile, uint64_t *words);
enum stats_status quantile_from_words(const uint64_t *words, size_t count, struct quantile *out);

#endif
