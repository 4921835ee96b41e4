#include "collect/exact/tool/kinds/access.h"

#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>

#include "collect/exact/tool/kinds/burst.h"
#include "collect/exact/tool/kinds/several.h"
#include "collect/exact/tool/kinds/slow.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/pairs.h"
#include "collect/exact/tool/state/shadow_memory.h"
#include "collect/exact/tool/state/tolerance.h"

/*
 * Nearly all accesses are within one granule, all of whose bytes follow the access that this one mostly follows. Other
 * cases have separate functions, so that few registers must be saved here; several.h and slow.h handle the more
 * complicated ones.
 */

_Static_assert((UInt)CONTEXT_HANDLES_MAX == SHADOW_SPLIT, "no context is that of a split granule");

/* ---------------------------------------------------------------------------- one granule -- */

/* The page of an access within one granule; NULL: not within one, or far away. */
ALWAYS_INLINE const struct shadow_page *access_page(Addr a, UInt size)
{
    const Addr far = ~(Addr)0 << SHADOW_DIRECT_BITS;
    if (size == 8 ? UNLIKELY(a & (far | 7)) : UNLIKELY((a & 7) > 8 - size) || UNLIKELY(a & far))
        return NULL;
    return &shadow_pages[a >> SHADOW_PAGE_BITS];
}

/* Bits of the access's bytes in its granule. */
ALWAYS_INLINE UInt access_mask(Addr a, UInt size)
{
    return size == 8 ? 0xff : shadow_mask((UInt)a & 7, size);
}

ALWAYS_INLINE UInt access_value_shift(Addr a, UInt size)
{
    return size == 8 ? 0 : (UInt)(a & 7) * 8;
}

ALWAYS_INLINE ULong access_value_mask(UInt size)
{
    return ~0ULL >> (64 - 8 * size);
}

NEVER_INLINE Bool access_is_near(ULong old, ULong new, UInt size, UInt lane)
{
    return tolerance_is_near((const UChar *)&old, (const UChar *)&new, size, lane);
}

/* ---------------------------------------------------------------------------- loads -- */

/* A load makes the bytes of earlier stores read; the page has memory for those. */
ALWAYS_INLINE void access_mark_read(const struct shadow_page *page, Addr a, UInt size)
{
    page->stores->unread[shadow_granule_of(a)] &= (UChar)~access_mask(a, size);
}

/* Handles an access within one granule; False: there is more to do. */
ALWAYS_INLINE Bool access_load_in_granule(Addr a, ULong value, ULong where, UInt size)
{
    struct shadow_loads *loads = shadow_loads_of(access_page(a, size));
    if (UNLIKELY(!loads))
        return False;
    struct shadow_load *granule = &loads->granules[shadow_granule_of(a)];
    UInt mask = access_mask(a, size), shift = access_value_shift(a, size),
         loaded = shadow_bytes_of(granule->last) & mask;
    UInt handle = access_handle(where), lane = access_lane(where);
    ULong difference = (granule->value >> shift ^ value) & access_value_mask(size);
    if (loaded == mask) {
        Bool silent = difference == 0;
        if (UNLIKELY(lane) && !silent)
            silent = access_is_near(granule->value >> shift, value, size, lane);
        if (!pairs_count(shadow_context(granule->last, a, size), handle, silent, False))
            return False;
    } else if (!loaded) {
        pairs_count_alone(0, size, lane);
    } else {
        return False;
    }
    granule->value ^= difference << shift;
    shadow_set(&granule->last, shadow_bytes_at(granule->last, a, size), handle, context_time);
    return True;
}

/* In a split granule whose units are as wide as the access. */
ALWAYS_INLINE Bool access_load_unit(struct shadow_loads *loads, Addr a, ULong value, ULong where, UInt size)
{
    struct shadow_load *granule = &loads->granules[shadow_granule_of(a)];
    shadow_word *unit = shadow_unit_at(granule->last, a, size);
    UInt mask = access_mask(a, size), shift = access_value_shift(a, size);
    if (UNLIKELY(!unit) || UNLIKELY((shadow_bytes_of(granule->last) & mask) != mask))
        return False;
    ULong difference = (granule->value >> shift ^ value) & access_value_mask(size);
    if (UNLIKELY(!pairs_count(shadow_context_of(*unit), access_handle(where), difference == 0, False)))
        return False;
    granule->value ^= difference << shift;
    *unit = shadow_word_of(access_handle(where), context_time, 0);
    return True;
}

