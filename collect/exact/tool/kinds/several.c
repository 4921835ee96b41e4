#include "collect/exact/tool/kinds/several.h"

#include "collect/exact/tool/kinds/access.h"
#include "collect/exact/tool/state/pairs.h"
#include "collect/exact/tool/state/shadow_memory.h"
#include "collect/exact/tool/state/tolerance.h"

/* ---------------------------------------------------------------------------- parts -- */

/* The bytes of an access that are in one granule: `bytes` from byte `offset` on; `done` came before. */
struct part {
    UInt granule, offset, bytes, done;
};

ALWAYS_INLINE struct part several_part_at(UInt granule, UInt offset, UInt done, UInt size)
{
    UInt available = 8 - offset, left = size - done;
    return (struct part){granule, offset, left < available ? left : available, done};
}

ALWAYS_INLINE struct part several_first_part(Addr a, UInt size)
{
    return several_part_at(shadow_granule_of(a), (UInt)a & 7, 0, size);
}

ALWAYS_INLINE struct part several_next_part(struct part part, UInt size)
{
    return several_part_at(part.granule + 1, 0, part.done + part.bytes, size);
}

/* Each part of an access, as `part`. */
#define FOR_PARTS(a, size)                                                                                             \
    for (struct part part = several_first_part(a, size); part.done < (size); part = several_next_part(part, size))

/* The page that contains the whole access; NULL: there is none, it is far away, or the access is large. */
ALWAYS_INLINE const struct shadow_page *several_page(Addr a, UInt size)
{
    if (UNLIKELY(a >> SHADOW_DIRECT_BITS) || UNLIKELY(size > PAIRS_ALONE_BYTES) ||
        UNLIKELY((a & (SHADOW_PAGE_BYTES - 1)) + size > SHADOW_PAGE_BYTES))
        return NULL;
    return &shadow_pages[a >> SHADOW_PAGE_BITS];
}

ALWAYS_INLINE ULong several_byte_mask(UInt bytes)
{
    return ~0ULL >> (64 - 8 * bytes);
}

/* A wide value is where the program has it, which may be anywhere. */
ALWAYS_INLINE ULong several_value_word(const ULong *value, UInt i)
{
    ULong word;
    __builtin_memcpy(&word, (const UChar *)value + i * sizeof word, sizeof word);
    return word;
}

/* The part's bytes of a value, from bit 0 on; several_insert() adds them to a value in which they are 0. */
ALWAYS_INLINE ULong several_extract(const ULong *value, struct part part)
{
    UInt word = part.done / 8, shift = part.done % 8 * 8;
    ULong bits = several_value_word(value, word) >> shift;
    if (part.done % 8 + part.bytes > 8)
        bits |= several_value_word(value, word + 1) << (64 - shift);
    return bits & several_byte_mask(part.bytes);
}

ALWAYS_INLINE void several_insert(ULong *value, struct part part, ULong bits)
{
    UInt word = part.done / 8, shift = part.done % 8 * 8;
    value[word] |= bits << shift;
    if (part.done % 8 + part.bytes > 8)
        value[word + 1] |= bits >> (64 - shift);
}

/* ---------------------------------------------------------------------------- what was there -- */

/* The accesses that an access follows: consecutive bytes with the same one are a run. */
struct runs {
    UInt count;
    Bool all; /* each byte follows one */
    struct pair_run run[PAIRS_RUNS_MOST];
};

/* False: there are too many. */
ALWAYS_INLINE Bool several_add_run(struct runs *runs, UInt first, UInt bytes)
{
    if (runs->count && runs->run[runs->count - 1].first == first) {
        runs->run[runs->count - 1].bytes += bytes;
        return True;
    }
    if (UNLIKELY(runs->count == PAIRS_RUNS_MOST))
        return False;
    runs->run[runs->count++] = (struct pair_run){first, bytes};
    return True;
}

/* The slow case: some of the bytes have no last access. */
static Bool several_add_bytes(struct runs *runs, shadow_word last, struct part part)
{
    runs->all = False;
    for (UInt byte = part.offset; byte < part.offset + part.bytes; byte++) {
        Bool known = shadow_bytes_of(last) >> byte & 1;
        if (!several_add_run(runs, known ? shadow_context_of(shadow_last(last, byte)) : 0, 1))
            return False;
    }
    return True;
}

