/*
 * cache.h - locations that were looked up before. The traces of a series share most of them, and looking one up in
 * debug information takes a tenth of a millisecond or more.
 */
#ifndef ASSAY_SYMBOLS_CACHE_H
#define ASSAY_SYMBOLS_CACHE_H

#include <stdbool.h>

#include "collect/symbols/symbols.h"

struct cache;

/* NULL without memory. */
struct cache *cache_new(void);
void cache_free(struct cache *cache);

/* A number that identifies a module's locations; 0 if they can't be relied on (it has no build id), without memory, and
 * for cache NULL. */
uint32_t cache_module(struct cache *cache, const char *path, const char *build_id);

/* The result of symbols_lookup() for this position; false if it was not looked up. The cache owns the locations. */
bool cache_find(const struct cache *cache, uint32_t module, uint64_t position, const struct location **locations,
                size_t *count);

/* Takes ownership of the locations; false (they are still the caller's) for module 0, without memory, and when it is
 * full, with a million positions. The position must not be known yet. */
bool cache_add(struct cache *cache, uint32_t module, uint64_t position, const struct location *locations, size_t count);

#endif
