/*
 * hash.h - a set of 32-bit ids found by a 64-bit hash; the caller keeps the items behind the ids and compares them.
 * Open addressing, linear probing, at most 5/8 full.
 */
#ifndef ASSAY_BASE_HASH_H
#define ASSAY_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
    uint64_t hash;
    uint32_t id; /* 0: free */
};

struct hash {
    struct hash_slot *slots;
    size_t capacity, count;
};

/* Finds an id with this hash for which equal(user, id) holds; 0 if there is none. */
uint32_t hash_find(const struct hash *hash, uint64_t key, bool (*equal)(const void *user, uint32_t id),
                   const void *user);

/* Adds an id (≥ 1), which must not be in the set. 0 or ENOMEM. */
int hash_add(struct hash *hash, uint64_t key, uint32_t id);
void hash_free(struct hash *hash);

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15) + (a << 6) + (a >> 2))) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ (h >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ (h >> 33);
}

uint64_t hash_text(const char *text, uint64_t seed);

#endif
