#include "collect/exact/tool/kinds/access.h"

#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>

#include "collect/exact/tool/kinds/burst.h"
#include "collect/exact/tool/kinds/slow.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/pairs.h"
#include "collect/exact/tool/state/shadow_memory.h"
#include "collect/exact/tool/state/tolerance.h"

/*
 * Nearly all accesses are within one granule, all of whose bytes follow the access that this one mostly follows. Other
 * cases have separate functions, so that few registers must be saved here; slow.h handles the more complicated ones.
 */
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define NEVER_INLINE static __attribute__((noinline))

/* ---------------------------------------------------------------------------- one granule -- */

/* The page of an access within one granule; NULL: not within one, far away, or new. */
ALWAYS_INLINE struct shadow_page *page_of(Addr a, UInt size)
{
    const Addr far = ~(Addr)0 << SHADOW_DIRECT_BITS;
    if (size == 8 ? UNLIKELY(a & (far | 7)) : UNLIKELY((a & 7) > 8 - size) || UNLIKELY(a & far))
        return NULL;
    return shadow_pages[a >> SHADOW_PAGE_BITS];
}

/* Bits of the access's bytes in its granule. */
ALWAYS_INLINE UInt mask_of(Addr a, UInt size)
{
    return size == 8 ? 0xff : shadow_mask((UInt)a & 7, size);
}

ALWAYS_INLINE UInt value_shift(Addr a, UInt size)
{
    return size == 8 ? 0 : (UInt)(a & 7) * 8;
}

ALWAYS_INLINE ULong value_mask(UInt size)
{
    return ~0ULL >> (64 - 8 * size);
}

ALWAYS_INLINE void set_context(struct shadow_units *units, shadow_word *last, UInt others, Addr a, UInt size,
                               UInt handle)
{
    shadow_word now = shadow_word_of(handle, context_time);
    if (size == 8 || !others || (UInt)*last == handle) {
        *last = now;
        return;
    }
    if ((UInt)*last != SHADOW_SPLIT || ((a | size) & ((1u << units->shift) - 1))) {
        shadow_set(units, last, (struct shadow_bytes){shadow_granule_of(a), (UInt)a & 7, size, others}, now);
        return;
    }
    shadow_word *unit = shadow_unit(units, shadow_granule_of(a), (UInt)a & 7);
    for (UInt i = 0; i < size >> units->shift; i++)
        unit[i] = now;
}

NEVER_INLINE Bool near(ULong old, ULong new, UInt size, UInt lane)
{
    return near_values((const UChar *)&old, (const UChar *)&new, size, lane, config_get()->tolerance);
}

/* ---------------------------------------------------------------------------- loads -- */

/* Handles an access within one granule; False: there is more to do. */
ALWAYS_INLINE Bool load_in_granule(Addr a, ULong value, ULong where, UInt size, Bool reads)
{
    struct shadow_page *page = page_of(a, size);
    if (UNLIKELY(!page))
        return False;
    struct shadow_granule *granule = &page->granules[shadow_granule_of(a)];
    UInt mask = mask_of(a, size), shift = value_shift(a, size), bits = granule->bits;
    UInt handle = access_handle(where), lane = access_lane(where);
    ULong difference = (granule->value >> shift ^ value) & value_mask(size);
    if ((bits & mask) == mask) {
        Bool silent = difference == 0;
        if (UNLIKELY(lane) && !silent)
            silent = near(granule->value >> shift, value, size, lane);
        if (!pairs_count(shadow_context(&page->split_loads[shadow_part(shadow_granule_of(a))], granule->load, a, size),
                         handle, silent, False))
            return False;
    } else if ((bits & mask) == 0) {
        pairs_count_alone(0, size, lane);
    } else {
        return False;
    }
    granule->value ^= difference << shift;
    set_context(&page->split_loads[shadow_part(shadow_granule_of(a))], &granule->load, bits & 0xff & ~mask, a, size,
                handle);
    granule->bits = reads ? (bits | mask) & ~(mask << SHADOW_UNREAD) : bits | mask;
    return True;
}

