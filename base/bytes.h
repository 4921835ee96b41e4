/*
 * bytes.h - integers as bytes: little-endian fields, and varints (LEB128: 7 bits per byte, low bits first).
 */
#ifndef ASSAY_BASE_BYTES_H
#define ASSAY_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { VARINT_MAX = 10 };

static inline void bytes_put(uint8_t *to, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t bytes_get(const uint8_t *from, size_t width)
{
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

/* Writes at most VARINT_MAX bytes; returns the position after them. */
static inline uint8_t *varint_put(uint8_t *to, uint64_t value)
{
    while (value >= 0x80) {
        *to++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *to++ = (uint8_t)value;
    return to;
}

/* Reads a varint that may be cut. */
static inline const uint8_t *varint_get_slowly(const uint8_t *from, const uint8_t *end, uint64_t *value)
{
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 64 && from < end; shift += 7) {
        uint8_t byte = *from++;
        if (shift == 63 && byte > 1)
            return NULL;
        result |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = result;
            return from;
        }
    }
    return NULL;
}

/* Reads one varint from [from, end); returns the position after it, or NULL if it is cut or longer than 64 bits. The
 * usual one to three bytes need no loop, since decoding takes most of an analyzer's time. */
static inline const uint8_t *varint_get(const uint8_t *from, const uint8_t *end, uint64_t *value)
{
    if (end - from < 3)
        return varint_get_slowly(from, end, value);
    if (from[0] < 0x80) {
        *value = from[0];
        return from + 1;
    }
    if (from[1] < 0x80) {
        *value = (uint64_t)(from[0] & 0x7f) | (uint64_t)from[1] << 7;
        return from + 2;
    }
    if (from[2] < 0x80) {
        *value = (uint64_t)(from[0] & 0x7f) | (uint64_t)(from[1] & 0x7f) << 7 | (uint64_t)from[2] << 14;
        return from + 3;
    }
    return varint_get_slowly(from, end, value);
}

/* Maps small differences of either sign to small unsigned numbers. */
static inline uint64_t zigzag_encode(uint64_t difference)
{
    return (difference << 1) ^ (uint64_t) - (int64_t)(difference >> 63);
}

static inline uint64_t zigzag_decode(uint64_t code)
{
    return (code >> 1) ^ (uint64_t) - (int64_t)(code & 1);
}

#endif
