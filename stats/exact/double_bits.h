/*
 * double_bits.h - a double as its 64 bits, and back.
 *
 * The bits of doubles >= 0, infinity included, are in the order of the doubles (IEEE 754-2019, 5.10), so they can be
 * bisected, sorted and counted by prefixes. Both functions are exact for any bits, and O(1).
 */
#ifndef ASSAY_DOUBLE_BITS_H
#define ASSAY_DOUBLE_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint64_t double_to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
