/*
 * shadow_memory.h - what the tool remembers of each byte of the program's memory: its last load (value, context, time),
 * its last store (context, time; the value is in memory), and whether it has been loaded since that store.
 *
 * The shadow of a page of 4 KiB has two parts, one for loads and one for stores; only those exist that the mode needs.
 * Both are in granules of 8 aligned bytes. A granule has one last load and one last store for all its bytes that have
 * one, as long as these have the same context; the time is that of the latest. Otherwise it is split: the last accesses
 * are in the units of its 64 bytes of the page, of 1, 2 or 4 bytes, as wide as the page's accesses have allowed so far.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_SHADOW_MEMORY_H
#define ASSAY_EXACT_TOOL_STATE_SHADOW_MEMORY_H

#include <valgrind/pub_tool_basics.h>

enum {
    SHADOW_PAGE_BITS = 12,
    SHADOW_PAGE_BYTES = 1 << SHADOW_PAGE_BITS,
    SHADOW_GRANULES = SHADOW_PAGE_BYTES / 8,
    SHADOW_PART_BYTES = 64,
    SHADOW_PARTS = SHADOW_PAGE_BYTES / SHADOW_PART_BYTES,
    SHADOW_DIRECT_BITS = 38
};

/*
 * Last accesses of a granule as one word, from bit 0: their context, their time, and a bit for each of its bytes that
 * has one. In a unit these bits have no meaning.
 */
typedef ULong shadow_word;
enum { SHADOW_CONTEXT_BITS = 26, SHADOW_TIME_BITS = 30, SHADOW_BYTES_SHIFT = SHADOW_CONTEXT_BITS + SHADOW_TIME_BITS };
_Static_assert(SHADOW_BYTES_SHIFT + 8 == 64, "a word is full");

#define SHADOW_SPLIT ((1u << SHADOW_CONTEXT_BITS) - 1) /* instead of a context */

static inline shadow_word shadow_word_of(UInt context, UInt time, UInt bytes)
{
    return context | (ULong)time << SHADOW_CONTEXT_BITS | (ULong)bytes << SHADOW_BYTES_SHIFT;
}

static inline UInt shadow_context_of(shadow_word word)
{
    return (UInt)word & SHADOW_SPLIT;
}

static inline UInt shadow_time_of(shadow_word word)
{
    return (UInt)(word >> SHADOW_CONTEXT_BITS) & ((1u << SHADOW_TIME_BITS) - 1);
}

static inline UInt shadow_bytes_of(shadow_word word)
{
    return (UInt)(word >> SHADOW_BYTES_SHIFT);
}

/* The last loads or stores of the split granules in 64 bytes of a page. */
struct shadow_units {
    shadow_word *last; /* [SHADOW_PART_BYTES >> shift]; NULL: no granule is split */
    UInt shift;
};

struct shadow_load {
    ULong value; /* of the bytes that have a last load */
    shadow_word last;
};

struct shadow_loads {
    struct shadow_units split[SHADOW_PARTS];
    struct shadow_load granules[SHADOW_GRANULES];
};

struct shadow_stores {
    struct shadow_units split[SHADOW_PARTS];
    shadow_word last[SHADOW_GRANULES];
    UChar unread[SHADOW_GRANULES]; /* a bit for each byte: if it has a last store, it was not loaded since */
};

/* NULL: no memory so far, or not wanted in this mode. */
struct shadow_page {
    struct shadow_loads *loads;
    struct shadow_stores *stores;
};

/* For addresses below 2^SHADOW_DIRECT_BITS. */
extern struct shadow_page *shadow_pages;

/* The index of a granule's units, and that of a byte in them. */
static inline UInt shadow_part(UInt granule)
{
    return granule * 8 / SHADOW_PART_BYTES;
}

static inline shadow_word *shadow_unit(const struct shadow_units *units, UInt granule, UInt offset)
{
    return &units->last[(granule * 8 + offset) % SHADOW_PART_BYTES >> units->shift];
}

/* The granule of an address in its page. */
static inline UInt shadow_granule_of(Addr a)
{
    return (UInt)(a & (SHADOW_PAGE_BYTES - 1)) >> 3;
}

/* Bits of `size` bytes from byte `offset` of a granule. */
static inline UInt shadow_mask(UInt offset, UInt size)
{
    return ((1u << size) - 1) << offset;
}