/* In a split granule whose units are as wide as the access. */
ALWAYS_INLINE Bool load_unit(struct shadow_page *page, Addr a, ULong value, ULong where, UInt size, Bool reads)
{
    const struct shadow_units *units = &page->split_loads[shadow_part(shadow_granule_of(a))];
    struct shadow_granule *granule = &page->granules[shadow_granule_of(a)];
    UInt bits = granule->bits, mask = mask_of(a, size), shift = value_shift(a, size);
    if (UNLIKELY(units->shift != (UInt)__builtin_ctz(size)) || UNLIKELY(a & (size - 1)) ||
        UNLIKELY((bits & mask) != mask))
        return False;
    shadow_word *unit = &units->last[(a & (SHADOW_PART_BYTES - 1)) / size];
    ULong difference = (granule->value >> shift ^ value) & value_mask(size);
    if (UNLIKELY(!pairs_count((UInt)*unit, access_handle(where), difference == 0, False)))
        return False;
    granule->value ^= difference << shift;
    *unit = shadow_word_of(access_handle(where), context_time);
    if (reads)
        granule->bits = bits & ~(mask << SHADOW_UNREAD);
    return True;
}

/* What is known of a load when its helper is compiled. */
struct load {
    UInt size;
    Bool reads, approximate;
};

/* The usual case. */
ALWAYS_INLINE Bool load_fast(struct shadow_page *page, Addr a, ULong value, ULong where, struct load load)
{
    const UInt size = load.size;
    struct pair_usual *usual = &pairs_usual[access_handle(where)];
    struct shadow_granule *granule = &page->granules[shadow_granule_of(a)];
    UInt bits = granule->bits, mask = mask_of(a, size), shift = value_shift(a, size);
    UInt first = (UInt)granule->load, loaded = bits & mask;
    ULong difference = (granule->value >> shift ^ value) & value_mask(size);
    if (UNLIKELY(size < 8 && first != access_handle(where) && (bits & 0xff & ~mask)))
        return False;
    if (LIKELY(loaded == mask) && LIKELY(first == usual->first)) {
        usual->events++;
        usual->silent +=
            difference == 0 || (load.approximate && near(granule->value >> shift, value, size, access_lane(where)));
    } else if (loaded == 0) {
        pairs_count_alone(0, size, load.approximate ? access_lane(where) : 0);
    } else {
        return False;
    }
    granule->value = size == 8 ? value : granule->value ^ difference << shift;
    granule->load = shadow_word_of(access_handle(where), context_time);
    granule->bits = load.reads ? (bits | mask) & ~(mask << SHADOW_UNREAD) : bits | mask;
    return True;
}

ALWAYS_INLINE void read_only(Addr a, UInt size)
{
    struct shadow_page *page = page_of(a, size);
    if (LIKELY(page != NULL))
        page->granules[shadow_granule_of(a)].bits &= ~(mask_of(a, size) << SHADOW_UNREAD);
    else
        shadow_read(a, size);
}

/* ---------------------------------------------------------------------------- stores -- */

/* Handles an access within one granule; False: there is more to do. */
ALWAYS_INLINE Bool store_in_granule(Addr a, Bool silent, ULong where, UInt size)
{
    struct shadow_page *page = page_of(a, size);
    if (UNLIKELY(!page))
        return False;
    struct shadow_granule *granule = &page->granules[shadow_granule_of(a)];
    UInt mask = mask_of(a, size), bits = granule->bits, stored = bits >> SHADOW_STORED & mask;
    if (stored == mask) {
        Bool dead = (bits >> SHADOW_UNREAD & mask) == mask;
        if (!pairs_count(
                shadow_context(&page->split_stores[shadow_part(shadow_granule_of(a))], granule->store, a, size),
                access_handle(where), silent, dead))
            return False;
    } else if (!stored) {
        pairs_count_alone(1, size, access_lane(where));
    } else {
        return False;
    }
    set_context(&page->split_stores[shadow_part(shadow_granule_of(a))], &granule->store,
                bits >> SHADOW_STORED & 0xff & ~mask, a, size, access_handle(where));
    granule->bits = bits | mask << SHADOW_STORED | mask << SHADOW_UNREAD;
    return True;
}

/* In a split granule whose units are as wide as the access. */
ALWAYS_INLINE Bool store_unit(struct shadow_page *page, Addr a, Bool silent, ULong where, UInt size)
{
    const struct shadow_units *units = &page->split_stores[shadow_part(shadow_granule_of(a))];
    struct shadow_granule *granule = &page->granules[shadow_granule_of(a)];
    UInt bits = granule->bits, mask = mask_of(a, size);
    if (UNLIKELY(units->shift != (UInt)__builtin_ctz(size)) || UNLIKELY(a & (size - 1)) ||
        UNLIKELY((bits >> SHADOW_STORED & mask) != mask))
        return False;
    shadow_word *unit = &units->last[(a & (SHADOW_PART_BYTES - 1)) / size];
    if (UNLIKELY(!pairs_count((UInt)*unit, access_handle(where), silent, (bits >> SHADOW_UNREAD & mask) == mask)))
        return False;
    *unit = shadow_word_of(access_handle(where), context_time);
    granule->bits = bits | mask << SHADOW_UNREAD;
    return True;
}