ALWAYS_INLINE Bool several_add_part(struct runs *runs, shadow_word last, struct part part)
{
    UInt mask = shadow_mask(part.offset, part.bytes);
    if (UNLIKELY((shadow_bytes_of(last) & mask) != mask))
        return several_add_bytes(runs, last, part);
    if (!shadow_is_split(last))
        return several_add_run(runs, shadow_context_of(last), part.bytes);
    struct shadow_units units = shadow_units_of(last);
    const shadow_word *unit = shadow_unit(units, part.offset);
    const shadow_word *end = shadow_unit(units, part.offset + part.bytes - 1);
    UInt width = 1u << units.shift, first = shadow_context_of(*unit), from = part.offset;
    UInt stop = (part.offset & ~(width - 1)) + width;
    for (; unit < end; stop += width) {
        UInt next = shadow_context_of(*++unit);
        if (LIKELY(next == first))
            continue;
        if (!several_add_run(runs, first, stop - from))
            return False;
        first = next;
        from = stop;
    }
    return several_add_run(runs, first, part.offset + part.bytes - from);
}

/*
 * A run of all bytes is counted as a whole access, shorter ones as pieces. False, with nothing counted: one of the
 * pairs is not there.
 */
ALWAYS_INLINE Bool several_count(const struct runs *runs, UInt store, UInt size, ULong where, Bool silent, Bool dead)
{
    if (runs->count == 1 && runs->all)
        return pairs_count(runs->run[0].first, access_handle(where), silent, dead);
    if (!pairs_count_runs(runs->run, runs->count, access_handle(where), silent && runs->all, dead && runs->all))
        return False;
    pairs_count_alone(store, size, access_lane(where));
    return True;
}

/* ---------------------------------------------------------------------------- accesses -- */

ALWAYS_INLINE void several_set_last(shadow_word *last, Addr a, struct part part, ULong where)
{
    shadow_set(last, shadow_bytes_at(*last, a + part.done, part.bytes), access_handle(where), context_time);
}

static void several_set_loaded(const struct shadow_page *page, Addr a, UInt size, ULong where, const ULong *value)
{
    FOR_PARTS(a, size)
    {
        struct shadow_load *granule = &page->loads->granules[part.granule];
        UInt shift = part.offset * 8;
        granule->value = (granule->value & ~(several_byte_mask(part.bytes) << shift)) | several_extract(value, part)
                                                                                            << shift;
        several_set_last(&granule->last, a, part, where);
        if (page->stores)
            page->stores->unread[part.granule] &= (UChar)~shadow_mask(part.offset, part.bytes);
    }
}

Bool several_load(Addr a, UInt size, ULong where, const ULong *value)
{
    const struct shadow_page *page = several_page(a, size);
    struct shadow_loads *loads = shadow_loads_of(page);
    if (UNLIKELY(!loads))
        return False;
    ULong difference = 0, old[PAIRS_ALONE_BYTES / 8];
    struct runs runs;
    runs.count = 0;
    runs.all = True;
    for (UInt i = 0; access_lane(where) && i < (size + 7) / 8; i++)
        old[i] = 0;
    FOR_PARTS(a, size)
    {
        const struct shadow_load *granule = &loads->granules[part.granule];
        if (!several_add_part(&runs, granule->last, part))
            return False;
        ULong before = granule->value >> part.offset * 8 & several_byte_mask(part.bytes);
        difference |= before ^ several_extract(value, part);
        if (access_lane(where))
            several_insert(old, part, before);
    }
    Bool silent = difference == 0 || (access_lane(where) && tolerance_is_near((const UChar *)old, (const UChar *)value,
                                                                              size, access_lane(where)));
    if (!several_count(&runs, 0, size, where, silent, False))
        return False;
    several_set_loaded(page, a, size, where, value);
    return True;
}

Bool several_read(Addr a, UInt size)
{
    struct shadow_stores *stores = shadow_stores_of(several_page(a, size));
    if (UNLIKELY(!stores))
        return False;
    FOR_PARTS(a, size)
    stores->unread[part.granule] &= (UChar)~shadow_mask(part.offset, part.bytes);
    return True;
}

Bool several_store(Addr a, UInt size, ULong where, Bool silent)
{
    struct shadow_stores *stores = shadow_stores_of(several_page(a, size));
    if (UNLIKELY(!stores))
        return False;
    struct runs runs;
    runs.count = 0;
    runs.all = True;
    Bool dead = True;
    FOR_PARTS(a, size)
    {
        UInt mask = shadow_mask(part.offset, part.bytes);
        if (!several_add_part(&runs, stores->last[part.granule], part))
            return False;
        dead &= (stores->unread[part.granule] & mask) == mask;
    }
    if (!several_count(&runs, 1, size, where, silent, dead))
        return False;
    FOR_PARTS(a, size)
    {
        several_set_last(&stores->last[part.granule], a, part, where);
        stores->unread[part.granule] |= (UChar)shadow_mask(part.offset, part.bytes);
    }
    return True;
}
