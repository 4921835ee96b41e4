#include "collect/valgrind/shadow.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/valgrind/report.h"

enum { PAGE_BYTES = 1 << SHADOW_PAGE_BITS, SLAB_PAGES = 256, FAR_SLOTS = 1 << 16, SPLITS_FIRST = 1 << 12 };

struct shadow_page **shadow_pages;
struct shadow_page shadow_none;
struct shadow_split *shadow_splits;

/* A page beyond the direct table. */
struct far_page {
    Addr number;
    struct shadow_page *page;
    struct far_page *next;
};

static struct far_page *far_pages[FAR_SLOTS];
static SizeT page_bytes, page_skip; /* of what is there of a shadow_page: its stores, its loads, or both */
static UChar *slab;
static SizeT slab_left;
static struct shadow_page **all_pages;
static SizeT all_count, all_capacity;
static UInt split_capacity, split_count, split_free; /* split_free: head of the list through context[0] */

void shadow_init(Bool loads, Bool stores)
{
    const SizeT loads_from = __builtin_offsetof(struct shadow_page, loaded);
    page_skip = stores ? 0 : loads_from;
    page_bytes = (loads ? sizeof(struct shadow_page) : loads_from) - page_skip;
    SizeT entries = (SizeT)1 << (SHADOW_DIRECT_BITS - SHADOW_PAGE_BITS);
    shadow_pages = VG_(am_shadow_alloc)(entries * sizeof *shadow_pages);
    if (!shadow_pages)
        VG_(out_of_memory_NORETURN)("assay: table of shadow pages", entries * sizeof *shadow_pages);
}

/* Entries of the direct table are NULL until somebody asks: the table itself stays untouched memory. */
static struct shadow_page **direct_entry(Addr a)
{
    return &shadow_pages[a >> SHADOW_PAGE_BITS];
}

static struct far_page *far_find(Addr number)
{
    struct far_page *far = far_pages[number % FAR_SLOTS];
    while (far && far->number != number)
        far = far->next;
    return far;
}

static void remember(struct shadow_page *page)
{
    if (all_count == all_capacity) {
        all_capacity = all_capacity ? all_capacity * 2 : 1024;
        all_pages = VG_(realloc)("assay.pages", all_pages, all_capacity * sizeof *all_pages);
    }
    all_pages[all_count++] = page;
}

static struct shadow_page *new_page(void)
{
    if (slab_left < page_bytes) {
        slab = VG_(am_shadow_alloc)(page_bytes * SLAB_PAGES);
        if (!slab) {
            slab_left = 0;
            report_lost(RAW_LOST_MEMORY, 1);
            return NULL;
        }
        slab_left = page_bytes * SLAB_PAGES;
    }
    struct shadow_page *page = (struct shadow_page *)(slab - page_skip);
    slab += page_bytes;
    slab_left -= page_bytes;
    remember(page);
    return page;
}

static struct shadow_page *far_page_of(Addr a, Bool make)
{
    Addr number = a >> SHADOW_PAGE_BITS;
    struct far_page *far = far_find(number);
    if (far || !make)
        return far ? far->page : &shadow_none;
    struct shadow_page *page = new_page();
    if (!page)
        return &shadow_none;
    far = VG_(malloc)("assay.far", sizeof *far);
    *far = (struct far_page){number, page, far_pages[number % FAR_SLOTS]};
    far_pages[number % FAR_SLOTS] = far;
    return page;
}

struct shadow_page *shadow_page_of(Addr a, Bool make)
{
    if (a >> SHADOW_DIRECT_BITS)
        return far_page_of(a, make);
    struct shadow_page **entry = direct_entry(a);
    if (!*entry && make)
        *entry = new_page();
    return *entry ? *entry : &shadow_none;
}

/* ---------------------------------------------------------------------------- split granules -- */

static UInt split_new(void)
{
    if (split_free) {
        UInt i = split_free;
        split_free = shadow_splits[i].context[0];
        return i;
    }
    if (split_count == split_capacity) {
        split_capacity = split_capacity ? split_capacity * 2 : SPLITS_FIRST;
        shadow_splits = VG_(realloc)("assay.splits", shadow_splits, split_capacity * sizeof *shadow_splits);
        split_count = split_count ? split_count : 1; /* 0 ends the free list */
    }
    return split_count++;
}

