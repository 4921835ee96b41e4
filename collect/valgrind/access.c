#include "collect/valgrind/access.h"

#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>

#include "collect/valgrind/burst.h"
#include "collect/valgrind/config.h"
#include "collect/valgrind/frames.h"
#include "collect/valgrind/near.h"
#include "collect/valgrind/objects.h"
#include "collect/valgrind/pairs.h"
#include "collect/valgrind/report.h"
#include "collect/valgrind/scope.h"
#include "collect/valgrind/shadow.h"

enum { PAGE_MASK = SHADOW_PAGE_BYTES - 1 };

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define NEVER_INLINE static __attribute__((noinline))

/* Bytes of an access that follow the same one. */
struct piece {
    UInt first; /* 0: none, or another thread's */
    UInt time;
    UInt bytes;
};

/* The access that is being looked at in the slow path: one at a time. */
static struct {
    UInt context, lane;
    UInt count;
    struct piece pieces[ACCESS_WIDE_MAX];
    Bool all;    /* every byte has a predecessor of this thread */
    Bool unread; /* none was loaded since it was stored */
    UChar old[ACCESS_WIDE_MAX];
} now;

static UInt handle_of(ULong where)
{
    return (UInt)where;
}

static UInt lane_of(ULong where)
{
    return where >> ACCESS_LANE_SHIFT & 0xff;
}

static UInt size_of(ULong where)
{
    return (UInt)(where >> ACCESS_SIZE_SHIFT);
}

static Bool same(const UChar *old, const UChar *value, UInt size, UInt lane)
{
    return VG_(memcmp)(old, value, size) == 0 || (lane && near_values(old, value, size, lane, config_get()->tolerance));
}

/* ---------------------------------------------------------------------------- what was there -- */

static void begin(ULong where)
{
    now.context = handle_of(where);
    now.lane = lane_of(where);
    now.count = 0;
    now.all = now.unread = True;
}

static void add_piece(UInt first, UInt time, UInt bytes)
{
    struct piece *last = now.count ? &now.pieces[now.count - 1] : NULL;
    if (first && frames_threads > 1 && context_places[first].thread != frames_thread) {
        report_lost(RAW_OTHER_THREAD, bytes);
        first = 0;
    }
    now.all &= first != 0;
    if (last && last->first == first)
        last->bytes += bytes;
    else
        now.pieces[now.count++] = (struct piece){first, time, bytes};
}

/* Bytes from … end−1 of one unit. */
static void add_unit(const struct shadow_side *side, UInt unit, UInt from, UInt end)
{
    const struct shadow_unit *of = &side->units[unit];
    UChar wanted = shadow_mask(from, end - from), valid = side->valid[from >> 3] & wanted;
    if (valid == wanted || !valid) {
        add_piece(valid ? of->context : 0, of->time, end - from);
        return;
    }
    for (UInt i = from; i < end; i++)
        add_piece(valid >> (i & 7) & 1 ? of->context : 0, of->time, 1);
}

/* Bytes from … from+bytes−1 of one page. */
static void gather(const struct shadow_side *side, UInt from, UInt bytes)
{
    UInt end = from + bytes;
    while (from < end) {
        UInt unit = from >> side->shift, stop = (unit + 1) << side->shift;
        stop = stop < end ? stop : end;
        add_unit(side, unit, from, stop);
        from = stop;
    }
}

static Bool all_unread(const struct shadow_page *page, UInt from, UInt bytes)
{
    for (UInt end = from + bytes; from < end;) {
        UInt part = end - from < 8 - (from & 7) ? end - from : 8 - (from & 7);
        UChar mask = shadow_mask(from, part);
        if ((page->unread[from >> 3] & mask) != mask)
            return False;
        from += part;
    }
    return True;
}

static void set_unread(struct shadow_page *page, UInt from, UInt bytes)
{
    for (UInt end = from + bytes; from < end;) {
        UInt part = end - from < 8 - (from & 7) ? end - from : 8 - (from & 7);
        page->unread[from >> 3] |= shadow_mask(from, part);
        from += part;
    }
}

/* ---------------------------------------------------------------------------- counting -- */

static void count_in_pair(const struct piece *piece, UInt object, Bool event, Bool silent, Bool dead)
{
    struct pair *pair = pairs_at(piece->first, now.context, object);
    pair->events += event;
    pair->bytes += piece->bytes;
    if (silent) {
        pair->silent_events += event;
        pair->silent_bytes += piece->bytes;
    }
    if (dead) {
        pair->dead_events += event;
        pair->dead_bytes += piece->bytes;
    }
    if (!pair->scope_known) {
        pair->scope_known = True;
        pair->scope = scope_find(piece->first, now.context, piece->time);
    }
}