/* The usual case. */
ALWAYS_INLINE Bool access_load_fast(struct shadow_loads *loads, Addr a, ULong value, ULong where, UInt size,
                                    Bool approximate)
{
    struct pair_usual *usual = &pairs_usual[access_handle(where)];
    struct shadow_load *granule = &loads->granules[shadow_granule_of(a)];
    UInt bytes = shadow_bytes_of(granule->last), first = shadow_context_of(granule->last);
    UInt mask = access_mask(a, size), shift = access_value_shift(a, size), loaded = bytes & mask;
    ULong difference = (granule->value >> shift ^ value) & access_value_mask(size);
    if (UNLIKELY(size < 8 && first != access_handle(where) && (bytes & ~mask)))
        return False;
    if (LIKELY(loaded == mask) && LIKELY(first == usual->first)) {
        usual->events++;
        usual->silent += difference == 0 ||
                         (approximate && access_is_near(granule->value >> shift, value, size, access_lane(where)));
    } else if (!loaded && !shadow_is_split(granule->last)) {
        pairs_count_alone(0, size, approximate ? access_lane(where) : 0);
    } else {
        return False;
    }
    granule->value = size == 8 ? value : granule->value ^ difference << shift;
    granule->last = shadow_word_of(access_handle(where), context_time, bytes | mask);
    return True;
}

ALWAYS_INLINE void access_read_only(Addr a, UInt size)
{
    struct shadow_stores *stores = shadow_stores_of(access_page(a, size));
    if (LIKELY(stores != NULL))
        stores->unread[shadow_granule_of(a)] &= (UChar)~access_mask(a, size);
    else if (!several_read(a, size))
        shadow_read(a, size);
}

/* ---------------------------------------------------------------------------- stores -- */

/* Handles an access within one granule; False: there is more to do. */
ALWAYS_INLINE Bool access_store_in_granule(Addr a, Bool silent, ULong where, UInt size)
{
    struct shadow_stores *stores = shadow_stores_of(access_page(a, size));
    if (UNLIKELY(!stores))
        return False;
    UInt granule = shadow_granule_of(a), mask = access_mask(a, size);
    UInt stored = shadow_bytes_of(stores->last[granule]) & mask;
    if (stored == mask) {
        Bool dead = (stores->unread[granule] & mask) == mask;
        if (!pairs_count(shadow_context(stores->last[granule], a, size), access_handle(where), silent, dead))
            return False;
    } else if (!stored) {
        pairs_count_alone(1, size, access_lane(where));
    } else {
        return False;
    }
    shadow_word *last = &stores->last[granule];
    shadow_set(last, shadow_bytes_at(*last, a, size), access_handle(where), context_time);
    stores->unread[granule] |= (UChar)mask;
    return True;
}

/* In a split granule whose units are as wide as the access. */
ALWAYS_INLINE Bool access_store_unit(struct shadow_stores *stores, Addr a, Bool silent, ULong where, UInt size)
{
    UInt granule = shadow_granule_of(a), mask = access_mask(a, size);
    shadow_word *unit = shadow_unit_at(stores->last[granule], a, size);
    if (UNLIKELY(!unit) || UNLIKELY((shadow_bytes_of(stores->last[granule]) & mask) != mask))
        return False;
    Bool dead = (stores->unread[granule] & mask) == mask;
    if (UNLIKELY(!pairs_count(shadow_context_of(*unit), access_handle(where), silent, dead)))
        return False;
    *unit = shadow_word_of(access_handle(where), context_time, 0);
    stores->unread[granule] |= (UChar)mask;
    return True;
}

/* The usual case. */
ALWAYS_INLINE Bool access_store_fast(struct shadow_stores *stores, Addr a, Bool silent, ULong where, UInt size)
{
    struct pair_usual *usual = &pairs_usual[access_handle(where)];
    UInt granule = shadow_granule_of(a), mask = access_mask(a, size);
    shadow_word last = stores->last[granule];
    UInt bytes = shadow_bytes_of(last), first = shadow_context_of(last), stored = bytes & mask;
    if (UNLIKELY(size < 8 && first != access_handle(where) && (bytes & ~mask)))
        return False;
    if (LIKELY(stored == mask) && LIKELY(first == usual->first)) {
        usual->events++;
        usual->silent += silent;
        usual->dead += (stores->unread[granule] & mask) == mask;
    } else if (!stored && !shadow_is_split(last)) {
        pairs_count_alone(1, size, access_lane(where));
    } else {
        return False;
    }
    stores->last[granule] = shadow_word_of(access_handle(where), context_time, bytes | mask);
    stores->unread[granule] |= (UChar)mask;
    return True;
}

