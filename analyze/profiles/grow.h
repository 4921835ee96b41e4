/*
 * grow.h - arrays that grow.
 */
#ifndef ASSAY_PROFILES_GROW_H
#define ASSAY_PROFILES_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for item `index` of an array, with new items zero: the array, possibly moved, or NULL without memory (then
 * the old one is unchanged). */
static inline void *grow(void *array, size_t *capacity, size_t index, size_t item_bytes)
{
    if (index < *capacity)
        return array;
    size_t wanted = *capacity ? *capacity : 64;
    while (wanted <= index)
        wanted *= 2;
    char *grown = (char *)realloc(array, wanted * item_bytes);
    if (!grown)
        return NULL;
    memset(grown + *capacity * item_bytes, 0, (wanted - *capacity) * item_bytes);
    *capacity = wanted;
    return grown;
}

#endif
