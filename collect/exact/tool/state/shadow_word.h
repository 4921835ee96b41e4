/*
 * shadow_word.h - the last loads (or stores) of the bytes of a granule, which is 8 aligned bytes, in one word: their
 * context and their time, as long as these bytes have the same context; the time is that of the latest. Otherwise the
 * granule is split: it has units of 1, 2 or 4 bytes, as wide as its accesses have allowed so far, with a word each.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_SHADOW_WORD_H
#define ASSAY_EXACT_TOOL_STATE_SHADOW_WORD_H

#include <valgrind/pub_tool_basics.h>

/*
 * From bit 0: context, time, and a bit for each byte that has a last access. In a unit these bits have no meaning. The
 * word of a split granule has its units instead of context and time, also after its bytes have started afresh.
 */
typedef ULong shadow_word;
enum { SHADOW_CONTEXT_BITS = 26, SHADOW_TIME_BITS = 30, SHADOW_BYTES_SHIFT = SHADOW_CONTEXT_BITS + SHADOW_TIME_BITS };
_Static_assert(SHADOW_BYTES_SHIFT + 8 == 64, "a word is full");

/* In the place of the context of a split granule: at least this. */
#define SHADOW_SPLIT (3u << (SHADOW_CONTEXT_BITS - 2))

static inline shadow_word shadow_word_of(UInt context, UInt time, UInt bytes)
{
    return context | (ULong)time << SHADOW_CONTEXT_BITS | (ULong)bytes << SHADOW_BYTES_SHIFT;
}

static inline UInt shadow_context_of(shadow_word word)
{
    return (UInt)word & ((1u << SHADOW_CONTEXT_BITS) - 1);
}

static inline UInt shadow_time_of(shadow_word word)
{
    return (UInt)(word >> SHADOW_CONTEXT_BITS) & ((1u << SHADOW_TIME_BITS) - 1);
}

static inline UInt shadow_bytes_of(shadow_word word)
{
    return (UInt)(word >> SHADOW_BYTES_SHIFT);
}

static inline Bool shadow_is_split(shadow_word word)
{
    return (word & SHADOW_SPLIT) == SHADOW_SPLIT;
}

/* The last accesses to the units of a split granule, of 2^shift bytes. By value: two registers. */
struct shadow_units {
    shadow_word *last; /* [8 >> shift] */
    UInt shift;
};

/*
 * The word of a split granule, from bit 0: the shift (2 bits), bits 4-25 of the units' address, the two bits of
 * SHADOW_SPLIT, bits 26-55 of the address, and the bytes. Units are at multiples of 16, below 2^56.
 */
enum { SHADOW_SHIFT_MASK = 3 };
#define SHADOW_UNITS_LOW ((1ULL << 26) - (1 << 4))
#define SHADOW_UNITS_HIGH ((1ULL << SHADOW_BYTES_SHIFT) - (1ULL << 26))

static inline shadow_word shadow_split_of(struct shadow_units units, UInt bytes)
{
    ULong a = (ULong)units.last;
    return units.shift | (a & SHADOW_UNITS_LOW) >> 2 | SHADOW_SPLIT | (a & SHADOW_UNITS_HIGH) |
           (ULong)bytes << SHADOW_BYTES_SHIFT;
}

static inline struct shadow_units shadow_units_of(shadow_word split)
{
    ULong a = (split << 2 & SHADOW_UNITS_LOW) | (split & SHADOW_UNITS_HIGH);
    return (struct shadow_units){(shadow_word *)a, (UInt)split & SHADOW_SHIFT_MASK};
}

/* The unit of an access whose size is that of the units; NULL: it is another. */
static inline shadow_word *shadow_unit_at(shadow_word split, Addr a, UInt size)
{
    struct shadow_units units = shadow_units_of(split);
    if (UNLIKELY(units.shift != (UInt)__builtin_ctz(size)) || UNLIKELY(a & (size - 1)))
        return NULL;
    return units.last + (a & 7) / size;
}

static inline shadow_word *shadow_unit(struct shadow_units units, UInt offset)
{
    return &units.last[offset >> units.shift];
}

/* Bits of `size` bytes from byte `offset` of a granule. */
static inline UInt shadow_mask(UInt offset, UInt size)
{
    return ((1u << size) - 1) << offset;
}

/* The last access to the byte at `offset` of a granule, which has one. */
static inline shadow_word shadow_last(shadow_word last, UInt offset)
{
    return shadow_is_split(last) ? *shadow_unit(shadow_units_of(last), offset) : last;
}

/* The context of the last access to all bytes of one within a granule; SHADOW_SPLIT: they differ. */
static inline UInt shadow_context(shadow_word last, Addr a, UInt size)
{
    if (!shadow_is_split(last))
        return shadow_context_of(last);
    struct shadow_units units = shadow_units_of(last);
    const shadow_word *unit = shadow_unit(units, (UInt)a & 7), *end = shadow_unit(units, ((UInt)a & 7) + size - 1);
    UInt context = shadow_context_of(*unit);
    while (size > 1 && unit < end)
        if (shadow_context_of(*++unit) != context)
            return SHADOW_SPLIT;
    return context;
}

/* Bytes of a granule. By value: two registers. */
struct shadow_bytes {
    UInt offset, size;
    UInt others; /* bits, as shadow_mask() gives them, of its other bytes that have a predecessor */
};

/* The bytes of an access to a … a+size−1, which lies within the granule whose last accesses are `last`. */
static inline struct shadow_bytes shadow_bytes_at(shadow_word last, Addr a, UInt size)
{
    UInt offset = (UInt)a & 7;
    return (struct shadow_bytes){offset, size, shadow_bytes_of(last) & ~shadow_mask(offset, size)};
}

/* The general case of shadow_set(). */
void shadow_set_any(shadow_word *last, struct shadow_bytes bytes, UInt context, UInt time);

/* Gives the bytes a new predecessor. Splits or joins their granule, and makes its units narrower if that is needed. */
static inline void shadow_set(shadow_word *last, struct shadow_bytes bytes, UInt context, UInt time)
{
    shadow_word before = *last;
    UInt all = bytes.others | shadow_mask(bytes.offset, bytes.size);
    if (!shadow_is_split(before)) {
        if (!bytes.others || shadow_context_of(before) == context)
            *last = shadow_word_of(context, time, all);
        else
            shadow_set_any(last, bytes, context, time);
        return;
    }
    struct shadow_units units = shadow_units_of(before);
    if (!bytes.others || ((bytes.offset | bytes.size) & ((1u << units.shift) - 1))) {
        shadow_set_any(last, bytes, context, time);
        return;
    }
    shadow_word *unit = shadow_unit(units, bytes.offset);
    for (UInt i = 0; i < bytes.size >> units.shift; i++)
        unit[i] = shadow_word_of(context, time, 0);
    *last = before | (shadow_word)all << SHADOW_BYTES_SHIFT;
}

/* Replaces each time by another. O(1) */
void shadow_renumber_word(shadow_word *last, UInt (*renumbered)(UInt time));

#endif