/* ---------------------------------------------------------------------------- helpers -- */

NEVER_INLINE void access_load_several(Addr a, ULong value, ULong where, UInt size)
{
    if (UNLIKELY(!several_load(a, size, where, &value)))
        slow_load(a, size, access_lane(where), access_handle(where), (const UChar *)&value);
}

NEVER_INLINE void access_store_several(Addr a, Bool silent, ULong where, UInt size, const ULong *change)
{
    if (UNLIKELY(!several_store(a, size, where, silent)))
        slow_store(a, size, access_lane(where), access_handle(where), change);
}

#define LOAD(name, size, reads)                                                                                        \
    NEVER_INLINE void name##_other_##size(Addr a, ULong value, ULong where)                                            \
    {                                                                                                                  \
        if (UNLIKELY(!access_load_in_granule(a, value, where, size)))                                                  \
            access_load_several(a, value, where, size);                                                                \
        else if (reads)                                                                                                \
            access_mark_read(access_page(a, size), a, size);                                                           \
    }                                                                                                                  \
    NEVER_INLINE void name##_unit_##size(Addr a, ULong value, ULong where)                                             \
    {                                                                                                                  \
        const struct shadow_page *page = &shadow_pages[a >> SHADOW_PAGE_BITS];                                         \
        if (UNLIKELY(!access_load_unit(page->loads, a, value, where, size)))                                           \
            name##_other_##size(a, value, where);                                                                      \
        else if (reads)                                                                                                \
            access_mark_read(page, a, size);                                                                           \
    }                                                                                                                  \
    static void name##_##size(Addr a, ULong value, ULong where)                                                        \
    {                                                                                                                  \
        const struct shadow_page *page = access_page(a, size);                                                         \
        if (UNLIKELY(!page) || UNLIKELY(!page->loads))                                                                 \
            name##_other_##size(a, value, where);                                                                      \
        else if (size < 8 && shadow_is_split(page->loads->granules[shadow_granule_of(a)].last))                        \
            name##_unit_##size(a, value, where);                                                                       \
        else if (UNLIKELY(!access_load_fast(page->loads, a, value, where, size, False)))                               \
            name##_other_##size(a, value, where);                                                                      \
        else if (reads)                                                                                                \
            access_mark_read(page, a, size);                                                                           \
    }                                                                                                                  \
    static void name##_near_##size(Addr a, ULong value, ULong where)                                                   \
    {                                                                                                                  \
        const struct shadow_page *page = access_page(a, size);                                                         \
        if (UNLIKELY(!page) || UNLIKELY(!page->loads) ||                                                               \
            UNLIKELY(!access_load_fast(page->loads, a, value, where, size, True)))                                     \
            name##_other_##size(a, value, where);                                                                      \
        else if (reads)                                                                                                \
            access_mark_read(page, a, size);                                                                           \
    }

/* valued: (Addr, ULong change, ULong where); otherwise values are not needed, and `where` has the lane. */
#define STORE(name, size, valued)                                                                                      \
    NEVER_INLINE void name##_other_##size(Addr a, ULong change, ULong where)                                           \
    {                                                                                                                  \
        Bool silent = (valued) && change == 0;                                                                         \
        if (UNLIKELY(!access_store_in_granule(a, silent, where, size)))                                                \
            access_store_several(a, silent, where, size, (valued) ? &change : NULL);                                   \
    }                                                                                                                  \
    NEVER_INLINE void name##_unit_##size(Addr a, ULong change, ULong where)                                            \
    {                                                                                                                  \
        if (UNLIKELY(!access_store_unit(shadow_pages[a >> SHADOW_PAGE_BITS].stores, a, valued && change == 0, where,   \
                                        size)))                                                                        \
            name##_other_##size(a, change, where);                                                                     \
    }                                                                                                                  \
    static void name##_##size(Addr a, ULong change, ULong where)                                                       \
    {                                                                                                                  \
        struct shadow_stores *stores = shadow_stores_of(access_page(a, size));                                         \
        if (UNLIKELY(!stores))                                                                                         \
            name##_other_##size(a, change, where);                                                                     \
        else if (size < 8 && shadow_is_split(stores->last[shadow_granule_of(a)]))                                      \
            name##_unit_##size(a, change, where);                                                                      \
        else if (UNLIKELY(!access_store_fast(stores, a, valued && change == 0, where, size)))                          \
            name##_other_##size(a, change, where);                                                                     \
    }

