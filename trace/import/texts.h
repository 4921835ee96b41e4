/*
 * texts.h - the table of strings of a file, numbered from 0 in order of appearance, in one buffer.
 */
#ifndef ASSAY_TRACE_IMPORT_TEXTS_H
#define ASSAY_TRACE_IMPORT_TEXTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Starts as {0}. */
struct texts {
    char *bytes;
    size_t *at; /* [number]: its offset */
    size_t size, capacity, at_capacity, count;
};

/* Appends a copy, terminated. False without memory. */
static inline bool texts_add(struct texts *texts, const void *text, size_t length)
{
    char *grown = (char *)grow(texts->bytes, &texts->capacity, texts->size + length, 1);
    if (!grown)
        return false;
    texts->bytes = grown;
    size_t *at = (size_t *)grow(texts->at, &texts->at_capacity, texts->count, sizeof *at);
    if (!at)
        return false;
    texts->at = at;
    at[texts->count++] = texts->size;
    memcpy(texts->bytes + texts->size, text, length);
    texts->bytes[texts->size + length] = '\0';
    texts->size += length + 1;
    return true;
}

/* "" for an id that is not in the table. Valid until the next texts_add(). */
static inline const char *texts_get(const struct texts *texts, uint64_t number)
{
    return number < texts->count ? texts->bytes + texts->at[number] : "";
}

static inline void texts_free(struct texts *texts)
{
    free(texts->bytes);
    free(texts->at);
    *texts = (struct texts){0};
}

#endif
