/*
 * cursor.h - reads the big-endian numbers of class files and heap dumps, which may be cut.
 */
#ifndef ASSAY_INSPECT_INTERPRET_CURSOR_H
#define ASSAY_INSPECT_INTERPRET_CURSOR_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where something is being read. What is not there gives zeros, and `cut`. */
struct cursor {
    const uint8_t *at, *end;
    bool cut;
};

static inline uint64_t cursor_number(const uint8_t *at, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++)
        number = number << 8 | at[i];
    return number;
}

/* Moves past so many bytes, and returns where they begin; NULL: they are not there. */
static inline const uint8_t *cursor_skip(struct cursor *cursor, uint64_t bytes)
{
    const uint8_t *at = cursor->at;
    assert(cursor->cut || at <= cursor->end);
    if (cursor->cut || bytes > (uint64_t)(cursor->end - at)) {
        cursor->cut = true;
        return NULL;
    }
    cursor->at += bytes;
    return at;
}

/* bytes ≤ 8 */
static inline uint64_t cursor_read(struct cursor *cursor, size_t bytes)
{
    const uint8_t *at = cursor_skip(cursor, bytes);
    return at ? cursor_number(at, bytes) : 0;
}

/* bytes ≤ 4 */
static inline uint32_t cursor_read32(struct cursor *cursor, size_t bytes)
{
    assert(bytes <= 4);
    return (uint32_t)cursor_read(cursor, bytes);
}

#endif
