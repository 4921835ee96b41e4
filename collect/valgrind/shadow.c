#include "collect/valgrind/shadow.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/valgrind/report.h"

enum { FAR_SLOTS = 1 << 16, SLAB_BYTES = 1 << 20, WIDEST = 3, BITS_BYTES = SHADOW_PAGE_BYTES / 8 };

struct shadow_page **shadow_pages;

/* A page beyond the direct table. */
struct far_page {
    Addr number;
    struct shadow_page *page;
    struct far_page *next;
};

/* Arrays of units that are no longer used, by their shift; the next one is in the first bytes. */
struct spare {
    struct spare *next;
};

static struct far_page *far_pages[FAR_SLOTS];
static Bool has_loads, has_stores;
static UChar *slab;
static SizeT slab_left;
static struct spare *spares[WIDEST + 1];
static struct shadow_page **all_pages;
static SizeT all_count, all_capacity;

void shadow_init(Bool loads, Bool stores)
{
    has_loads = loads;
    has_stores = stores;
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
        report_lost(RAW_LOST_MEMORY, 1);
        return NULL;
    }
    UChar *memory = slab;
    slab += bytes;
    slab_left -= bytes;
    return memory;
}

static struct shadow_unit *units_new(ULong shift)
{
    struct spare *spare = spares[shift];
    if (!spare)
        return take((SHADOW_PAGE_BYTES >> shift) * sizeof(struct shadow_unit));
    spares[shift] = spare->next;
    return (struct shadow_unit *)spare;
}

static void units_drop(struct shadow_unit *units, ULong shift)
{
    struct spare *spare = (struct spare *)units;
    spare->next = spares[shift];
    spares[shift] = spare;
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
    struct shadow_page *page = take(sizeof *page);
    if (!page)
        return NULL;
    page->loads.shift = page->stores.shift = WIDEST;
    if (has_loads) {
        page->values = take(SHADOW_PAGE_BYTES);
        page->loads.units = units_new(WIDEST);
    }
    if (has_stores)
        page->stores.units = units_new(WIDEST);
    if ((has_loads && (!page->values || !page->loads.units)) || (has_stores && !page->stores.units))
        return NULL;
    remember(page);
    return page;
}

/* ---------------------------------------------------------------------------- pages -- */

static struct shadow_page *far_page_of(Addr a, Bool make)
{
    Addr number = a >> SHADOW_PAGE_BITS;
    struct far_page *far = far_pages[number % FAR_SLOTS];
    while (far && far->number != number)
        far = far->next;
    if (far || !make)
        return far ? far->page : NULL;
    struct shadow_page *page = new_page();
    if (!page)
        return NULL;
    far = VG_(malloc)("assay.far", sizeof *far);
    *far = (struct far_page){number, page, far_pages[number % FAR_SLOTS]};
    far_pages[number % FAR_SLOTS] = far;
    return page;
}

struct shadow_page *shadow_page_of(Addr a, Bool make)
{
    if (a >> SHADOW_DIRECT_BITS)
        return far_page_of(a, make);
    struct shadow_page **entry = &shadow_pages[a >> SHADOW_PAGE_BITS];
    if (!*entry && make)
        *entry = new_page();
    return *entry;
}

/* ---------------------------------------------------------------------------- units -- */

/* Units of 2^shift bytes instead of the wider ones. Without memory everything stays, and bytes share a context. */
static void refine(struct shadow_side *side, ULong shift)
{
    struct shadow_unit *units = units_new(shift);
    if (!units)
        return;
    for (UInt i = 0; i < (UInt)SHADOW_PAGE_BYTES >> shift; i++)
        units[i] = side->units[i >> (side->shift - shift)];
    units_drop(side->units, side->shift);
    side->units = units;
    side->shift = shift;
}

/* Whether bytes of the unit outside [from, end) have a predecessor in another context. */
static Bool is_shared(const struct shadow_side *side, UInt unit, UInt from, UInt end, UInt context)
{
    UInt first = unit << side->shift, last = first + (1u << side->shift);
    UInt low = from > first ? from : first, high = end < last ? end : last;
    UChar own = shadow_mask(first, last - first), covered = shadow_mask(low, high - low);
    return side->units[unit].context != context && (side->valid[first >> 3] & own & ~covered) != 0;
}

static void set_valid(UChar *valid, UInt from, UInt bytes)
{
    for (UInt end = from + bytes; from < end;) {
        UInt part = end - from < 8 - (from & 7) ? end - from : 8 - (from & 7);
        valid[from >> 3] |= shadow_mask(from, part);
        from += part;
    }
}

void shadow_set(struct shadow_side *side, UInt from, UInt bytes, UInt context, UInt now)
{
    UInt end = from + bytes;
    if (is_shared(side, from >> side->shift, from, end, context) ||
        is_shared(side, (end - 1) >> side->shift, from, end, context))
        refine(side, (ULong)__builtin_ctz(from | end | 8));
    for (UInt unit = from >> side->shift; unit <= (end - 1) >> side->shift; unit++)
        side->units[unit] = (struct shadow_unit){context, now};
    set_valid(side->valid, from, bytes);
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

void shadow_clear(Addr a, SizeT length)
{
    for (Addr end = a + length; a < end;) {
        struct shadow_page *page = shadow_page_of(a, False);
        Addr page_end = (a | (SHADOW_PAGE_BYTES - 1)) + 1, stop = end < page_end ? end : page_end;
        UInt from = (UInt)a & (SHADOW_PAGE_BYTES - 1);
        if (page && has_stores)
            clear_bits(page->stores.valid, from, (UInt)(stop - a));
        if (page && has_loads)
            clear_bits(page->loads.valid, from, (UInt)(stop - a));
        a = stop;
    }
}

void shadow_move(Addr from, Addr to, SizeT length)
{
    shadow_clear(to, length);
    if ((from | (from + length) | to | (to + length)) >> SHADOW_DIRECT_BITS) {
        shadow_clear(from, length);
        return;
    }
    for (Addr done = 0; done < length; done += SHADOW_PAGE_BYTES) {
        struct shadow_page **old = &shadow_pages[(from + done) >> SHADOW_PAGE_BITS];
        struct shadow_page **new = &shadow_pages[(to + done) >> SHADOW_PAGE_BITS], *page = *old;
        *old = *new;
        *new = page;
    }
}

void shadow_read(Addr a, SizeT length)
{
    for (Addr end = a + length; a < end && has_stores;) {
        struct shadow_page *page = shadow_page_of(a, False);
        Addr page_end = (a | (SHADOW_PAGE_BYTES - 1)) + 1, stop = end < page_end ? end : page_end;
        if (page)
            clear_bits(page->unread, (UInt)a & (SHADOW_PAGE_BYTES - 1), (UInt)(stop - a));
        a = stop;
    }
}

void shadow_clear_all(void)
{
    for (SizeT i = 0; i < all_count; i++) {
        VG_(memset)(all_pages[i]->loads.valid, 0, BITS_BYTES);
        VG_(memset)(all_pages[i]->stores.valid, 0, BITS_BYTES);
    }
}
