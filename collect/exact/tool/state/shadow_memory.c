#include "collect/exact/tool/state/shadow_memory.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/exact/tool/state/context.h"
#include "collect/exact/tool/state/raw_writer.h"

enum { FAR_SLOTS = 1 << 16, SLAB_BYTES = 1 << 20 };

struct shadow_page *shadow_pages;
static Bool with_loads, with_stores, with_marks, in_burst, in_second_half;
UInt shadow_half;

/* A page beyond the direct table. */
struct far_page {
    Addr number;
    struct shadow_page page;
    struct far_page *next;
};

static struct far_page *far_pages[FAR_SLOTS];
static UChar *slab;
static SizeT slab_left;
/* A list that only grows, of pages with memory. */
struct page_list {
    struct page_of {
        Addr number; /* when it was added */
        struct shadow_page page;
    } * items;
    SizeT count, capacity;
};

/* Every page that was ever made; in bursts, the ones of this burst, by number, and those that no number has now. */
static struct page_list all_pages, burst_pages, spare_pages;

/* Ranges that started afresh in this burst and have no page yet, too large to give them one: the latest. */
enum { FRESH_RANGES = 256, FRESH_SMALL = 1 << 16 };
struct fresh_range {
    Addr start, end;
    Bool early; /* in the burst's first half */
};
static struct fresh_range fresh_ranges[FRESH_RANGES];
static UInt fresh_count; /* so far; each takes the place of the oldest */

void shadow_init(Bool loads, Bool stores, Bool bursts)
{
    with_loads = loads;
    with_stores = stores;
    with_marks = bursts;
    SizeT entries = (SizeT)1 << (SHADOW_DIRECT_BITS - SHADOW_PAGE_BITS);
    shadow_pages = VG_(am_shadow_alloc)(entries * sizeof *shadow_pages);
    if (!shadow_pages)
        VG_(out_of_memory_NORETURN)("assay: table of shadow pages", entries * sizeof *shadow_pages);
}

/* ---------------------------------------------------------------------------- pages -- */

static void shadow_add_page(struct page_list *list, Addr number, const struct shadow_page *page)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 1024;
        list->items = VG_(realloc)("assay.pages", list->items, list->capacity * sizeof *list->items);
    }
    list->items[list->count++] = (struct page_of){number, *page};
}

static Bool shadow_has_memory(const struct shadow_page *page)
{
    return page->loads || page->stores;
}

/* Memory for a page, without any last access. */
static struct shadow_page shadow_new_page(void)
{
    SizeT loads = with_loads ? sizeof(struct shadow_loads) : 0, stores = with_stores ? sizeof(struct shadow_stores) : 0;
    SizeT bytes = loads + stores + (with_marks ? sizeof(struct shadow_marks) : 0);
    if (spare_pages.count > 0)
        return spare_pages.items[--spare_pages.count].page;
    if (loads + stores == 0)
        return (struct shadow_page){NULL, NULL};
    if (slab_left < bytes) {
        slab = VG_(am_shadow_alloc)(SLAB_BYTES);
        slab_left = slab ? SLAB_BYTES : 0;
    }
    if (!slab) {
        raw_writer_lost(RAW_LOST_MEMORY, 1);
        return (struct shadow_page){NULL, NULL};
    }
    struct shadow_page page = {loads ? (struct shadow_loads *)slab : NULL,
                               stores ? (struct shadow_stores *)(slab + loads) : NULL};
    slab += bytes;
    slab_left -= bytes;
    shadow_add_page(&all_pages, 0, &page);
    return page;
}

static void shadow_make_page(struct shadow_page *page, Addr number)
{
    *page = shadow_new_page();
    if (!with_marks || !shadow_has_memory(page))
        return;
    shadow_add_page(&burst_pages, number, page);
    /* The parts of fresh ranges that lie in the page are fresh. */
    struct shadow_marks *marks = shadow_marks_of(page);
    Addr low = number << SHADOW_PAGE_BITS, high = low + SHADOW_PAGE_BYTES;
    UInt kept = fresh_count < FRESH_RANGES ? fresh_count : FRESH_RANGES;
    for (UInt i = fresh_count - kept; i < fresh_count; i++) {
        const struct fresh_range *range = &fresh_ranges[i % FRESH_RANGES];
        Addr from = range->start > low ? range->start : low, stop = range->end < high ? range->end : high;
        for (Addr a = from; a < stop; a++) {
            UInt granule = shadow_granule_of(a);
            UChar bit = (UChar)(1 << (a & 7));
            marks->fresh[granule] |= bit;
            marks->fresh_early[granule] =
                (UChar)(range->early ? marks->fresh_early[granule] | bit : marks->fresh_early[granule] & ~bit);
        }
    }
}