void shadow_init(Bool loads, Bool stores);

/* The page of an address; NULL: it has none; with `make`: out of memory, or the mode has no shadow. */
const struct shadow_page *shadow_page_of(Addr a, Bool make);

/* The page of an address, created if needed; NULL: no memory. */
static inline const struct shadow_page *shadow_page_at(Addr a)
{
    const struct shadow_page *page = a >> SHADOW_DIRECT_BITS ? NULL : &shadow_pages[a >> SHADOW_PAGE_BITS];
    return LIKELY(page && (page->loads || page->stores)) ? page : shadow_page_of(a, True);
}

/* The part of a page, which may be NULL, for loads (stores); NULL also for a new page, or in a mode without it. */
static inline struct shadow_loads *shadow_loads_of(const struct shadow_page *page)
{
    return LIKELY(page != NULL) ? page->loads : NULL;
}

static inline struct shadow_stores *shadow_stores_of(const struct shadow_page *page)
{
    return LIKELY(page != NULL) ? page->stores : NULL;
}

/* The last access to the byte at `offset` of a granule, which has one. */
static inline shadow_word shadow_last(const struct shadow_units *units, shadow_word last, UInt granule, UInt offset)
{
    return shadow_context_of(last) != SHADOW_SPLIT ? last : *shadow_unit(units, granule, offset);
}

/* The context of the last access to all bytes of one within a granule; SHADOW_SPLIT: they differ. */
static inline UInt shadow_context(const struct shadow_units *units, shadow_word last, Addr a, UInt size)
{
    UInt context = shadow_context_of(last);
    if (context != SHADOW_SPLIT)
        return context;
    const shadow_word *unit = shadow_unit(units, shadow_granule_of(a), (UInt)a & 7);
    const shadow_word *end = shadow_unit(units, shadow_granule_of(a), ((UInt)a & 7) + size - 1);
    for (context = shadow_context_of(*unit); size > 1 && unit < end;)
        if (shadow_context_of(*++unit) != context)
            return SHADOW_SPLIT;
    return context;
}

/* Bytes of a granule. By value: two registers. */
struct shadow_bytes {
    UInt granule, offset, size;
    UInt others; /* bits, as shadow_mask() gives them, of its other bytes that have a predecessor */
};

/* The bytes of an access to a … a+size−1, which lies within the granule whose last accesses are `last`. */
static inline struct shadow_bytes shadow_bytes_at(shadow_word last, Addr a, UInt size)
{
    UInt offset = (UInt)a & 7;
    return (struct shadow_bytes){shadow_granule_of(a), offset, size,
                                 shadow_bytes_of(last) & ~shadow_mask(offset, size)};
}

/* The general case of shadow_set(). */
void shadow_set_any(struct shadow_units *units, shadow_word *last, struct shadow_bytes bytes, UInt context, UInt time);

/* Gives the bytes a new predecessor. Splits or joins their granule, and makes its units narrower if that is needed. */
static inline void shadow_set(struct shadow_units *units, shadow_word *last, struct shadow_bytes bytes, UInt context,
                              UInt time)
{
    UInt before = shadow_context_of(*last), all = bytes.others | shadow_mask(bytes.offset, bytes.size);
    if (!bytes.others || before == context) {
        *last = shadow_word_of(context, time, all);
    } else if (before != SHADOW_SPLIT || ((bytes.offset | bytes.size) & ((1u << units->shift) - 1))) {
        shadow_set_any(units, last, bytes, context, time);
    } else {
        shadow_word *unit = shadow_unit(units, bytes.granule, bytes.offset);
        for (UInt i = 0; i < bytes.size >> units->shift; i++)
            unit[i] = shadow_word_of(context, time, 0);
        *last = shadow_word_of(SHADOW_SPLIT, 0, all);
    }
}

/* The bytes a … a+length−1 start afresh. */
void shadow_clear(Addr a, SizeT length);

/* The bytes from … from+length−1 have moved to `to`; `from` starts afresh. Whole pages. */
void shadow_move(Addr from, Addr to, SizeT length);

/* They have been loaded, by the kernel. */
void shadow_read(Addr a, SizeT length);

/* Everything starts afresh. */
void shadow_clear_all(void);

/* Replaces each time by another. */
void shadow_renumber(UInt (*renumbered)(UInt time));

#endif
