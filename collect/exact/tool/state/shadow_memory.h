/*
 * shadow_memory.h - what the tool remembers of each byte of the program's memory: its last load (value, context, time),
 * its last store (context, time; the value is in memory), and whether it has been loaded since that store.
 *
 * A page of shadow represents 4 KiB, in granules of 8 aligned bytes, each in one cache line. Three bits per byte say
 * whether the byte has a last load, a last store, and was not loaded since. A granule has one last load and one last
 * store for all its bytes that have one, as long as these have the same context; the time is that of the latest.
 * Otherwise it is split: the last accesses are in the units of its part of the page, of 1, 2 or 4 bytes, as wide as the
 * page's accesses have allowed so far.
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
    SHADOW_DIRECT_BITS = 38,
    /* Bits of a granule, one per byte. */
    SHADOW_LOADED = 0,
    SHADOW_STORED = 8,
    SHADOW_UNREAD = 16
};

#define SHADOW_SPLIT 0xffffffffu /* instead of a context */

/* A last access as one word: its context, and its time << 32. */
typedef ULong shadow_word;

static inline shadow_word shadow_word_of(UInt context, UInt time)
{
    return context | (ULong)time << 32;
}

struct shadow_granule {
    ULong value;       /* of the bytes that have a last load */
    shadow_word load;  /* the last one */
    shadow_word store; /* the last one */
    UInt bits;         /* from SHADOW_LOADED, SHADOW_STORED and SHADOW_UNREAD on */
};

/* The last loads or stores of the split granules in a part of a page. */
struct shadow_units {
    shadow_word *last; /* [SHADOW_PART_BYTES >> shift]; NULL: no granule is split */
    UInt shift;
};

struct shadow_page {
    struct shadow_units split_loads[SHADOW_PARTS], split_stores[SHADOW_PARTS];
    struct shadow_granule granules[SHADOW_GRANULES];
};

/* For addresses below 2^SHADOW_DIRECT_BITS; NULL: no page yet. */
extern struct shadow_page **shadow_pages;

/* The part of a page with a granule, and the index of a byte in its units. */
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

void shadow_init(void);

/* The page of an address; NULL: it has none; with `make`: no memory. */
struct shadow_page *shadow_page_of(Addr a, Bool make);

/* The page of an address, created if needed; NULL: no memory. */
static inline struct shadow_page *shadow_page_at(Addr a)
{
    struct shadow_page *page = a >> SHADOW_DIRECT_BITS ? NULL : shadow_pages[a >> SHADOW_PAGE_BITS];
    return LIKELY(page != NULL) ? page : shadow_page_of(a, True);
}

/* The last access to the byte at `offset` of a granule, which has one. */
static inline shadow_word shadow_last(const struct shadow_units *units, shadow_word last, UInt granule, UInt offset)
{
    return (UInt)last != SHADOW_SPLIT ? last : *shadow_unit(units, granule, offset);
}

/* The context of the last access to all bytes of one within a granule; SHADOW_SPLIT: they differ. */
static inline UInt shadow_context(const struct shadow_units *units, shadow_word last, Addr a, UInt size)
{
    if ((UInt)last != SHADOW_SPLIT)
        return (UInt)last;
    const shadow_word *unit = shadow_unit(units, shadow_granule_of(a), (UInt)a & 7);
    const shadow_word *end = shadow_unit(units, shadow_granule_of(a), ((UInt)a & 7) + size - 1);
    for (UInt context = (UInt)*unit; size > 1 && unit < end;)
        if ((UInt) * ++unit != context)
            return SHADOW_SPLIT;
    return (UInt)*unit;
}

/* Bytes of a granule. By value: two registers. */
struct shadow_bytes {
    UInt granule, offset, size;
    UInt others; /* bits, as shadow_mask() has them, of its other bytes that have a predecessor */
};

/*
 * Gives the bytes a new predecessor. Splits or joins their granule, and makes its part's units narrower if that is
 * needed.
 */
void shadow_set(struct shadow_units *units, shadow_word *last, struct shadow_bytes bytes, shadow_word now);

/* The bytes a … a+length−1 start afresh. */
void shadow_clear(Addr a, SizeT length);

/* The bytes from … from+length−1 have moved to `to`; `from` starts afresh. Whole pages. */
void shadow_move(Addr from, Addr to, SizeT length);

/* They have been loaded, by the kernel. */
void shadow_read(Addr a, SizeT length);

/* Everything starts afresh. */
void shadow_clear_all(void);

#endif
