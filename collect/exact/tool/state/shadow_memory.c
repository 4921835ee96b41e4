#include "collect/exact/tool/state/shadow_memory.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/exact/tool/state/raw_writer.h"

enum { FAR_SLOTS = 1 << 16, SLAB_BYTES = 1 << 20 };

struct shadow_page *shadow_pages;
static Bool with_loads, with_stores;

/* A page beyond the direct table. */
struct far_page {
    Addr number;
    struct shadow_page page;
    struct far_page *next;
};

static struct far_page *far_pages[FAR_SLOTS];
static UChar *slab;
static SizeT slab_left;
static struct shadow_page *all_pages;
static SizeT all_count, all_capacity;

void shadow_init(Bool loads, Bool stores)
{
    with_loads = loads;
    with_stores = stores;
    SizeT entries = (SizeT)1 << (SHADOW_DIRECT_BITS - SHADOW_PAGE_BITS);
    shadow_pages = VG_(am_shadow_alloc)(entries * sizeof *shadow_pages);
    if (!shadow_pages)
        VG_(out_of_memory_NORETURN)("assay: table of shadow pages", entries * sizeof *shadow_pages);
}

/* ---------------------------------------------------------------------------- memory -- */

static void *take(SizeT bytes)
{
    if (slab_left < bytes) {
        slab = VG_(am_shadow_alloc)(SLAB_BYTES);
        slab_left = slab ? SLAB_BYTES : 0;
    }
    if (!slab) {
        raw_writer_lost(RAW_LOST_MEMORY, 1);
        return NULL;
    }
    UChar *memory = slab;
    slab += bytes;
    slab_left -= bytes;
    return memory;
}

/* ---------------------------------------------------------------------------- pages -- */

static void remember(const struct shadow_page *page)
{
    if (all_count == all_capacity) {
        all_capacity = all_capacity ? all_capacity * 2 : 1024;
        all_pages = VG_(realloc)("assay.pages", all_pages, all_capacity * sizeof *all_pages);
    }
    all_pages[all_count++] = *page;
}

static Bool has_memory(const struct shadow_page *page)
{
    return page->loads || page->stores;
}

static void make_page(struct shadow_page *page)
{
    SizeT loads = with_loads ? sizeof *page->loads : 0, stores = with_stores ? sizeof *page->stores : 0;
    UChar *memory = loads + stores ? take(loads + stores) : NULL;
    if (!memory)
        return;
    *page = (struct shadow_page){loads ? (struct shadow_loads *)memory : NULL,
                                 stores ? (struct shadow_stores *)(memory + loads) : NULL};
    remember(page);
}

static struct shadow_page *far_entry(Addr a, Bool make)
{
    Addr number = a >> SHADOW_PAGE_BITS;
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

/* The entry of an address's page; NULL: none. */
static struct shadow_page *entry_of(Addr a, Bool make)
{
    return a >> SHADOW_DIRECT_BITS ? far_entry(a, make) : &shadow_pages[a >> SHADOW_PAGE_BITS];
}

const struct shadow_page *shadow_page_of(Addr a, Bool make)
{
    struct shadow_page *page = entry_of(a, make);
    if (page && !has_memory(page) && make)
        make_page(page);
    return page && has_memory(page) ? page : NULL;
}

/* ---------------------------------------------------------------------------- ranges -- */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* These bytes of `count` granules: the first of them is `granule`. */
typedef void granules_change(const struct shadow_page *page, UInt granule, UInt count, UInt bytes);

ALWAYS_INLINE void mark_read(const struct shadow_page *page, UInt granule, UInt count, UInt bytes)
{
    UChar *unread = page->stores ? page->stores->unread + granule : NULL;
    for (UInt i = 0; unread && i < count; i++)
        unread[i] &= (UChar)~bytes;
}

/* Whether bytes without a last store are unread has no meaning. */
ALWAYS_INLINE void forget(const struct shadow_page *page, UInt granule, UInt count, UInt bytes)
{
    shadow_word kept = ~((ULong)bytes << SHADOW_BYTES_SHIFT);
    struct shadow_load *loads = page->loads ? page->loads->granules + granule : NULL;
    shadow_word *stores = page->stores ? page->stores->last + granule : NULL;
    for (UInt i = 0; loads && i < count; i++)
        loads[i].last &= kept;
    for (UInt i = 0; stores && i < count; i++)
        stores[i] &= kept;
}

/* The bytes from … end−1 of a page. */
ALWAYS_INLINE void change_page(const struct shadow_page *page, UInt from, UInt end, granules_change *change)
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

ALWAYS_INLINE void change_range(Addr a, SizeT length, granules_change *change)
{
    for (Addr end = a + length; a < end;) {
        const struct shadow_page *page = shadow_page_of(a, False);
        Addr page_end = (a | (SHADOW_PAGE_BYTES - 1)) + 1, stop = end < page_end ? end : page_end;
        UInt from = (UInt)a & (SHADOW_PAGE_BYTES - 1);
        if (page)
            change_page(page, from, from + (UInt)(stop - a), change);
        a = stop;
    }
}

void shadow_clear(Addr a, SizeT length)
{
    change_range(a, length, forget);
}

void shadow_read(Addr a, SizeT length)
{
    change_range(a, length, mark_read);
}

void shadow_move(Addr from, Addr to, SizeT length)
{
    shadow_clear(to, length);
    for (Addr done = 0; done < length; done += SHADOW_PAGE_BYTES) {
        struct shadow_page *old = entry_of(from + done, False);
        if (!old || !has_memory(old))
            continue;
        struct shadow_page *new = entry_of(to + done, True), page = *old;
        *old = *new;
        *new = page;
    }
}

void shadow_clear_all(void)
{
    for (SizeT i = 0; i < all_count; i++)
        forget(&all_pages[i], 0, SHADOW_GRANULES, 0xff);
}

/* ---------------------------------------------------------------------------- times -- */

static void renumber_page(const struct shadow_page *page, UInt (*renumbered)(UInt))
{
    for (UInt i = 0; page->loads && i < SHADOW_GRANULES; i++)
        shadow_renumber_word(&page->loads->granules[i].last, renumbered);
    for (UInt i = 0; page->stores && i < SHADOW_GRANULES; i++)
        shadow_renumber_word(&page->stores->last[i], renumbered);
}

void shadow_renumber(UInt (*renumbered)(UInt time))
{
    for (SizeT i = 0; i < all_count; i++)
        renumber_page(&all_pages[i], renumbered);
}
