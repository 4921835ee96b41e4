/*
 * bare.c - replaces access.c and wide_access.c by the least that could find a silent load. Eight aligned bytes have one
 * word of shadow, the value that was last loaded there; a load compares, counts for its context, and keeps its value.
 * There are no pairs, no bytes within a word, no stores and no floating point, so its counts are wrong: only its time
 * matters.
 */
#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcassert.h>

#include "collect/exact/tool/kinds/access.h"
#include "collect/exact/tool/state/context.h"

enum { PAGE_BITS = 12, DIRECT_BITS = 38 };

static struct counts {
    UInt events, silent;
} * counts; /* [handle] */
static ULong **pages;

static void *reserve(SizeT bytes)
{
    void *memory = VG_(am_shadow_alloc)(bytes);
    tl_assert(memory);
    return memory;
}

static __attribute__((noinline)) ULong *page_new(Addr a)
{
    static ULong elsewhere[1 << (PAGE_BITS - 3)];
    if (!pages) {
        pages = reserve(sizeof *pages << (DIRECT_BITS - PAGE_BITS));
        counts = reserve((SizeT)CONTEXT_HANDLES_MAX * sizeof *counts);
    }
    if (a >> DIRECT_BITS)
        return elsewhere;
    return pages[a >> PAGE_BITS] = reserve(1 << PAGE_BITS);
}

static void load(Addr a, ULong value, ULong where)
{
    ULong *page = LIKELY(pages != NULL) && LIKELY(!(a >> DIRECT_BITS)) ? pages[a >> PAGE_BITS] : NULL;
    if (UNLIKELY(!page))
        page = page_new(a);
    ULong *last = &page[(a & ((1 << PAGE_BITS) - 1)) >> 3];
    struct counts *count = &counts[access_handle(where)];
    count->events++;
    count->silent += *last == value;
    *last = value;
}

static void nothing(void)
{
}

struct access_helper access_load_helper(UInt size, Bool approximate)
{
    (void)size, (void)approximate;
    return (struct access_helper){"load", (void *)load};
}

struct access_helper access_store_helper(UInt size, Bool approximate)
{
    (void)size, (void)approximate;
    return (struct access_helper){"nothing", (void *)nothing};
}

Bool access_load_eight(Addr a, ULong value, ULong where)
{
    load(a, value, where);
    return True;
}

Bool access_store_eight(Addr a, ULong change, ULong where)
{
    (void)a, (void)change, (void)where;
    return True;
}

void access_system_write(Addr a, SizeT size, UInt context)
{
    (void)a, (void)size, (void)context;
}

void wide_load_halves(Addr a, ULong low, ULong high, ULong where)
{
    load(a, low, where);
    load(a + 8, high, where);
}

void wide_store_halves(Addr a, ULong low, ULong high, ULong where)
{
    (void)a, (void)low, (void)high, (void)where;
}

void wide_load(Addr a, ULong where)
{
    for (UInt at = 0; at + 8 <= access_size(where); at += 8)
        load(a + at, *(const ULong *)(a + at), where);
}

void wide_read(Addr a, ULong where)
{
    (void)a, (void)where;
}

void wide_keep(Addr a, ULong where)
{
    (void)a, (void)where;
}

void wide_store(Addr a, ULong where)
{
    (void)a, (void)where;
}
