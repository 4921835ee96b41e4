/*
 * idmap.h - maps ids of a file, of any size and in any order, to the indices that a reader assigns.
 */
#ifndef ASSAY_TRACE_IMPORT_IDMAP_H
#define ASSAY_TRACE_IMPORT_IDMAP_H

#include <stdlib.h>

#include "base/grow.h"
#include "base/hash.h"

/* Starts as {0}. */
struct idmap {
    struct hash hash;
    uint64_t *keys; /* [index], from 1 */
    uint32_t count;
    size_t capacity;
};

static inline bool idmap_equal(const void *user, uint32_t id)
{
    const uint64_t *key = (const uint64_t *)user;
    return ((const struct idmap *)(uintptr_t)key[1])->keys[id] == key[0];
}

/* The index of an id, from 1; 0: it has none. */
static inline uint32_t idmap_find(const struct idmap *map, uint64_t key)
{
    const uint64_t wanted[2] = {key, (uint64_t)(uintptr_t)map};
    return hash_find(&map->hash, hash_mix(key, 0), idmap_equal, wanted);
}

/* Its index, assigned if it is new (then it is the last: map->count). 0 without memory. */
static inline uint32_t idmap_add(struct idmap *map, uint64_t key)
{
    uint32_t index = idmap_find(map, key);
    if (index)
        return index;
    uint64_t *keys = (uint64_t *)grow_unset(map->keys, &map->capacity, map->count + 1, sizeof *keys);
    if (!keys)
        return 0;
    map->keys = keys;
    map->keys[map->count + 1] = key;
    if (hash_add(&map->hash, hash_mix(key, 0), map->count + 1))
        return 0;
    return ++map->count;
}

static inline void idmap_free(struct idmap *map)
{
    hash_free(&map->hash);
    free(map->keys);
    *map = (struct idmap){0};
}

#endif