/* The usual case. */
ALWAYS_INLINE Bool store_fast(struct shadow_page *page, Addr a, Bool silent, ULong where, UInt size)
{
    struct pair_usual *usual = &pairs_usual[access_handle(where)];
    struct shadow_granule *granule = &page->granules[shadow_granule_of(a)];
    UInt bits = granule->bits, mask = mask_of(a, size), first = (UInt)granule->store;
    UInt stored = bits >> SHADOW_STORED & mask;
    if (UNLIKELY(size < 8 && first != access_handle(where) && (bits >> SHADOW_STORED & 0xff & ~mask)))
        return False;
    if (LIKELY(stored == mask) && LIKELY(first == usual->first)) {
        usual->events++;
        usual->silent += silent;
        usual->dead += (bits >> SHADOW_UNREAD & mask) == mask;
    } else if (!stored) {
        pairs_count_alone(1, size, access_lane(where));
    } else {
        return False;
    }
    granule->store = shadow_word_of(access_handle(where), context_time);
    granule->bits = bits | mask << SHADOW_STORED | mask << SHADOW_UNREAD;
    return True;
}

/* ---------------------------------------------------------------------------- helpers -- */

#define LOAD(name, size, reads)                                                                                        \
    NEVER_INLINE void name##_other_##size(Addr a, ULong value, ULong where)                                            \
    {                                                                                                                  \
        if (UNLIKELY(!load_in_granule(a, value, where, size, reads)))                                                  \
            slow_load(a, size, access_lane(where), access_handle(where), (const UChar *)&value);                       \
    }                                                                                                                  \
    NEVER_INLINE void name##_unit_##size(Addr a, ULong value, ULong where)                                             \
    {                                                                                                                  \
        if (UNLIKELY(!load_unit(shadow_pages[a >> SHADOW_PAGE_BITS], a, value, where, size, reads)))                   \
            name##_other_##size(a, value, where);                                                                      \
    }                                                                                                                  \
    static void name##_##size(Addr a, ULong value, ULong where)                                                        \
    {                                                                                                                  \
        struct shadow_page *page = page_of(a, size);                                                                   \
        if (UNLIKELY(!page))                                                                                           \
            name##_other_##size(a, value, where);                                                                      \
        else if (size < 8 && (UInt)page->granules[shadow_granule_of(a)].load == SHADOW_SPLIT)                          \
            name##_unit_##size(a, value, where);                                                                       \
        else if (UNLIKELY(!load_fast(page, a, value, where, (struct load){size, reads, False})))                       \
            name##_other_##size(a, value, where);                                                                      \
    }                                                                                                                  \
    static void name##_near_##size(Addr a, ULong value, ULong where)                                                   \
    {                                                                                                                  \
        struct shadow_page *page = page_of(a, size);                                                                   \
        if (UNLIKELY(!page) || UNLIKELY(!load_fast(page, a, value, where, (struct load){size, reads, True})))          \
            name##_other_##size(a, value, where);                                                                      \
    }

/* valued: (Addr, ULong change, ULong where); otherwise values are not needed, and `where` has the lane. */
#define STORE(name, size, valued)                                                                                      \
    NEVER_INLINE void name##_other_##size(Addr a, ULong change, ULong where)                                           \
    {                                                                                                                  \
        if (UNLIKELY(!store_in_granule(a, valued && change == 0, where, size)))                                        \
            slow_store(a, size, access_lane(where), access_handle(where), valued ? &change : NULL);                    \
    }                                                                                                                  \
    NEVER_INLINE void name##_unit_##size(Addr a, ULong change, ULong where)                                            \
    {                                                                                                                  \
        if (UNLIKELY(!store_unit(shadow_pages[a >> SHADOW_PAGE_BITS], a, valued && change == 0, where, size)))         \
            name##_other_##size(a, change, where);                                                                     \
    }                                                                                                                  \
    static void name##_##size(Addr a, ULong change, ULong where)                                                       \
    {                                                                                                                  \
        struct shadow_page *page = page_of(a, size);                                                                   \
        if (UNLIKELY(!page))                                                                                           \
            name##_other_##size(a, change, where);                                                                     \
        else if (size < 8 && (UInt)page->granules[shadow_granule_of(a)].store == SHADOW_SPLIT)                         \
            name##_unit_##size(a, change, where);                                                                      \
        else if (UNLIKELY(!store_fast(page, a, valued && change == 0, where, size)))                                   \
            name##_other_##size(a, change, where);                                                                     \
    }