static void count_total(UInt store, UInt size)
{
    struct pair_total *total = pairs_total(frames_thread, store, now.lane != 0);
    total->events++;
    total->bytes += size;
}

/* The place where the pair's whole accesses are counted; NULL for its first one, which has to find its scope. */
static struct pair_recent *recent_of(UInt first, UInt second)
{
    struct pair_recent *recent = pairs_recent_at(first, second);
    if (recent->first == first && recent->second == second)
        return recent;
    if (!pairs_at(first, second, 0)->scope_known)
        return NULL;
    pairs_settle(recent);
    recent->first = first;
    recent->second = second;
    return recent;
}

static Bool count_whole(UInt first, Bool silent, Bool dead)
{
    struct pair_recent *recent = recent_of(first, now.context);
    if (!recent)
        return False;
    recent->events++;
    recent->silent += silent;
    pairs_recent_dead[recent - pairs_recent] += dead;
    return True;
}

static void count(UInt store, UInt size, UInt object, Bool silent, Bool dead)
{
    Bool event = True;
    if (now.count == 1 && now.all && object == 0 && count_whole(now.pieces[0].first, silent, dead))
        return;
    count_total(store, size);
    for (UInt i = 0; i < now.count; i++) {
        if (!now.pieces[i].first)
            continue;
        count_in_pair(&now.pieces[i], object, event, silent, dead);
        event = False;
    }
}

/* ---------------------------------------------------------------------------- the slow path -- */

/* Each page of a … a+size−1: its bytes from … from+bytes−1, of which `done` came before. */
struct part {
    struct shadow_page *page;
    UInt from, bytes, done;
};

static Bool next_part(Addr a, UInt size, struct part *part)
{
    part->done += part->bytes;
    if (part->done >= size)
        return False;
    part->from = (UInt)(a + part->done) & PAGE_MASK;
    part->bytes =
        size - part->done < SHADOW_PAGE_BYTES - part->from ? size - part->done : SHADOW_PAGE_BYTES - part->from;
    part->page = shadow_page_of(a + part->done, True);
    return True;
}

static void load_spatial(Addr a, UInt size, ULong where, const UChar *value)
{
    struct objects_previous previous = objects_load(a, value, size, handle_of(where), now.old);
    begin(where);
    if (previous.context)
        add_piece(previous.context, previous.time, size);
    count(0, size, previous.object,
          now.count && now.all && previous.size == size && same(now.old, value, size, now.lane), False);
}

static void load_any(Addr a, UInt size, ULong where, const UChar *value)
{
    const struct config *config = config_get();
    if (config->spatial) {
        load_spatial(a, size, where, value);
        return;
    }
    begin(where);
    for (struct part part = {0}; config->silent_loads && next_part(a, size, &part);) {
        if (!part.page) {
            now.all = False;
            continue;
        }
        gather(&part.page->loads, part.from, part.bytes);
        VG_(memcpy)(now.old + part.done, part.page->values + part.from, part.bytes);
    }
    if (config->silent_loads)
        count(0, size, 0, now.all && same(now.old, value, size, now.lane), False);
    for (struct part part = {0}; config->silent_loads && next_part(a, size, &part);) {
        if (!part.page)
            continue;
        shadow_set(&part.page->loads, part.from, part.bytes, now.context, context_time);
        VG_(memcpy)(part.page->values + part.from, value + part.done, part.bytes);
    }
    if (config->dead_stores)
        shadow_read(a, size);
}

static void set_stored(Addr a, UInt size)
{
    for (struct part part = {0}; next_part(a, size, &part);) {
        if (!part.page)
            continue;
        shadow_set(&part.page->stores, part.from, part.bytes, now.context, context_time);
        set_unread(part.page, part.from, part.bytes);
    }
}

static void gather_stored(Addr a, UInt size)
{
    for (struct part part = {0}; next_part(a, size, &part);) {
        if (!part.page) {
            now.all = False;
            continue;
        }
        gather(&part.page->stores, part.from, part.bytes);
        now.unread &= all_unread(part.page, part.from, part.bytes);
    }
}

/* now.old holds what was there before. */
static void store_any(Addr a, UInt size, ULong where, const UChar *value)
{
    begin(where);
    gather_stored(a, size);
    Bool silent = config_get()->silent_stores && now.all && same(now.old, value, size, now.lane);
    count(1, size, 0, silent, now.all && now.unread);
    set_stored(a, size);
}

NEVER_INLINE void load_slow(Addr a, ULong value, ULong where)
{
    load_any(a, size_of(where), where, (const UChar *)&value);
}