static void split_drop(UInt i)
{
    shadow_splits[i].context[0] = split_free;
    split_free = i;
}

static UInt split_granule(UInt context, UInt time)
{
    UInt i = split_new();
    for (UInt byte = 0; byte < 8; byte++) {
        shadow_splits[i].context[byte] = context;
        shadow_splits[i].time[byte] = time;
    }
    return i;
}

static Bool is_uniform(const struct shadow_split *split, UChar valid)
{
    UInt first = (UInt)__builtin_ctz(valid);
    for (UInt byte = first + 1; byte < 8; byte++)
        if ((valid >> byte & 1) && split->context[byte] != split->context[first])
            return False;
    return True;
}

void shadow_split_set(UInt *context, UInt *time, UChar valid, UChar mask, UInt new_context, UInt now)
{
    if (!(valid & ~mask)) { /* nothing else to keep; a split of cleared bytes may still be there */
        if (*context & SHADOW_SPLIT)
            split_drop(*context & ~SHADOW_SPLIT);
        *context = new_context;
        *time = now;
        return;
    }
    if (*context == new_context) {
        *time = now;
        return;
    }
    if (!(*context & SHADOW_SPLIT))
        *context = split_granule(*context, *time) | SHADOW_SPLIT;
    UInt i = *context & ~SHADOW_SPLIT;
    for (UInt byte = 0; byte < 8; byte++)
        if (mask >> byte & 1) {
            shadow_splits[i].context[byte] = new_context;
            shadow_splits[i].time[byte] = now;
        }
    if (is_uniform(&shadow_splits[i], valid | mask)) {
        *context = new_context;
        *time = now;
        split_drop(i);
    }
}

/* ---------------------------------------------------------------------------- ranges -- */

/* The bits of `length` bytes from byte `from` of a page: 0. */
static void clear_bits(UChar *bits, UInt from, UInt length)
{
    UInt first = from >> 3, last = (from + length - 1) >> 3;
    UChar head = (UChar)(0xff << (from & 7)), tail = (UChar)(0xff >> (7 - ((from + length - 1) & 7)));
    if (first == last) {
        bits[first] &= (UChar) ~(head & tail);
        return;
    }
    bits[first] &= (UChar)~head;
    for (UInt i = first + 1; i < last; i++)
        bits[i] = 0;
    bits[last] &= (UChar)~tail;
}

static Bool has_stores(void)
{
    return page_skip == 0;
}

static Bool has_loads(void)
{
    return page_bytes + page_skip == sizeof(struct shadow_page);
}

void shadow_clear(Addr a, SizeT length)
{
    for (Addr end = a + length; a < end;) {
        struct shadow_page *page = shadow_page_of(a, False);
        Addr page_end = (a | (PAGE_BYTES - 1)) + 1, stop = end < page_end ? end : page_end;
        if (page != &shadow_none && has_stores())
            clear_bits(page->stored, (UInt)a & (PAGE_BYTES - 1), (UInt)(stop - a));
        if (page != &shadow_none && has_loads())
            clear_bits(page->loaded, (UInt)a & (PAGE_BYTES - 1), (UInt)(stop - a));
        a = stop;
    }
}

void shadow_read(Addr a, SizeT length)
{
    for (Addr end = a + length; a < end && has_stores();) {
        struct shadow_page *page = shadow_page_of(a, False);
        Addr page_end = (a | (PAGE_BYTES - 1)) + 1, stop = end < page_end ? end : page_end;
        if (page != &shadow_none)
            clear_bits(page->unread, (UInt)a & (PAGE_BYTES - 1), (UInt)(stop - a));
        a = stop;
    }
}

void shadow_clear_all(void)
{
    for (SizeT i = 0; i < all_count; i++) {
        if (has_stores())
            clear_bits(all_pages[i]->stored, 0, PAGE_BYTES);
        if (has_loads())
            clear_bits(all_pages[i]->loaded, 0, PAGE_BYTES);
    }
}
