/*
 * histogram.h - how often a few frequent numbers occur among many: strides, offsets, scales.
 *
 * Up to HISTOGRAM_MAX distinct numbers are counted exactly. With more of them every number gives one of its lives for
 * each that finds no capacity, and leaves when it has none (Misra and Gries, "Finding repeated elements", 1982):
 * whatever is more than one in HISTOGRAM_MAX + 1 of all remains. The count of a number that has left, and returned, is
 * a lower bound.
 */
#ifndef ASSAY_STRIDES_HISTOGRAM_H
#define ASSAY_STRIDES_HISTOGRAM_H

#include "analyze/driver/relations.h"

enum { HISTOGRAM_MAX = 32 };

struct histogram_entry {
    int64_t number;
    uint64_t count; /* since it entered */
    uint64_t lives;
    uint64_t before; /* at most this often it occurred before it entered */
};

struct histogram {
    struct histogram_entry *entries; /* [used] of [capacity] */
    uint32_t used, capacity;
    uint64_t total; /* of all numbers */
    uint64_t lost;  /* lives that each number has given */
};

/* Counts a number `times` times. 0 or ENOMEM. Expected O(1), at most O(HISTOGRAM_MAX). */
int histogram_add(struct histogram *histogram, int64_t number, uint64_t times);
void histogram_free(void *histogram);

/* The entries by count, most frequent first, equal ones by number. O(n log n). */
void histogram_sort(struct histogram *histogram);
/* The most frequent entry, the smallest number of several; NULL if it is empty. */
const struct histogram_entry *histogram_top(const struct histogram *histogram);
/* The same among the numbers other than `number`, and how many these are; of what has left nothing is known. */
const struct histogram_entry *histogram_top_but(const struct histogram *histogram, int64_t number, uint64_t *others);
/* The share of the most frequent entry of all numbers, 0 if there are none. */
double histogram_share(const struct histogram *histogram);

/* Histograms as fields of rows: joined, they have the counts of both. */
extern const struct field_class histogram_class;

#endif
