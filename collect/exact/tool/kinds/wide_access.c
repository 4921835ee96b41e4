#include "collect/exact/tool/kinds/access.h"

#include <valgrind/pub_tool_libcbase.h>

#include "collect/exact/tool/kinds/burst.h"
#include "collect/exact/tool/kinds/several.h"
#include "collect/exact/tool/kinds/slow.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/pairs.h"
#include "collect/exact/tool/state/shadow_memory.h"
#include "collect/exact/tool/state/tolerance.h"

static ULong old_contents[SLOW_BYTES_MAX / 8]; /* the old contents before a wide store */

/* The page of an access of a few whole granules; NULL: another access, or far away. */
ALWAYS_INLINE const struct shadow_page *wide_page(Addr a, UInt size)
{
    if (UNLIKELY((a | size) & 7) || UNLIKELY(a >> SHADOW_DIRECT_BITS) || UNLIKELY(size > PAIRS_ALONE_BYTES) ||
        UNLIKELY((a & (SHADOW_PAGE_BYTES - 1)) + size > SHADOW_PAGE_BYTES))
        return NULL;
    return &shadow_pages[a >> SHADOW_PAGE_BITS];
}

/* `new` may be the program's memory, at any place. */
ALWAYS_INLINE Bool wide_is_same(const ULong *old, const ULong *new, UInt size, UInt lane)
{
    ULong difference = 0, word;
    for (UInt i = 0; i < size / 8; i++) {
        __builtin_memcpy(&word, (const UChar *)new + i * sizeof word, sizeof word);
        difference |= old[i] ^ word;
    }
    return difference == 0 || (lane && tolerance_is_near((const UChar *)old, (const UChar *)new, size, lane));
}

ALWAYS_INLINE void wide_set_loaded(struct shadow_loads *loads, Addr a, UInt size, ULong where, const ULong *value)
{
    struct shadow_load *granule = &loads->granules[shadow_granule_of(a)];
    struct shadow_stores *stores = shadow_pages[a >> SHADOW_PAGE_BITS].stores;
    for (UInt i = 0; i < size / 8; i++)
        granule[i] = (struct shadow_load){value[i], shadow_word_of(access_handle(where), context_time, 0xff)};
    for (UInt i = 0; i < size / 8 && stores; i++)
        stores->unread[shadow_granule_of(a) + i] = 0;
}

ALWAYS_INLINE void wide_set_stored(struct shadow_stores *stores, Addr a, UInt size, ULong where)
{
    UInt granule = shadow_granule_of(a);
    for (UInt i = granule; i < granule + size / 8; i++) {
        stores->last[i] = shadow_word_of(access_handle(where), context_time, 0xff);
        stores->unread[i] = 0xff;
    }
}

/* The usual case: the last loads of all its bytes are by one context. */
ALWAYS_INLINE Bool wide_load_uniform(Addr a, UInt size, ULong where, const ULong *value)
{
    struct shadow_loads *loads = shadow_loads_of(wide_page(a, size));
    if (UNLIKELY(!loads))
        return False;
    const struct shadow_load *granule = &loads->granules[shadow_granule_of(a)];
    UInt first = shadow_context_of(granule->last), others = 0, all = 0xff;
    ULong old[PAIRS_ALONE_BYTES / 8];
    for (UInt i = 0; i < size / 8; i++) {
        others |= shadow_context_of(granule[i].last) ^ first;
        all &= shadow_bytes_of(granule[i].last);
        old[i] = granule[i].value;
    }
    if (UNLIKELY(others) || UNLIKELY(first >= SHADOW_SPLIT) || UNLIKELY(all != 0xff) ||
        UNLIKELY(!pairs_count(first, access_handle(where), wide_is_same(old, value, size, access_lane(where)), False)))
        return False;
    wide_set_loaded(loads, a, size, where, value);
    return True;
}

/* The usual case: the last stores of all its bytes are by one context. */
ALWAYS_INLINE Bool wide_store_uniform(Addr a, UInt size, ULong where, const ULong *old, const ULong *new)
{
    struct shadow_stores *stores = shadow_stores_of(wide_page(a, size));
    if (UNLIKELY(!stores))
        return False;
    UInt granule = shadow_granule_of(a), first = shadow_context_of(stores->last[granule]);
    UInt others = 0, all = 0xff, unread = 0xff;
    for (UInt i = granule; i < granule + size / 8; i++) {
        others |= shadow_context_of(stores->last[i]) ^ first;
        all &= shadow_bytes_of(stores->last[i]);
        unread &= stores->unread[i];
    }
    if (UNLIKELY(others) || UNLIKELY(first >= SHADOW_SPLIT) || UNLIKELY(all != 0xff))
        return False;
    Bool silent = config_get()->silent_stores && wide_is_same(old, new, size, access_lane(where));
    if (UNLIKELY(!pairs_count(first, access_handle(where), silent, unread == 0xff)))
        return False;
    wide_set_stored(stores, a, size, where);
    return True;
}