#define STORE_NEAR(size)                                                                                               \
    static void store_near_##size(Addr a, ULong old, ULong where, ULong value)                                         \
    {                                                                                                                  \
        const ULong both[2] = {old, value};                                                                            \
        Bool silent = old == value || access_is_near(old, value, size, access_lane(where));                            \
        struct shadow_stores *stores = shadow_stores_of(access_page(a, size));                                         \
        if (LIKELY(stores != NULL) && LIKELY(access_store_fast(stores, a, silent, where, size)))                       \
            return;                                                                                                    \
        if (UNLIKELY(!access_store_in_granule(a, silent, where, size)))                                                \
            access_store_several(a, silent, where, size, both);                                                        \
    }

#define READ(size)                                                                                                     \
    static void read_##size(Addr a, ULong value, ULong where)                                                          \
    {                                                                                                                  \
        (void)value, (void)where;                                                                                      \
        access_read_only(a, size);                                                                                     \
    }                                                                                                                  \
    static void spatial_##size(Addr a, ULong value, ULong where)                                                       \
    {                                                                                                                  \
        slow_load(a, size, access_lane(where), access_handle(where), (const UChar *)&value);                           \
    }

#define HELPERS(size)                                                                                                  \
    LOAD(load, size, False)                                                                                            \
    LOAD(load_and_read, size, True)                                                                                    \
    STORE(store, size, True)                                                                                           \
    STORE(store_only, size, False)                                                                                     \
    STORE_NEAR(size)                                                                                                   \
    READ(size)
HELPERS(1)
HELPERS(2)
HELPERS(4)
HELPERS(8)

typedef const struct access_helper helpers[4];
#define ONE(name, size)                                                                                                \
    {                                                                                                                  \
#name "_" #size, name##_##size                                                                                 \
    }
#define BY_SIZE(name)                                                                                                  \
    {                                                                                                                  \
        ONE(name, 1), ONE(name, 2), ONE(name, 4), ONE(name, 8)                                                         \
    }

static UInt access_size_index(UInt size)
{
    return size == 8 ? 3 : size == 4 ? 2 : size - 1;
}

static struct access_helper access_plain_load_helper(UInt size, Bool approximate)
{
    static helpers both = BY_SIZE(load_and_read), loads = BY_SIZE(load), reads = BY_SIZE(read),
                   near_both = BY_SIZE(load_and_read_near), near_loads = BY_SIZE(load_near), spatial = BY_SIZE(spatial);
    const struct config *config = config_get();
    const struct access_helper *by_size = config->spatial         ? spatial
                                          : !config->silent_loads ? reads
                                          : config->dead_stores   ? (approximate ? near_both : both)
                                                                  : (approximate ? near_loads : loads);
    return by_size[access_size_index(size)];
}

static struct access_helper access_plain_store_helper(UInt size, Bool approximate)
{
    static helpers exact = BY_SIZE(store), near = BY_SIZE(store_near), only = BY_SIZE(store_only);
    const struct access_helper *by_size = !config_get()->silent_stores ? only : approximate ? near : exact;
    return by_size[access_size_index(size)];
}

/* ---------------------------------------------------------------------------- bursts -- */

typedef void (*plain_helper)(Addr a, ULong value, ULong where);
typedef void (*near_helper)(Addr a, ULong old, ULong where, ULong value);