/* The entry of an address's page; NULL: none. */
static struct shadow_page *shadow_page_entry(Addr a, Bool make)
{
    Addr number = a >> SHADOW_PAGE_BITS;
    if (!(a >> SHADOW_DIRECT_BITS))
        return &shadow_pages[number];
    struct far_page *far = far_pages[number % FAR_SLOTS];
    while (far && far->number != number)
        far = far->next;
    if (!far && make) {
        far = VG_(malloc)("assay.far", sizeof *far);
        *far = (struct far_page){number, {NULL, NULL}, far_pages[number % FAR_SLOTS]};
        far_pages[number % FAR_SLOTS] = far;
    }
    return far ? &far->page : NULL;
}

const struct shadow_page *shadow_page_of(Addr a, Bool make)
{
    struct shadow_page *page = shadow_page_entry(a, make);
    if (page && !shadow_has_memory(page) && make)
        shadow_make_page(page, a >> SHADOW_PAGE_BITS);
    return page && shadow_has_memory(page) ? page : NULL;
}

/* ---------------------------------------------------------------------------- ranges -- */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* These bytes of `count` granules: the first of them is `granule`. */
typedef void granules_change(const struct shadow_page *page, UInt granule, UInt count, UInt bytes);

ALWAYS_INLINE void shadow_granules_mark_read(const struct shadow_page *page, UInt granule, UInt count, UInt bytes)
{
    UChar *unread = page->stores ? page->stores->unread + granule : NULL;
    for (UInt i = 0; unread && i < count; i++)
        unread[i] &= (UChar)~bytes;
}

/* Whether bytes without a last store are unread has no meaning. */
ALWAYS_INLINE void shadow_granules_forget(const struct shadow_page *page, UInt granule, UInt count, UInt bytes)
{
    shadow_word kept = ~((ULong)bytes << SHADOW_BYTES_SHIFT);
    struct shadow_load *loads = page->loads ? page->loads->granules + granule : NULL;
    shadow_word *stores = page->stores ? page->stores->last + granule : NULL;
    for (UInt i = 0; loads && i < count; i++)
        loads[i].last &= kept;
    for (UInt i = 0; stores && i < count; i++)
        stores[i] &= kept;
}

ALWAYS_INLINE void shadow_granules_mark_fresh(const struct shadow_page *page, UInt granule, UInt count, UInt bytes)
{
    struct shadow_marks *marks = shadow_marks_of(page);
    for (UInt i = granule; i < granule + count; i++) {
        marks->fresh[i] |= (UChar)bytes;
        marks->fresh_early[i] &= (UChar)~bytes;
    }
}

/* The bytes from … end−1 of a page. */
ALWAYS_INLINE void shadow_change_page(const struct shadow_page *page, UInt from, UInt end, granules_change *change)
{
    UInt first = from >> 3, last = (end - 1) >> 3;
    UInt head = 0xffu << (from & 7) & 0xff, tail = 0xffu >> (7 - ((end - 1) & 7));
    if (first == last) {
        change(page, first, 1, head & tail);
        return;
    }
    change(page, first, 1, head);
    change(page, first + 1, last - first - 1, 0xff);
    change(page, last, 1, tail);
}

ALWAYS_INLINE void shadow_change_range(Addr a, SizeT length, granules_change *change)
{
    for (Addr end = a + length; a < end;) {
        const struct shadow_page *page = shadow_page_of(a, False);
        Addr page_end = (a | (SHADOW_PAGE_BYTES - 1)) + 1, stop = end < page_end ? end : page_end;
        UInt from = (UInt)a & (SHADOW_PAGE_BYTES - 1);
        if (page)
            shadow_change_page(page, from, from + (UInt)(stop - a), change);
        a = stop;
    }
}

