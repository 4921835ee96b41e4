/*
 * keyed.h - a growing array of items with unique keys, which are their first bytes.
 *
 * An item begins with its key: uint32_t without padding between. If the key has none, each item is added. Items stay in
 * insertion order, so their indices can be kept; pointers to them are valid until the next keyed_add().
 */
#ifndef ASSAY_BASE_KEYED_H
#define ASSAY_BASE_KEYED_H

#include "base/hash.h"

struct keyed {
    void *items;
    size_t count, capacity;
    size_t item_bytes, key_bytes; /* to be set first; the rest starts as zeros */
    struct hash hash;
};

enum { KEYED_FULL = UINT32_MAX };

/* The index of the item with the key of *item, which is copied to the end if there is none; KEYED_FULL without memory.
 * Expected O(1). */
uint32_t keyed_add(struct keyed *set, const void *item);
/* The index of the item with this key; KEYED_FULL: there is none. */
uint32_t keyed_find(const struct keyed *set, const void *key);
void *keyed_at(const struct keyed *set, size_t index);
void keyed_free(struct keyed *set);

#endif