NEVER_INLINE void store_slow(Addr a, ULong old, ULong value, ULong where)
{
    *(ULong *)now.old = old;
    store_any(a, size_of(where), where, (const UChar *)&value);
}

/* ---------------------------------------------------------------------------- the straight path -- */

/* An access to one page of the direct table, all of whose bytes follow the same one, while no unit has to become
 * narrower. */
#define MISPLACED(a, size) (((a) >> SHADOW_DIRECT_BITS) | ((a) & ((size)-1)))

/* The bits of the units that hold the bytes: those of the bytes, or of the unit that they are part of. */
ALWAYS_INLINE UChar units_mask(const struct shadow_side *side, UInt from, UInt size)
{
    UInt width = 1u << side->shift;
    return LIKELY(size >= width) ? shadow_mask(from, size) : shadow_mask(from & ~(width - 1), width);
}

/* Nothing in the units has a predecessor. */
ALWAYS_INLINE Bool is_fresh(const struct shadow_side *side, UInt from, UInt size)
{
    return (side->valid[from >> 3] & units_mask(side, from, size)) == 0;
}

/* Where to count it; NULL: it is not such an access, or not counted there yet. */
ALWAYS_INLINE struct pair_recent *usual(const struct shadow_side *side, UInt from, UInt size, UInt handle)
{
    UInt unit = from >> side->shift, units = size >> side->shift, first = side->units[unit].context;
    UChar mask = shadow_mask(from, size), valid = side->valid[from >> 3];
    struct pair_recent *recent = pairs_recent_at(first, handle);
    if ((valid & mask) != mask || recent->first != first || recent->second != handle)
        return NULL;
    if (LIKELY(units == 1))
        return recent;
    if (units == 0) /* part of a unit */
        return first == handle || (valid & units_mask(side, from, size)) == mask ? recent : NULL;
    for (UInt i = 1; i < units; i++)
        if (side->units[unit + i].context != first)
            return NULL;
    return recent;
}

/* Accesses to bytes without a predecessor form no pair. */
ALWAYS_INLINE void count_fresh(UInt store, UInt size, ULong where)
{
    struct pair_total *total = &pairs_fresh[store][lane_of(where) != 0];
    total->events++;
    total->bytes += size;
}

ALWAYS_INLINE void set_last(struct shadow_side *side, UInt from, UInt size, UInt handle)
{
    UInt unit = from >> side->shift, units = size >> side->shift;
    struct shadow_unit last = {handle, context_time};
    side->units[unit] = last;
    for (UInt i = 1; UNLIKELY(i < units); i++)
        side->units[unit + i] = last;
}

ALWAYS_INLINE ULong value_at(const UChar *bytes, UInt size)
{
    return size == 8   ? *(const ULong *)bytes
           : size == 4 ? *(const UInt *)bytes
           : size == 2 ? *(const UShort *)bytes
                       : *bytes;
}

ALWAYS_INLINE void set_value(UChar *bytes, ULong value, UInt size)
{
    if (size == 8)
        *(ULong *)bytes = value;
    else if (size == 4)
        *(UInt *)bytes = (UInt)value;
    else if (size == 2)
        *(UShort *)bytes = (UShort)value;
    else
        *bytes = (UChar)value;
}

ALWAYS_INLINE Bool same_value(ULong old, ULong value, UInt size, ULong where)
{
    return old == value || UNLIKELY(lane_of(where) && near_values((const UChar *)&old, (const UChar *)&value, size,
                                                                  lane_of(where), config_get()->tolerance));
}

ALWAYS_INLINE void load_straight(Addr a, ULong value, ULong where, UInt size, Bool reads)
{
    struct shadow_page *page;
    struct pair_recent *recent;
    UInt from = (UInt)a & PAGE_MASK, handle = handle_of(where);
    if (UNLIKELY(MISPLACED(a, size)) || UNLIKELY(!(page = shadow_pages[a >> SHADOW_PAGE_BITS]))) {
        load_slow(a, value, where);
        return;
    }
    if (is_fresh(&page->loads, from, size)) {
        count_fresh(0, size, where);
        page->loads.valid[from >> 3] |= shadow_mask(from, size);
    } else if (LIKELY((recent = usual(&page->loads, from, size, handle)) != NULL)) {
        recent->events++;
        recent->silent += same_value(value_at(page->values + from, size), value, size, where);
    } else {
        load_slow(a, value, where);
        return;
    }
    set_value(page->values + from, value, size);
    set_last(&page->loads, from, size, handle);
    if (reads)
        page->unread[from >> 3] &= (UChar)~shadow_mask(from, size);
}

