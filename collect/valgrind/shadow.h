/*
 * shadow.h - what the tool remembers of each byte of the program's memory: its last load (value, context, time), its
 * last store (context, time; the value is what is in memory), and whether it has been loaded since that store.
 *
 * A page of shadow stands for 4 KiB. A bit a byte says whether the byte has a last load (`loaded`), a last store
 * (`stored`), and was not loaded since (`unread`). Contexts and times are kept for units of 1, 2, 4 or 8 bytes: as wide
 * as the page's accesses have allowed so far. The bytes of a unit that have a predecessor have the same one; its time
 * is that of the latest access to any of them.
 */
#ifndef ASSAY_VALGRIND_SHADOW_H
#define ASSAY_VALGRIND_SHADOW_H

#include <valgrind/pub_tool_basics.h>

enum { SHADOW_PAGE_BITS = 12, SHADOW_PAGE_BYTES = 1 << SHADOW_PAGE_BITS, SHADOW_DIRECT_BITS = 38 };

struct shadow_unit {
    UInt context, time;
};

/* A unit as one word, for one store. */
static inline ULong shadow_unit_word(UInt context, UInt time)
{
    return context | (ULong)time << 32;
}

/* The last accesses of one kind to the bytes of a page. */
struct shadow_side {
    struct shadow_unit *units; /* [SHADOW_PAGE_BYTES >> shift] */
    ULong shift;               /* 0 … 3 */
    UChar valid[SHADOW_PAGE_BYTES / 8];
};

struct shadow_page {
    struct shadow_side loads, stores;
    UChar unread[SHADOW_PAGE_BYTES / 8]; /* where stores.valid */
    UChar *values;                       /* [SHADOW_PAGE_BYTES], where loads.valid */
};

/* For addresses below 2^SHADOW_DIRECT_BITS; NULL: no page yet. */
extern struct shadow_page **shadow_pages;

void shadow_init(Bool loads, Bool stores);

/* The page of an address; NULL: it has none, and, with `make`, there is no memory for one. */
struct shadow_page *shadow_page_of(Addr a, Bool make);

/* The bytes a … a+length−1 start afresh. */
void shadow_clear(Addr a, SizeT length);

/* The bytes from … from+length−1 are at `to` now; `from` starts afresh. Whole pages. */
void shadow_move(Addr from, Addr to, SizeT length);

/* They have been loaded, by the kernel. */
void shadow_read(Addr a, SizeT length);

/* Everything starts afresh. */
void shadow_clear_all(void);

/* Gives the bytes from … from+bytes−1 of a page a predecessor. Makes the page's units narrower if that is needed. */
void shadow_set(struct shadow_side *side, UInt from, UInt bytes, UInt context, UInt now);

/* The bits of a byte array for `bytes` bytes from the first bit of byte `from`, within 8 aligned bytes. */
static inline UChar shadow_mask(UInt from, UInt bytes)
{
    return (UChar)(((1u << bytes) - 1) << (from & 7));
}

#endif
