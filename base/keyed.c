#include "base/keyed.h"

#include <stdlib.h>
#include <string.h>

struct wanted {
    const struct keyed *set;
    const void *item;
};

void *keyed_at(const struct keyed *set, size_t index)
{
    return (char *)set->items + index * set->item_bytes;
}

static bool equal(const void *user, uint32_t id)
{
    const struct wanted *wanted = user;
    return memcmp(keyed_at(wanted->set, id - 1), wanted->item, wanted->set->key_bytes) == 0;
}

static uint64_t hash_of(const void *item, size_t bytes)
{
    const uint32_t *words = item;
    uint64_t hash = bytes;
    for (size_t i = 0; i < bytes / sizeof *words; i++)
        hash = hash_mix(hash, words[i]);
    return hash;
}

static bool reserve(struct keyed *set)
{
    if (set->count < set->capacity)
        return true;
    size_t capacity = set->capacity ? 2 * set->capacity : 64;
    void *items = realloc(set->items, capacity * set->item_bytes);
    if (!items)
        return false;
    set->items = items;
    set->capacity = capacity;
    return true;
}

uint32_t keyed_add(struct keyed *set, const void *item)
{
    const struct wanted wanted = {set, item};
    uint64_t hash = hash_of(item, set->key_bytes);
    uint32_t id = hash_find(&set->hash, hash, equal, &wanted);
    if (id)
        return id - 1;
    if (set->count >= KEYED_FULL - 1 || !reserve(set) || hash_add(&set->hash, hash, (uint32_t)set->count + 1))
        return KEYED_FULL;
    memcpy(keyed_at(set, set->count), item, set->item_bytes);
    return (uint32_t)set->count++;
}

void keyed_free(struct keyed *set)
{
    free(set->items);
    hash_free(&set->hash);
    set->items = NULL;
    set->count = set->capacity = 0;
}
