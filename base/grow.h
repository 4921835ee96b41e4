/*
 * grow.h - arrays that grow, at least doubling each time.
 */
#ifndef ASSAY_BASE_GROW_H
#define ASSAY_BASE_GROW_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Makes capacity for item `index` of an array: the array, possibly moved, or NULL without memory (then the old one is
 * unchanged). New items are unset. */
static inline void *grow_unset(void *array, size_t *capacity, size_t index, size_t item_bytes)
{
    if (index < *capacity)
        return array;
    size_t wanted = *capacity ? *capacity : 64;
    while (wanted <= index)
        wanted *= 2;
    void *grown = reallocarray(array, wanted, item_bytes);
    if (grown)
        *capacity = wanted;
    return grown;
}

/* The same, with new items zero. */
static inline void *grow(void *array, size_t *capacity, size_t index, size_t item_bytes)
{
    size_t before = *capacity;
    char *grown = (char *)grow_unset(array, capacity, index, item_bytes);
    if (grown)
        memset(grown + before * item_bytes, 0, (*capacity - before) * item_bytes);
    return grown;
}

#endif
