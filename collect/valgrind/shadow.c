#include "collect/valgrind/shadow.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/valgrind/report.h"

/* Cells are numbered from 1; memory for so many is reserved, and used as far as it is needed. */
enum { FAR_SLOTS = 1 << 16, SLAB_BYTES = 1 << 20, CELLS_MAX = 1 << 26 };

struct shadow_page **shadow_pages;
UInt shadow_stores_at;

/* A page beyond the direct table. */
struct far_page {
    Addr number;
    struct shadow_page *page;
    struct far_page *next;
};

/* Cells of one kind: each has `units` words; the first word of a free one is the next free one's number. */
struct cells {
    shadow_word *words;
    UInt units, shift; /* bytes of a unit: 1 << shift */
    UInt used, free;
};

static struct far_page *far_pages[FAR_SLOTS];
static SizeT page_bytes;
static UChar *slab;
static SizeT slab_left;
static struct cells halves = {.units = 2, .shift = 2}, bytes = {.units = 8, .shift = 0};
static struct shadow_page **all_pages;
static SizeT all_count, all_capacity;

static void *reserve(SizeT size)
{
    void *memory = VG_(am_shadow_alloc)(size);
    if (!memory)
        VG_(out_of_memory_NORETURN)("assay: shadow memory", size);
    return memory;
}

void shadow_init(Bool loads, Bool stores)
{
    shadow_stores_at = loads ? SHADOW_GRANULES * sizeof(struct shadow_load) / sizeof(ULong) : 0;
    page_bytes = sizeof(struct shadow_page) + shadow_stores_at * sizeof(ULong) +
                 (stores ? SHADOW_GRANULES * sizeof(shadow_word) : 0);
    shadow_pages = reserve(((SizeT)1 << (SHADOW_DIRECT_BITS - SHADOW_PAGE_BITS)) * sizeof *shadow_pages);
    halves.words = reserve((SizeT)CELLS_MAX * halves.units * sizeof(shadow_word));
    bytes.words = reserve((SizeT)CELLS_MAX * bytes.units * sizeof(shadow_word));
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
    if (slab_left < page_bytes) {
        slab = VG_(am_shadow_alloc)(SLAB_BYTES);
        slab_left = slab ? SLAB_BYTES : 0;
    }
    if (!slab) {
        report_lost(RAW_LOST_MEMORY, 1);
        return NULL;
    }
    struct shadow_page *page = (struct shadow_page *)slab;
    slab += page_bytes;
    slab_left -= page_bytes;
    remember(page);
    return page;
}

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

/* ---------------------------------------------------------------------------- split granules -- */

static struct cells *cells_of(shadow_word split)
{
    return (UInt)split & SHADOW_BYTES ? &bytes : &halves;
}

static shadow_word *cell_of(const struct cells *cells, shadow_word split)
{
    return cells->words + (SizeT)((UInt)split & ~(SHADOW_SPLIT | SHADOW_BYTES)) * cells->units;
}

/* A new cell's number with its flags; 0: there is no room. */
static UInt cell_new(struct cells *cells)
{
    UInt number = cells->free;
    if (number)
        cells->free = (UInt)cells->words[(SizeT)number * cells->units];
    else if (cells->used + 1 < CELLS_MAX)
        number = ++cells->used;
    else
        report_lost(RAW_LOST_MEMORY, 1);
    return number ? number | SHADOW_SPLIT | (cells == &bytes ? SHADOW_BYTES : 0) : 0;
}

static void cell_drop(shadow_word split)
{
    struct cells *cells = cells_of(split);
    *cell_of(cells, split) = cells->free;
    cells->free = (UInt)split & ~(SHADOW_SPLIT | SHADOW_BYTES);
}

shadow_word shadow_of_byte(shadow_word split, UInt offset)
{
    const struct cells *cells = cells_of(split);
    return cell_of(cells, split)[offset >> cells->shift];
}

shadow_word shadow_of_bytes(shadow_word split, UInt offset, UInt size)
{
    const struct cells *cells = cells_of(split);
    const shadow_word *cell = cell_of(cells, split);
    UInt unit = offset >> cells->shift, last = (offset + size - 1) >> cells->shift;
    shadow_word word = cell[unit];
    while (++unit <= last)
        if ((UInt)cell[unit] != (UInt)word)
            return 0;
    return word;
}

/* Splits it, or splits it further. Without room everything stays, and the bytes share a context. */
static void split(shadow_word *last, struct cells *cells)
{
    shadow_word old = *last;
    UInt number = cell_new(cells);
    if (!number)
        return;
    shadow_word *cell = cell_of(cells, number);
    for (UInt i = 0; i < cells->units; i++)
        cell[i] = (UInt)old & SHADOW_SPLIT ? shadow_of_byte(old, i << cells->shift) : old;
    if ((UInt)old & SHADOW_SPLIT)
        cell_drop(old);
    *last = number;
}

/* Whether the bytes are whole units, or the units have no other bytes with another context. */
static Bool fits(const struct cells *cells, const shadow_word *cell, UInt others, UInt offset, UInt size, UInt context)
{
    UInt width = 1u << cells->shift, end = offset + size;
    for (UInt unit = offset >> cells->shift; unit <= (end - 1) >> cells->shift; unit++)
        if ((others & shadow_mask(unit * width, width)) && (UInt)cell[unit] != context)
            return False;
    return True;
}

void shadow_set(shadow_word *last, UInt others, UInt offset, UInt size, shadow_word now)
{
    Bool is_split = ((UInt)*last & SHADOW_SPLIT) != 0;
    if (!others || (!is_split && (UInt)*last == (UInt)now)) {
        if (is_split)
            cell_drop(*last);
        *last = now;
        return;
    }
    if (!is_split)
        split(last, ((offset | size) & 3) == 0 ? &halves : &bytes);
    struct cells *cells = cells_of(*last);
    if (cells == &halves && !fits(cells, cell_of(cells, *last), others, offset, size, (UInt)now))
        split(last, cells = &bytes);
    if (!((UInt)*last & SHADOW_SPLIT)) {
        *last = now;
        return;
    }
    cells = cells_of(*last);
    for (UInt unit = offset >> cells->shift; unit <= (offset + size - 1) >> cells->shift; unit++)
        cell_of(cells, *last)[unit] = now;
}

/* ---------------------------------------------------------------------------- ranges -- */

/* These bits of the bytes from … end−1 of a page: 0. */
static void clear_bits(struct shadow_page *page, UInt from, UInt end, UInt bits)
{
    UInt first = from >> 3, last = (end - 1) >> 3;
    UInt head = (0xffu << (from & 7) & 0xff) * bits, tail = (0xffu >> (7 - ((end - 1) & 7))) * bits;
    if (first == last) {
        page->bits[first] &= ~(((0xffu << (from & 7)) & (0xffu >> (7 - ((end - 1) & 7)))) * bits);
        return;
    }
    page->bits[first] &= ~head;
    for (UInt i = first + 1; i < last; i++)
        page->bits[i] &= ~(0xff * bits);
    page->bits[last] &= ~tail;
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
    clear(a, length, 1u << SHADOW_LOADED | 1u << SHADOW_STORED | 1u << SHADOW_UNREAD);
}

void shadow_read(Addr a, SizeT length)
{
    clear(a, length, 1u << SHADOW_UNREAD);
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

void shadow_clear_all(void)
{
    for (SizeT i = 0; i < all_count; i++)
        VG_(memset)(all_pages[i]->bits, 0, sizeof all_pages[i]->bits);
}
