/*
 * spread.h - the distribution of values: every distinct value with its count while they are few, otherwise a bounded
 * number of buckets.
 *
 * Values are doubles ≥ 0. A bucket holds all values that agree except in the last `dropped` of the 64 bits of a double,
 * which is log-linear: 2^(52 − dropped) buckets for each power of two. The dropped bits are as few as leave at most
 * `limit` buckets, so up to `limit` distinct values are kept exactly, and whole numbers up to 2^53 are. The buckets
 * depend only on the values, never on their order or on the order of merging.
 */
#ifndef ASSAY_PHASES_SPREAD_H
#define ASSAY_PHASES_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "stats/inference/rank_counted.h"

struct spread_bucket {
    uint64_t key;   /* the bits of its values without those that are dropped */
    uint64_t count; /* 0: free */
};

/* Values wait until there are enough to look them up together: the table of a busy method is rarely in the nearest
 * cache. */
enum { SPREAD_WAITING = 32 };

/* {.limit = …} is empty, with limit ≥ 1 and equal for all that are merged; spread_free() at the end. */
struct spread {
    uint32_t limit, used, capacity, dropped;
    uint64_t n;                    /* values, without those that wait */
    struct spread_bucket *buckets; /* [capacity], open addressing */
    double waiting[SPREAD_WAITING];
    uint32_t waiting_count;
};

/* Adds the value x ≥ 0, finite. False without memory. Expected O(1). */
bool spread_add(struct spread *spread, double x);
/* To be called after the last spread_add(), before any other use. False without memory. */
bool spread_flush(struct spread *spread);
bool spread_merge(struct spread *spread, const struct spread *other);
void spread_free(struct spread *spread);

/* The buckets by value, each with its middle and its count; [used], to free(). NULL without memory or if empty. */
struct rank_value *spread_sorted(const struct spread *spread);

/* No value is further from the middle of its bucket than this share of it; 0: all are exact. */
double spread_error(const struct spread *spread);

/* The value at rank 1 + (n−1)·share of values[count], interpolated as R's quantile(type = 7); 0 ≤ share ≤ 1, n ≥ 1. */
double spread_quantile(const struct rank_value *values, size_t count, double share);

/* The state as an array of whole numbers, and back into an empty spread; false: it is not such a thing, or no memory.
 */
json_t *spread_save(const struct spread *spread);
bool spread_load(const json_t *saved, struct spread *spread);

#endif