ALWAYS_INLINE void store_straight(Addr a, ULong old, ULong value, ULong where, UInt size, Bool silent)
{
    struct shadow_page *page;
    struct pair_recent *recent;
    UInt from = (UInt)a & PAGE_MASK, handle = handle_of(where);
    UChar mask = shadow_mask(from, size);
    if (UNLIKELY(MISPLACED(a, size)) || UNLIKELY(!(page = shadow_pages[a >> SHADOW_PAGE_BITS]))) {
        store_slow(a, old, value, where);
        return;
    }
    if (is_fresh(&page->stores, from, size)) {
        count_fresh(1, size, where);
        page->stores.valid[from >> 3] |= mask;
    } else if (LIKELY((recent = usual(&page->stores, from, size, handle)) != NULL)) {
        recent->events++;
        if (silent)
            recent->silent += same_value(old, value, size, where);
        pairs_recent_dead[recent - pairs_recent] += (page->unread[from >> 3] & mask) == mask;
    } else {
        store_slow(a, old, value, where);
        return;
    }
    set_last(&page->stores, from, size, handle);
    page->unread[from >> 3] |= mask;
}

ALWAYS_INLINE void read_only(Addr a, UInt size)
{
    struct shadow_page *page;
    if (UNLIKELY(MISPLACED(a, size)))
        shadow_read(a, size);
    else if (LIKELY((page = shadow_pages[a >> SHADOW_PAGE_BITS]) != NULL))
        page->unread[(a & PAGE_MASK) >> 3] &= (UChar)~shadow_mask((UInt)a, size);
}

/* ---------------------------------------------------------------------------- the fast path -- */

/*
 * Nearly all accesses: of one whole unit, whose pair is counted where it is looked for first, and compared exactly. All
 * else is in a function of its own, so that little has to be saved here.
 */
ALWAYS_INLINE struct pair_recent *fast(const struct shadow_side *side, const struct shadow_unit *unit, UInt from,
                                       UInt size, UInt handle)
{
    UInt first = unit->context;
    struct pair_recent *recent = pairs_recent_at(first, handle);
    UChar mask = shadow_mask(from, size);
    return LIKELY((side->valid[from >> 3] & mask) == mask && recent->first == first && recent->second == handle)
               ? recent
               : NULL;
}

ALWAYS_INLINE struct shadow_page *fast_page(Addr a, UInt size)
{
    return UNLIKELY(MISPLACED(a, size)) ? NULL : shadow_pages[a >> SHADOW_PAGE_BITS];
}

#define LOAD(name, size, reads)                                                                                        \
    NEVER_INLINE void name##_straight_##size(Addr a, ULong value, ULong where)                                         \
    {                                                                                                                  \
        load_straight(a, value, where, size, reads);                                                                   \
    }                                                                                                                  \
    static void name##_##size(Addr a, ULong value, ULong where)                                                        \
    {                                                                                                                  \
        struct shadow_page *page = fast_page(a, size);                                                                 \
        UInt from = (UInt)a & PAGE_MASK, handle = handle_of(where);                                                    \
        if (LIKELY(page != NULL) && LIKELY(page->loads.shift == (UInt)__builtin_ctz(size))) {                          \
            struct shadow_unit *unit = &page->loads.units[from / size];                                                \
            UChar *last = page->values + from;                                                                         \
            struct pair_recent *recent = fast(&page->loads, unit, from, size, handle);                                 \
            if (LIKELY(recent != NULL)) {                                                                              \
                recent->events++;                                                                                      \
                recent->silent += value_at(last, size) == value;                                                       \
                if (reads)                                                                                             \
                    page->unread[from >> 3] &= (UChar)~shadow_mask(from, size);                                        \
                set_value(last, value, size);                                                                          \
                *(ULong *)unit = shadow_unit_word(handle, context_time);                                               \
                return;                                                                                                \
            }                                                                                                          \
        }                                                                                                              \
        name##_straight_##size(a, value, where);                                                                       \
    }

