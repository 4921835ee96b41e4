/*
 * counts.h - sums of what simulated caches count, and their partial states.
 */
#ifndef ASSAY_STRIDES_COUNTS_H
#define ASSAY_STRIDES_COUNTS_H

#include <jansson.h>

#include "analyze/cache/simulation.h"

void counts_add(struct cache_counts *counts, const struct cache_counts *more);
void counts_add_prefetches(struct cache_prefetches *prefetches, const struct cache_prefetches *more);

/* NULL without memory; 0 or EINVAL. */
json_t *counts_save(const struct cache_counts *counts);
int counts_load(struct cache_counts *counts, const json_t *saved);
json_t *counts_save_prefetches(const struct cache_prefetches *prefetches);
int counts_load_prefetches(struct cache_prefetches *prefetches, const json_t *saved);

#endif
