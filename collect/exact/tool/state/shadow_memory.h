/*
 * shadow_memory.h - what the tool remembers of each byte of the program's memory: its last load (value, context, time),
 * its last store (context, time; the value is in memory), and whether it has been loaded since that store.
 *
 * The shadow of a page of 4 KiB has two parts, one for loads and one for stores; only those exist that the mode needs.
 * Both are in granules of 8 aligned bytes, with a word each (shadow_word.h) for its last loads and stores.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_SHADOW_MEMORY_H
#define ASSAY_EXACT_TOOL_STATE_SHADOW_MEMORY_H

#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/state/shadow_word.h"

enum {
    SHADOW_PAGE_BITS = 12,
    SHADOW_PAGE_BYTES = 1 << SHADOW_PAGE_BITS,
    SHADOW_GRANULES = SHADOW_PAGE_BYTES / 8,
    SHADOW_DIRECT_BITS = 38
};

struct shadow_load {
    ULong value; /* of the bytes that have a last load */
    shadow_word last;
};

struct shadow_loads {
    struct shadow_load granules[SHADOW_GRANULES];
};

struct shadow_stores {
    shadow_word last[SHADOW_GRANULES];
    UChar unread[SHADOW_GRANULES]; /* a bit for each byte: if it has a last store, it was not loaded since */
};

/* In bursts, a bit for each byte: it started afresh since the burst began, and in the first half of that; it was loaded
 * since the burst began, and since its second half began. A last access since then has no influence. */
struct shadow_marks {
    UChar fresh[SHADOW_GRANULES], fresh_early[SHADOW_GRANULES];
    UChar loaded[SHADOW_GRANULES], loaded_late[SHADOW_GRANULES];
};

/* NULL: no memory so far, or not wanted in this mode. */
struct shadow_page {
    struct shadow_loads *loads;
    struct shadow_stores *stores;
};

/* For addresses below 2^SHADOW_DIRECT_BITS. */
extern struct shadow_page *shadow_pages;

/* The granule of an address in its page. */
static inline UInt shadow_granule_of(Addr a)
{
    return (UInt)(a & (SHADOW_PAGE_BYTES - 1)) >> 3;
}

/* `bursts`: pages have marks, and there is a burst from shadow_begin() to shadow_clear_all(). */
void shadow_init(Bool loads, Bool stores, Bool bursts);

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

/* The last loads, or stores, of a granule; the page has memory for them. */
enum shadow_side { SHADOW_LOADS, SHADOW_STORES };

static inline shadow_word *shadow_last_word(const struct shadow_page *page, UInt granule, enum shadow_side side)
{
    return side == SHADOW_LOADS ? &page->loads->granules[granule].last : &page->stores->last[granule];
}

/* The marks of a page with memory, in bursts. */
static inline struct shadow_marks *shadow_marks_of(const struct shadow_page *page)
{
    return page->stores ? (struct shadow_marks *)(page->stores + 1) : (struct shadow_marks *)(page->loads + 1);
}

/* A burst begins: nothing has been accessed, nor started afresh. */
void shadow_begin(void);

/* The second half of a burst begins. Accesses before it have a time less than shadow_half. */
void shadow_begin_half(void);
extern UInt shadow_half;

/* The bytes a … a+length−1 start afresh. */
void shadow_clear(Addr a, SizeT length);

/* The bytes from … from+length−1 have moved to `to`; `from` starts afresh. Whole pages. */
void shadow_move(Addr from, Addr to, SizeT length);

/* They have been loaded, by the kernel. */
void shadow_read(Addr a, SizeT length);

/* In a burst: they have been loaded, by whomever. */
void shadow_mark_loaded(Addr a, SizeT length);

/* A burst ends, everything is forgotten, and the memory is for the next one. O(pages that it has accessed) */
void shadow_clear_all(void);

/* Replaces each time by another. */
void shadow_renumber(UInt (*renumbered)(UInt time));

#endif