#define STORE_NEAR(size)                                                                                               \
    static void store_near_##size(Addr a, ULong old, ULong where, ULong value)                                         \
    {                                                                                                                  \
        const ULong both[2] = {old, value};                                                                            \
        Bool silent = old == value || near(old, value, size, access_lane(where));                                      \
        struct shadow_page *page = page_of(a, size);                                                                   \
        if (LIKELY(page != NULL) && LIKELY(store_fast(page, a, silent, where, size)))                                  \
            return;                                                                                                    \
        if (UNLIKELY(!store_in_granule(a, silent, where, size)))                                                       \
            slow_store(a, size, access_lane(where), access_handle(where), both);                                       \
    }

#define READ(size)                                                                                                     \
    static void read_##size(Addr a, ULong value, ULong where)                                                          \
    {                                                                                                                  \
        (void)value, (void)where;                                                                                      \
        read_only(a, size);                                                                                            \
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

static UInt index_of(UInt size)
{
    return size == 8 ? 3 : size == 4 ? 2 : size - 1;
}

struct access_helper access_load_helper(UInt size, Bool approximate)
{
    static helpers both = BY_SIZE(load_and_read), loads = BY_SIZE(load), reads = BY_SIZE(read),
                   near_both = BY_SIZE(load_and_read_near), near_loads = BY_SIZE(load_near), spatial = BY_SIZE(spatial);
    const struct config *config = config_get();
    const struct access_helper *by_size = config->spatial         ? spatial
                                          : !config->silent_loads ? reads
                                          : config->dead_stores   ? (approximate ? near_both : both)
                                                                  : (approximate ? near_loads : loads);
    return by_size[index_of(size)];
}

struct access_helper access_store_helper(UInt size, Bool approximate)
{
    static helpers exact = BY_SIZE(store), near = BY_SIZE(store_near), only = BY_SIZE(store_only);
    const struct access_helper *by_size = !config_get()->silent_stores ? only : approximate ? near : exact;
    return by_size[index_of(size)];
}

/* ---------------------------------------------------------------------------- bytes of a granule, each by itself -- */

static UInt bytes_that_are_zero(ULong word)
{
    const ULong low = 0x7f7f7f7f7f7f7f7fULL, each = 0x0101010101010101ULL;
    ULong zero = ~(((word & low) + low) | word | low); /* the highest bit of each */
    return (UInt)((zero >> 7) * each >> 56);
}

/* The usual pair of the context, if the bytes follow that; NULL: they follow something else. */
static struct pair_usual *usual_of(UInt first, UInt handle)
{
    struct pair_usual *usual = &pairs_usual[handle];
    if (first != usual->first)
        return NULL;
    if (UNLIKELY(usual->events >= PAIRS_USUAL_MOST))
        pairs_settle_usual(usual, handle);
    return usual;
}

Bool access_load_eight(Addr a, ULong value, ULong where)
{
    const struct config *config = config_get();
    struct shadow_page *page = config->spatial ? NULL : page_of(a, 8);
    if (!page)
        return False;
    struct shadow_granule *granule = &page->granules[shadow_granule_of(a)];
    if (config->silent_loads) {
        struct pair_usual *usual = usual_of((UInt)granule->load, access_handle(where));
        if (!usual || (granule->bits & 0xff) != 0xff)
            return False;
        usual->events += 8;
        usual->silent += bytes_that_are_zero(granule->value ^ value);
        granule->value = value;
        granule->load = shadow_word_of(access_handle(where), context_time);
    }
    if (config->dead_stores)
        granule->bits &= ~(0xffu << SHADOW_UNREAD);
    return True;
}

Bool access_store_eight(Addr a, ULong change, ULong where)
{
    struct shadow_page *page = page_of(a, 8);
    if (!page)
        return False;
    struct shadow_granule *granule = &page->granules[shadow_granule_of(a)];
    struct pair_usual *usual = usual_of((UInt)granule->store, access_handle(where));
    if (!usual || (granule->bits >> SHADOW_STORED & 0xff) != 0xff)
        return False;
    usual->events += 8;
    usual->silent += config_get()->silent_stores ? bytes_that_are_zero(change) : 0;
    usual->dead += (UInt)__builtin_popcount(granule->bits >> SHADOW_UNREAD & 0xff);
    granule->store = shadow_word_of(access_handle(where), context_time);
    granule->bits |= 0xffu << SHADOW_UNREAD;
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
        slow_kernel_store(a, part, context);
        a += part;
        size -= part;
    }
}