#define IN_BURSTS(size)                                                                                                \
    static void burst_load_##size(Addr a, ULong value, ULong where)                                                    \
    {                                                                                                                  \
        if (burst_load(a, size, where, &value))                                                                        \
            ((plain_helper)access_plain_load_helper(size, access_lane(where) != 0).function)(a, value, where);         \
    }                                                                                                                  \
    static void burst_store_##size(Addr a, ULong change, ULong where)                                                  \
    {                                                                                                                  \
        if (burst_store(a, size, where, config_get()->silent_stores && change == 0))                                   \
            ((plain_helper)access_plain_store_helper(size, False).function)(a, change, where);                         \
    }                                                                                                                  \
    static void burst_store_near_##size(Addr a, ULong old, ULong where, ULong value)                                   \
    {                                                                                                                  \
        if (burst_store(a, size, where, old == value || access_is_near(old, value, size, access_lane(where))))         \
            ((near_helper)access_plain_store_helper(size, True).function)(a, old, where, value);                       \
    }
IN_BURSTS(1)
IN_BURSTS(2)
IN_BURSTS(4)
IN_BURSTS(8)

struct access_helper access_load_helper(UInt size, Bool approximate)
{
    static helpers bursts = BY_SIZE(burst_load);
    return config_get()->burst_on ? bursts[access_size_index(size)] : access_plain_load_helper(size, approximate);
}

struct access_helper access_store_helper(UInt size, Bool approximate)
{
    static helpers exact = BY_SIZE(burst_store), near = BY_SIZE(burst_store_near);
    if (!config_get()->burst_on)
        return access_plain_store_helper(size, approximate);
    return approximate && config_get()->silent_stores ? near[access_size_index(size)] : exact[access_size_index(size)];
}

/* ---------------------------------------------------------------------------- bytes of a granule, each by itself -- */

static UInt access_count_zero_bytes(ULong word)
{
    const ULong low = 0x7f7f7f7f7f7f7f7fULL, each = 0x0101010101010101ULL;
    ULong zero = ~(((word & low) + low) | word | low); /* the highest bit of each */
    return (UInt)((zero >> 7) * each >> 56);
}

/* The usual pair of the context, if the bytes follow that; NULL: they follow something else. */
static struct pair_usual *access_usual_pair(UInt first, UInt handle)
{
    struct pair_usual *usual = &pairs_usual[handle];
    if (first != usual->first)
        return NULL;
    if (UNLIKELY(usual->events >= PAIRS_USUAL_MOST))
        pairs_finalize_usual(usual, handle);
    return usual;
}

Bool access_load_eight(Addr a, ULong value, ULong where)
{
    const struct shadow_page *page = access_page(a, 8);
    if (!page || !(page->loads || page->stores) || burst_wants())
        return False;
    if (page->loads) {
        struct shadow_loads *loads = page->loads;
        struct shadow_load *granule = &loads->granules[shadow_granule_of(a)];
        struct pair_usual *usual = access_usual_pair(shadow_context_of(granule->last), access_handle(where));
        if (!usual || shadow_bytes_of(granule->last) != 0xff)
            return False;
        usual->events += 8;
        usual->silent += access_count_zero_bytes(granule->value ^ value);
        granule->value = value;
        granule->last = shadow_word_of(access_handle(where), context_time, 0xff);
    }
    if (page->stores)
        access_mark_read(page, a, 8);
    return True;
}

Bool access_store_eight(Addr a, ULong change, ULong where)
{
    struct shadow_stores *stores = shadow_stores_of(access_page(a, 8));
    UInt granule = shadow_granule_of(a);
    if (!stores || burst_wants())
        return False;
    struct pair_usual *usual = access_usual_pair(shadow_context_of(stores->last[granule]), access_handle(where));
    if (!usual || shadow_bytes_of(stores->last[granule]) != 0xff)
        return False;
    usual->events += 8;
    usual->silent += config_get()->silent_stores ? access_count_zero_bytes(change) : 0;
    usual->dead += (UInt)__builtin_popcount(stores->unread[granule]);
    stores->last[granule] = shadow_word_of(access_handle(where), context_time, 0xff);
    stores->unread[granule] = 0xff;
    return True;
}

/* ---------------------------------------------------------------------------- the kernel -- */

void access_system_write(Addr a, SizeT size, UInt context)
{
    const struct config *config = config_get();
    if (!(config->dead_stores || config->silent_stores) || !context || !burst_watching)
        return;
    while (size > 0) {
        UInt part = 8 - (UInt)(a & 7);
        part = size < part ? (UInt)size : part;
        if (!burst_wants() || burst_kernel_store(a, part, context))
            slow_kernel_store(a, part, context);
        a += part;
        size -= part;
    }
}
