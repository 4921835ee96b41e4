/*
 * shadow.h - what the tool remembers of each byte of the program's memory: its last load (value, context, time), its
 * last store (context, time; the value is what is in memory), and whether it has been loaded since that store.
 *
 * A page of shadow stands for 4 KiB, in granules of 8 aligned bytes. Three bits a byte say whether the byte has a last
 * load, a last store, and was not loaded since. A granule has one context and time for all its bytes that have a
 * predecessor, as long as these have the same; its time is that of the latest access to any of them. Else it is split:
 * into two halves, or into bytes, which are kept in a cell elsewhere.
 */
#ifndef ASSAY_VALGRIND_SHADOW_H
#define ASSAY_VALGRIND_SHADOW_H

#include <valgrind/pub_tool_basics.h>

enum {
    SHADOW_PAGE_BITS = 12,
    SHADOW_PAGE_BYTES = 1 << SHADOW_PAGE_BITS,
    SHADOW_GRANULES = SHADOW_PAGE_BYTES / 8,
    SHADOW_DIRECT_BITS = 38,
    /* Bits of a granule, one a byte each. */
    SHADOW_LOADED = 0,
    SHADOW_STORED = 8,
    SHADOW_UNREAD = 16
};

/* The last access as one word: context, and time << 32; or a split granule's cell. */
typedef ULong shadow_word;
#define SHADOW_SPLIT 0x80000000u /* the rest is the cell's number */
#define SHADOW_BYTES 0x40000000u /* its cell is of bytes */

static inline shadow_word shadow_word_of(UInt context, UInt time)
{
    return context | (ULong)time << 32;
}

struct shadow_load {
    shadow_word last;
    ULong value;
};

struct shadow_page {
    UInt bits[SHADOW_GRANULES];
    ULong words[]; /* loads, stores: where the mode has them */
};

/* For addresses below 2^SHADOW_DIRECT_BITS; NULL: no page yet. */
extern struct shadow_page **shadow_pages;
extern UInt shadow_stores_at; /* in words[] */

static inline struct shadow_load *shadow_load_at(struct shadow_page *page, UInt granule)
{
    return (struct shadow_load *)page->words + granule;
}

static inline shadow_word *shadow_store_at(struct shadow_page *page, UInt granule)
{
    return page->words + shadow_stores_at + granule;
}

/* Bits of `size` bytes from byte `offset` of a granule. */
static inline UInt shadow_mask(UInt offset, UInt size)
{
    return ((1u << size) - 1) << offset;
}

void shadow_init(Bool loads, Bool stores);

/* The page of an address; NULL: it has none, and, with `make`, there is no memory for one. */
struct shadow_page *shadow_page_of(Addr a, Bool make);

/* The last access to the byte at `offset` of a split granule. */
shadow_word shadow_of_byte(shadow_word split, UInt offset);

/* That to all of `size` bytes; 0: it is not the same one. */
shadow_word shadow_of_bytes(shadow_word split, UInt offset, UInt size);

/*
 * Gives bytes of a granule, whose other bytes with a predecessor are `others` (bits as shadow_mask()), a new one.
 * Splits or joins it.
 */
void shadow_set(shadow_word *last, UInt others, UInt offset, UInt size, shadow_word now);

/* The bytes a … a+length−1 start afresh. */
void shadow_clear(Addr a, SizeT length);

/* The bytes from … from+length−1 are at `to` now; `from` starts afresh. Whole pages. */
void shadow_move(Addr from, Addr to, SizeT length);

/* They have been loaded, by the kernel. */
void shadow_read(Addr a, SizeT length);

/* Everything starts afresh. */
void shadow_clear_all(void);

#endif
