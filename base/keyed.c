#include "base/keyed.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct wanted {
    const struct keyed *set;
    const void *item;
};

void *keyed_at(const struct keyed *set, size_t index)
{
    return (char *)set->items + index * set->item_bytes;
}

/* Keys are short: a call of memcmp() takes longer. */
static bool keyed_keys_are_equal(const void *user, uint32_t id)
{
    const struct wanted *wanted = user;
    const uint32_t *a = keyed_at(wanted->set, id - 1), *b = wanted->item;
    for (size_t i = 0; i < wanted->set->key_bytes / sizeof *a; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static uint64_t keyed_hash_words(const uint32_t *words, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash_mix(hash, count);
}

uint32_t keyed_find(const struct keyed *set, const void *key)
{
    const struct wanted wanted = {set, key};
    uint32_t id =
        hash_find(&set->hash, keyed_hash_words(key, set->key_bytes / sizeof(uint32_t)), keyed_keys_are_equal, &wanted);
    return id ? id - 1 : KEYED_FULL;
}

uint32_t keyed_add(struct keyed *set, const void *item)
{
    const struct wanted wanted = {set, item};
    uint64_t hash = keyed_hash_words(item, set->key_bytes / sizeof(uint32_t));
    uint32_t id = set->key_bytes > 0 ? hash_find(&set->hash, hash, keyed_keys_are_equal, &wanted) : 0;
    if (id)
        return id - 1;
    if (set->count >= KEYED_FULL - 1)
        return KEYED_FULL;
    void *items = grow_unset(set->items, &set->capacity, set->count, set->item_bytes);
    if (!items)
        return KEYED_FULL;
    set->items = items;
    if (set->key_bytes > 0 && hash_add(&set->hash, hash, (uint32_t)set->count + 1))
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