void shadow_clear(Addr a, SizeT length)
{
    if (with_marks && !in_burst) /* there is nothing */
        return;
    shadow_change_range(a, length, shadow_granules_forget);
    if (LIKELY(!in_burst))
        return;
    /* What a burst has not accessed yet is fresh from now on, too. */
    if (length > FRESH_SMALL)
        fresh_ranges[fresh_count++ % FRESH_RANGES] = (struct fresh_range){a, a + length, !in_second_half};
    for (Addr at = a & ~(Addr)(SHADOW_PAGE_BYTES - 1); length <= FRESH_SMALL && at < a + length;
         at += SHADOW_PAGE_BYTES)
        shadow_page_of(at, True);
    shadow_change_range(a, length, shadow_granules_mark_fresh);
}

ALWAYS_INLINE void shadow_granules_mark_loaded(const struct shadow_page *page, UInt granule, UInt count, UInt bytes)
{
    struct shadow_marks *marks = shadow_marks_of(page);
    for (UInt i = granule; i < granule + count; i++) {
        marks->loaded[i] |= (UChar)bytes;
        marks->loaded_late[i] |= (UChar)(in_second_half ? bytes : 0);
    }
}

void shadow_mark_loaded(Addr a, SizeT length)
{
    for (Addr at = a & ~(Addr)(SHADOW_PAGE_BYTES - 1); at < a + length; at += SHADOW_PAGE_BYTES)
        shadow_page_of(at, True);
    shadow_change_range(a, length, shadow_granules_mark_loaded);
}

void shadow_read(Addr a, SizeT length)
{
    shadow_change_range(a, length, shadow_granules_mark_read);
    if (UNLIKELY(in_burst))
        shadow_mark_loaded(a, length);
}

void shadow_move(Addr from, Addr to, SizeT length)
{
    shadow_clear(to, length);
    for (Addr done = 0; done < length; done += SHADOW_PAGE_BYTES) {
        struct shadow_page *old = shadow_page_entry(from + done, False);
        if (!old || !shadow_has_memory(old))
            continue;
        struct shadow_page *new = shadow_page_entry(to + done, True), page = *old;
        *old = *new;
        *new = page;
        if (with_marks)
            shadow_add_page(&burst_pages, (to + done) >> SHADOW_PAGE_BITS, new);
    }
}

void shadow_begin(void)
{
    in_burst = True;
    in_second_half = False;
    fresh_count = 0;
}

void shadow_begin_half(void)
{
    in_second_half = True;
    shadow_half = ++context_time;
    for (SizeT i = 0; i < burst_pages.count; i++) {
        struct shadow_page *page = shadow_page_entry(burst_pages.items[i].number << SHADOW_PAGE_BITS, False);
        struct shadow_marks *marks = page && shadow_has_memory(page) ? shadow_marks_of(page) : NULL;
        if (marks)
            VG_(memcpy)(marks->fresh_early, marks->fresh, sizeof marks->fresh);
    }
}

void shadow_clear_all(void)
{
    in_burst = False;
    for (SizeT i = 0; i < burst_pages.count; i++) {
        struct shadow_page *page = shadow_page_entry(burst_pages.items[i].number << SHADOW_PAGE_BITS, False);
        if (!page || !shadow_has_memory(page)) /* it has moved, or was met before */
            continue;
        shadow_granules_forget(page, 0, SHADOW_GRANULES, 0xff);
        VG_(memset)(shadow_marks_of(page), 0, sizeof(struct shadow_marks));
        shadow_add_page(&spare_pages, 0, page);
        *page = (struct shadow_page){NULL, NULL};
    }
    burst_pages.count = 0;
}

/* ---------------------------------------------------------------------------- times -- */

void shadow_renumber(UInt (*renumbered)(UInt time))
{
    for (SizeT p = 0; p < all_pages.count; p++) {
        const struct shadow_page *page = &all_pages.items[p].page;
        for (UInt i = 0; page->loads && i < SHADOW_GRANULES; i++)
            shadow_renumber_word(&page->loads->granules[i].last, renumbered);
        for (UInt i = 0; page->stores && i < SHADOW_GRANULES; i++)
            shadow_renumber_word(&page->stores->last[i], renumbered);
    }
    shadow_half = renumbered(shadow_half);
}
