#include "collect/exact/tool/state/shadow_memory.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/exact/tool/state/raw_writer.h"

enum { FAR_SLOTS = 1 << 16, SLAB_BYTES = 1 << 20, SHIFTS = 3 };

/* The three of a granule's first byte. */
#define EVERY_BIT (1u << SHADOW_LOADED | 1u << SHADOW_STORED | 1u << SHADOW_UNREAD)

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
static UChar *slab;
static SizeT slab_left;
static struct spare *spares[SHIFTS];
static struct shadow_page **all_pages;
static SizeT all_count, all_capacity;

void shadow_init(void)
{
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

static shadow_word *units_new(UInt shift)
{
    struct spare *spare = spares[shift];
    if (!spare)
        return take((SHADOW_PART_BYTES >> shift) * sizeof(shadow_word));
    spares[shift] = spare->next;
    return (shadow_word *)spare;
}

static void units_drop(shadow_word *last, UInt shift)
{
    struct spare *spare = (struct spare *)last;
    spare->next = spares[shift];
    spares[shift] = spare;
}

/* ---------------------------------------------------------------------------- pages -- */

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
    if (page)
        remember(page);
    return page;
}

static struct shadow_page **far_entry(Addr a, Bool make)
{
    Addr number = a >> SHADOW_PAGE_BITS;
    struct far_page *far = far_pages[number % FAR_SLOTS];
    while (far && far->number != number)
        far = far->next;
    if (!far && make) {
        far = VG_(malloc)("assay.far", sizeof *far);
        *far = (struct far_page){number, NULL, far_pages[number % FAR_SLOTS]};
        far_pages[number % FAR_SLOTS] = far;
    }
    return far ? &far->page : NULL;
}

/* The slot of an address's page; NULL: none. */
static struct shadow_page **entry_of(Addr a, Bool make)
{
    return a >> SHADOW_DIRECT_BITS ? far_entry(a, make) : &shadow_pages[a >> SHADOW_PAGE_BITS];
}

struct shadow_page *shadow_page_of(Addr a, Bool make)
{
    struct shadow_page **entry = entry_of(a, make);
    if (entry && !*entry && make)
        *entry = new_page();
    return entry ? *entry : NULL;
}

/* ---------------------------------------------------------------------------- split granules -- */

/* Makes units of 2^shift bytes; there are none or wider ones so far. False: no memory. */
static Bool refine(struct shadow_units *units, UInt shift)
{
    shadow_word *last = units_new(shift);
    if (!last)
        return False;
    for (UInt i = 0; units->last && i < (UInt)SHADOW_PART_BYTES >> shift; i++)
        last[i] = units->last[i >> (units->shift - shift)];
    if (units->last)
        units_drop(units->last, units->shift);
    *units = (struct shadow_units){last, shift};
    return True;
}

/* Whether the units that hold the bytes also hold other bytes with a different context. */
static Bool is_shared(const struct shadow_units *units, shadow_word last, struct shadow_bytes bytes, UInt context)
{
    UInt width = 1u << units->shift, end = bytes.offset + bytes.size;
    for (UInt byte = bytes.offset & ~(width - 1); byte < end; byte += width)
        if ((bytes.others & shadow_mask(byte, width)) && (UInt)shadow_last(units, last, bytes.granule, byte) != context)
            return True;
    return False;
}

static UInt shift_for(struct shadow_bytes bytes)
{
    return (UInt)__builtin_ctz(bytes.offset | bytes.size);
}

/* Makes the granule's units able to hold that; otherwise, without memory, the bytes will share a context. Whole units
 * always can. */
static Bool is_fine(struct shadow_units *units, shadow_word last, struct shadow_bytes bytes, UInt context)
{
    if (!units->last)
        return refine(units, shift_for(bytes));
    return !((bytes.offset | bytes.size) & ((1u << units->shift) - 1)) || !is_shared(units, last, bytes, context) ||
           refine(units, shift_for(bytes));
}

void shadow_set(struct shadow_units *units, shadow_word *last, struct shadow_bytes bytes, shadow_word now)
{
    UInt context = (UInt)now, end = bytes.offset + bytes.size;
    if (!bytes.others || (UInt)*last == context || !is_fine(units, *last, bytes, context)) {
        *last = now;
        return;
    }
    for (UInt byte = 0; (UInt)*last != SHADOW_SPLIT && byte < 8; byte += 1u << units->shift)
        *shadow_unit(units, bytes.granule, byte) = *last;
    for (UInt byte = bytes.offset; byte < end; byte += 1u << units->shift)
        *shadow_unit(units, bytes.granule, byte) = now;
    *shadow_unit(units, bytes.granule, end - 1) = now;
    *last = SHADOW_SPLIT;
}

/* ---------------------------------------------------------------------------- ranges -- */

/* These bits of the bytes from … end−1 of a page: 0. */
static void clear_bits(struct shadow_page *page, UInt from, UInt end, UInt bits)
{
    UInt first = from >> 3, last = (end - 1) >> 3;
    UInt head = 0xffu << (from & 7) & 0xff, tail = 0xffu >> (7 - ((end - 1) & 7));
    if (first == last) {
        page->granules[first].bits &= ~((head & tail) * bits);
        return;
    }
    page->granules[first].bits &= ~(head * bits);
    for (UInt i = first + 1; i < last; i++)
        page->granules[i].bits &= ~(0xff * bits);
    page->granules[last].bits &= ~(tail * bits);
}

static void clear(Addr a, SizeT length, UInt bits)
{
    for (Addr end = a + length; a < end;) {
        struct shadow_page *page = shadow_page_of(a, False);
        Addr page_end = (a | (SHADOW_PAGE_BYTES - 1)) + 1, stop = end < page_end ? end : page_end;
        UInt from = (UInt)a & (SHADOW_PAGE_BYTES - 1);
        if (page)
            clear_bits(page, from, from + (UInt)(stop - a), bits);
        a = stop;
    }
}

void shadow_clear(Addr a, SizeT length)
{
    clear(a, length, EVERY_BIT);
}

void shadow_read(Addr a, SizeT length)
{
    clear(a, length, 1u << SHADOW_UNREAD);
}

void shadow_move(Addr from, Addr to, SizeT length)
{
    shadow_clear(to, length);
    for (Addr done = 0; done < length; done += SHADOW_PAGE_BYTES) {
        struct shadow_page **old = entry_of(from + done, False), *page = old ? *old : NULL;
        if (!page)
            continue;
        struct shadow_page **new = entry_of(to + done, True);
        *old = *new;
        *new = page;
    }
}

void shadow_clear_all(void)
{
    for (SizeT i = 0; i < all_count; i++)
        clear_bits(all_pages[i], 0, SHADOW_PAGE_BYTES, EVERY_BIT);
}