NEVER_INLINE void wide_load_other(Addr a, ULong where, const ULong *value)
{
    UInt size = access_size(where);
    if (size % 8 || !several_load(a, size, where, value))
        slow_load(a, size, access_lane(where), access_handle(where), (const UChar *)value);
}

ALWAYS_INLINE void wide_load_sized(Addr a, UInt size, ULong where, const ULong *value)
{
    if (UNLIKELY(burst_wants()) && !burst_load(a, size, where, value))
        return;
    if (UNLIKELY(!wide_load_uniform(a, size, where, value)))
        wide_load_other(a, where, value);
}

/* Whether a store of any size leaves its bytes as they were. */
NEVER_INLINE Bool wide_is_silent(Addr a, UInt size, ULong where, const ULong *old)
{
    const UChar *before = (const UChar *)old, *now = (const UChar *)a;
    if (!config_get()->silent_stores)
        return False;
    return access_lane(where) ? tolerance_is_near(before, now, size, access_lane(where))
                              : VG_(memcmp)(before, now, size) == 0;
}

/* `old` are the old contents. */
NEVER_INLINE void wide_store_other(Addr a, ULong where, const ULong *old)
{
    UInt size = access_size(where), words = (size + 7) / 8;
    ULong change[2 * SLOW_BYTES_MAX / 8];
    if (size % 8 == 0 &&
        several_store(a, size, where,
                      config_get()->silent_stores && wide_is_same(old, (const ULong *)a, size, access_lane(where))))
        return;
    VG_(memcpy)(change, old, size);
    VG_(memcpy)(change + words, (const UChar *)a, size);
    for (UInt i = 0; i < words && !access_lane(where); i++)
        change[i] ^= change[words + i];
    slow_store(a, size, access_lane(where), access_handle(where), config_get()->silent_stores ? change : NULL);
}

ALWAYS_INLINE void wide_store_sized(Addr a, UInt size, ULong where, const ULong *old)
{
    if (UNLIKELY(burst_wants()) && !burst_store(a, size, where, wide_is_silent(a, size, where, old)))
        return;
    if (UNLIKELY(!wide_store_uniform(a, size, where, old, (const ULong *)a)))
        wide_store_other(a, where, old);
}

void wide_load_halves(Addr a, ULong low, ULong high, ULong where)
{
    const ULong value[2] = {low, high};
    wide_load_sized(a, 16, where, value);
}

void wide_store_halves(Addr a, ULong low, ULong high, ULong where)
{
    const ULong old[2] = {low, high};
    wide_store_sized(a, 16, where, old);
}

void wide_load(Addr a, ULong where)
{
    const ULong *value = (const ULong *)a;
    UInt size = access_size(where);
    if (LIKELY(size == 32))
        wide_load_sized(a, 32, where, value);
    else if (size == 16)
        wide_load_sized(a, 16, where, value);
    else if (!burst_wants() || burst_load(a, size, where, value))
        wide_load_other(a, where, value);
}

void wide_read(Addr a, ULong where)
{
    if (UNLIKELY(!several_read(a, access_size(where))))
        shadow_read(a, access_size(where));
}

void wide_keep(Addr a, ULong where)
{
    UInt size = access_size(where);
    for (UInt i = 0; i < size / 8; i++)
        __builtin_memcpy(&old_contents[i], (const UChar *)a + i * 8, 8);
    if (size % 8)
        VG_(memcpy)(&old_contents[size / 8], (const UChar *)a + size / 8 * 8, size % 8);
}

void wide_store(Addr a, ULong where)
{
    UInt size = access_size(where);
    if (LIKELY(size == 32))
        wide_store_sized(a, 32, where, old_contents);
    else if (size == 16)
        wide_store_sized(a, 16, where, old_contents);
    else if (!burst_wants() || burst_store(a, size, where, wide_is_silent(a, size, where, old_contents)))
        wide_store_other(a, where, old_contents);
}
