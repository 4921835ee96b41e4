/*
 * shadow.h - what the tool remembers of each byte of the program's memory: its last load (value, context, time), its
 * last store (context, time; the value is what is in memory), and whether it has been loaded since that store.
 *
 * A page of shadow stands for 4 KiB, in granules of 8 bytes. A bit a byte says whether the byte has a last load
 * (`loaded`), a last store (`stored`), and was not loaded since (`unread`). A granule whose bytes come from one context
 * holds it once; else `context` is SHADOW_SPLIT | index of a split granule, with a context and a time for each byte. The
 * time of a granule that is not split is that of its latest access.
 */
#ifndef ASSAY_VALGRIND_SHADOW_H
#define ASSAY_VALGRIND_SHADOW_H

#include <valgrind/pub_tool_basics.h>

enum { SHADOW_PAGE_BITS = 12, SHADOW_GRANULES = 512, SHADOW_DIRECT_BITS = 38 };
#define SHADOW_SPLIT 0x80000000u

struct shadow_load {
    ULong value; /* byte i of the granule in bits 8i … 8i+7 */
    UInt context, time;
};
struct shadow_store {
    UInt context, time;
};

struct shadow_page {
    UChar stored[SHADOW_GRANULES], unread[SHADOW_GRANULES];
    struct shadow_store stores[SHADOW_GRANULES];
    UChar loaded[SHADOW_GRANULES];
    struct shadow_load loads[SHADOW_GRANULES];
};

struct shadow_split {
    UInt context[8], time[8];
};

/* For addresses below 2^SHADOW_DIRECT_BITS; an absent page is shadow_none, whose bits are all 0. */
extern struct shadow_page **shadow_pages;
extern struct shadow_page shadow_none;
extern struct shadow_split *shadow_splits;

void shadow_init(Bool loads, Bool stores);

/* The page of an address, shadow_none if it has none, or, with `make`, a new one (shadow_none without memory). */
struct shadow_page *shadow_page_of(Addr a, Bool make);

/* The bytes a … a+length−1 start afresh. O(length/8), or less where there is no shadow. */
void shadow_clear(Addr a, SizeT length);

/* They have been loaded, by the kernel. */
void shadow_read(Addr a, SizeT length);

/* Everything starts afresh. */
void shadow_clear_all(void);

/*
 * Gives the bytes in `mask` of a granule a new context and time, splitting or joining it as needed; `valid`: the bytes
 * that had one before.
 */
void shadow_split_set(UInt *context, UInt *time, UChar valid, UChar mask, UInt new_context, UInt now);

/* The context and the time of byte i of a granule. */
static inline UInt shadow_context(UInt context, UInt i)
{
    return context & SHADOW_SPLIT ? shadow_splits[context & ~SHADOW_SPLIT].context[i] : context;
}

static inline UInt shadow_time(UInt context, UInt time, UInt i)
{
    return context & SHADOW_SPLIT ? shadow_splits[context & ~SHADOW_SPLIT].time[i] : time;
}

#endif
