#include "base/hash.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

uint32_t hash_find(const struct hash *hash, uint64_t key, bool (*equal)(const void *user, uint32_t id),
                   const void *user)
{
    if (hash->capacity == 0)
        return 0;
    for (size_t i = key & (hash->capacity - 1);; i = (i + 1) & (hash->capacity - 1)) {
        const struct hash_slot *slot = &hash->slots[i];
        if (slot->id == 0)
            return 0;
        if (slot->hash == key && equal(user, slot->id))
            return slot->id;
    }
}

static void hash_insert(struct hash *hash, uint64_t key, uint32_t id)
{
    size_t i = key & (hash->capacity - 1);
    while (hash->slots[i].id != 0)
        i = (i + 1) & (hash->capacity - 1);
    hash->slots[i] = (struct hash_slot){key, id};
}

static int hash_grow(struct hash *hash)
{
    struct hash wider = {.capacity = hash->capacity ? hash->capacity * 2 : 256, .count = hash->count};
    assert((hash->capacity & (hash->capacity - 1)) == 0);
    wider.slots = calloc(wider.capacity, sizeof *wider.slots);
    if (!wider.slots)
        return ENOMEM;
    for (size_t i = 0; i < hash->capacity; i++)
        if (hash->slots[i].id != 0)
            hash_insert(&wider, hash->slots[i].hash, hash->slots[i].id);
    free(hash->slots);
    *hash = wider;
    return 0;
}

int hash_add(struct hash *hash, uint64_t key, uint32_t id)
{
    assert(id > 0);
    if (hash->count * 8 >= hash->capacity * 5 && hash_grow(hash))
        return ENOMEM;
    hash_insert(hash, key, id);
    hash->count++;
    return 0;
}

void hash_free(struct hash *hash)
{
    free(hash->slots);
    *hash = (struct hash){0};
}

uint64_t hash_text(const char *text, uint64_t seed)
{
    uint64_t h = seed ^ UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return hash_mix(h, seed);
}