#define STORE(name, size, valued)                                                                                      \
    NEVER_INLINE void name##_straight_##size(Addr a, ULong old, ULong value, ULong where)                              \
    {                                                                                                                  \
        store_straight(a, old, value, where, size, valued);                                                            \
    }                                                                                                                  \
    static void name##_##size(Addr a, ULong old, ULong value, ULong where)                                             \
    {                                                                                                                  \
        struct shadow_page *page = fast_page(a, size);                                                                 \
        UInt from = (UInt)a & PAGE_MASK, handle = handle_of(where);                                                    \
        if (LIKELY(page != NULL) && LIKELY(page->stores.shift == (UInt)__builtin_ctz(size))) {                         \
            struct shadow_unit *unit = &page->stores.units[from / size];                                               \
            struct pair_recent *recent = fast(&page->stores, unit, from, size, handle);                                \
            if (LIKELY(recent != NULL)) {                                                                              \
                UChar mask = shadow_mask(from, size), unread = page->unread[from >> 3];                                \
                recent->events++;                                                                                      \
                if (valued)                                                                                            \
                    recent->silent += old == value;                                                                    \
                pairs_recent_dead[recent - pairs_recent] += (unread & mask) == mask;                                   \
                page->unread[from >> 3] = unread | mask;                                                               \
                *(ULong *)unit = shadow_unit_word(handle, context_time);                                               \
                return;                                                                                                \
            }                                                                                                          \
        }                                                                                                              \
        name##_straight_##size(a, old, value, where);                                                                  \
    }

#define READ(size)                                                                                                     \
    static void read_##size(Addr a, ULong value, ULong where)                                                          \
    {                                                                                                                  \
        (void)value, (void)where;                                                                                      \
        read_only(a, size);                                                                                            \
    }

#define HELPERS(size)                                                                                                  \
    LOAD(load, size, False)                                                                                            \
    LOAD(load_and_read, size, True)                                                                                    \
    STORE(store, size, True)                                                                                           \
    STORE(store_only, size, False)                                                                                     \
    READ(size)
HELPERS(1)
HELPERS(2)
HELPERS(4)
HELPERS(8)

#define BY_SIZE(name)                                                                                                  \
    {                                                                                                                  \
        {#name "_1", name##_1}, {#name "_2", name##_2}, {#name "_4", name##_4},                                        \
        {                                                                                                              \
#name "_8", name##_8                                                                                       \
        }                                                                                                              \
    }

static UInt index_of(UInt size)
{
    return size == 8 ? 3 : size == 4 ? 2 : size - 1;
}

struct access_helper access_load_helper(UInt size, Bool approximate)
{
    static const struct access_helper both[] = BY_SIZE(load_and_read), loads[] = BY_SIZE(load), reads[] = BY_SIZE(read),
                                      near_both[] = BY_SIZE(load_and_read_straight),
                                      near_loads[] = BY_SIZE(load_straight), slow = {"load_slow", load_slow};
    const struct config *config = config_get();
    UInt i = index_of(size);
    if (config->spatial)
        return slow;
    if (!config->silent_loads)
        return reads[i];
    return config->dead_stores ? (approximate ? near_both[i] : both[i]) : approximate ? near_loads[i] : loads[i];
}

struct access_helper access_store_helper(UInt size, Bool approximate)
{
    static const struct access_helper valued[] = BY_SIZE(store), near[] = BY_SIZE(store_straight),
                                      plain[] = BY_SIZE(store_only);
    UInt i = index_of(size);
    return !config_get()->silent_stores ? plain[i] : approximate ? near[i] : valued[i];
}

/* ---------------------------------------------------------------------------- wide accesses -- */

void access_load_halves(Addr a, ULong low, ULong high, ULong where)
{
    const ULong value[2] = {low, high};
    load_any(a, size_of(where), where, (const UChar *)value);
}

void access_store_halves(Addr a, ULong low, ULong high, ULong where)
{
    ((ULong *)now.old)[0] = low;
    ((ULong *)now.old)[1] = high;
    store_any(a, size_of(where), where, (const UChar *)a);
}

void access_load_wide(Addr a, ULong where)
{
    load_any(a, size_of(where), where, (const UChar *)a);
}

void access_keep(Addr a, ULong where)
{
    VG_(memcpy)(now.old, (const UChar *)a, size_of(where));
}

void access_store_wide(Addr a, ULong where)
{
    store_any(a, size_of(where), where, (const UChar *)a);
}

/* ---------------------------------------------------------------------------- the kernel -- */

/* Up to 8 bytes at a time end the life of the stores before them; they count in no total. */
static void system_write(Addr a, UInt bytes, UInt context)
{
    begin(context);
    gather_stored(a, bytes);
    for (UInt i = 0; i < now.count && now.all && now.unread; i++)
        count_in_pair(&now.pieces[i], 0, i == 0, False, True);
    set_stored(a, bytes);
}

void access_system_write(Addr a, SizeT size, UInt context)
{
    const struct config *config = config_get();
    if (!(config->dead_stores || config->silent_stores) || !context || !burst_watching)
        return;
    while (size > 0) {
        UInt part = 8 - (UInt)(a & 7);
        part = size < part ? (UInt)size : part;
        system_write(a, part, context);
        a += part;
        size -= part;
    }
}
