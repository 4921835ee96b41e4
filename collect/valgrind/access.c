#include "collect/valgrind/access.h"

#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>

#include "collect/valgrind/config.h"
#include "collect/valgrind/frames.h"
#include "collect/valgrind/near.h"
#include "collect/valgrind/objects.h"
#include "collect/valgrind/pairs.h"
#include "collect/valgrind/report.h"
#include "collect/valgrind/scope.h"
#include "collect/valgrind/shadow.h"

enum { PIECES_MAX = ACCESS_WIDE_MAX, TAKE_EVERY = 8 };

/* Bytes of one access that followed one context, and how they compare. */
struct piece {
    UInt first; /* 0: none, or another thread's */
    UInt time;
    UInt bytes;
};

struct access {
    Addr a;
    UInt size, lane, context;
    const UChar *value;
    UInt piece_count;
    struct piece pieces[PIECES_MAX];
    Bool all;    /* every byte has a predecessor of this thread */
    Bool unread; /* and was not loaded since it was stored */
    UChar old[ACCESS_WIDE_MAX];
};

static struct access access; /* translated code of one thread at a time */

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

/* ---------------------------------------------------------------------------- the slow path -- */

static void add_piece(UInt first, UInt time, UInt bytes)
{
    struct piece *last = access.piece_count ? &access.pieces[access.piece_count - 1] : NULL;
    if (first && frames_threads > 1 && context_thread_of(first) != frames_thread) {
        report_lost(RAW_OTHER_THREAD, bytes);
        first = 0;
    }
    if (!first)
        access.all = False;
    if (last && last->first == first) {
        last->bytes += bytes;
        return;
    }
    access.pieces[access.piece_count++] = (struct piece){first, time, bytes};
}

/* The bytes of one granule: `valid` says which have a predecessor. */
static void add_pieces(UInt context, UInt time, UChar valid, UInt from, UInt bytes)
{
    for (UInt i = from; i < from + bytes;) {
        UInt end = i + 1, first = valid >> i & 1 ? shadow_context(context, i) : 0;
        while (end < from + bytes && (valid >> end & 1 ? shadow_context(context, end) : 0) == first)
            end++;
        add_piece(first, first ? shadow_time(context, time, i) : 0, end - i);
        i = end;
    }
}

static void begin(Addr a, UInt size, ULong where, const UChar *value)
{
    access.a = a;
    access.size = size;
    access.lane = lane_of(where);
    access.context = handle_of(where);
    access.value = value;
    access.piece_count = 0;
    access.all = access.unread = True;
}

static void count_in_pair(const struct piece *piece, UInt object, Bool event, Bool silent, Bool dead)
{
    struct pair *pair = pairs_at(piece->first, access.context, object);
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
        pair->scope = scope_find(piece->first, access.context, piece->time);
    }
}

/* The context follows another one than it used to: count that one in the fast path from now on, but not for every
 * change of mind. */
static void turn_to(UInt first)
{
    static UInt misses;
    struct context_hot *hot = &context_hot[access.context];
    if (hot->first == first || (hot->events && ++misses % TAKE_EVERY))
        return;
    pairs_take_hot(access.context, context_place_of(access.context).slot);
    hot->first = first;
}

static void count(UInt store, UInt object, Bool silent, Bool dead)
{
    Bool event = True;
    struct pair_total *total = pairs_total(frames_thread, store, access.lane != 0);
    total->events++;
    total->bytes += access.size;
    for (UInt i = 0; i < access.piece_count; i++) {
        if (!access.pieces[i].first)
            continue;
        count_in_pair(&access.pieces[i], object, event, silent, dead);
        event = False;
    }
    if (object == 0 && access.piece_count == 1 && access.pieces[0].first)
        turn_to(access.pieces[0].first);
}

static Bool same(void)
{
    return VG_(memcmp)(access.old, access.value, access.size) == 0 ||
           (access.lane && near_values(access.old, access.value, access.size, access.lane, config_get()->tolerance));
}

/* Calls visit for each granule of a … a+size−1, with the first byte in it and how many. */
static void each_granule(Addr a, UInt size, void (*visit)(struct shadow_page *, UInt granule, UInt from, UInt bytes,
                                                          UInt done))
{
    for (UInt done = 0; done < size;) {
        UInt from = (a + done) & 7, bytes = size - done < 8 - from ? size - done : 8 - from;
        struct shadow_page *page = shadow_page_of(a + done, True);
        if (page != &shadow_none)
            visit(page, (UInt)((a + done) >> 3) & (SHADOW_GRANULES - 1), from, bytes, done);
        else
            access.all = False;
        done += bytes;
    }
}

static UChar mask_of(UInt from, UInt bytes)
{
    return (UChar)(((1u << bytes) - 1) << from);
}

static void gather_load(struct shadow_page *page, UInt granule, UInt from, UInt bytes, UInt done)
{
    const struct shadow_load *load = &page->loads[granule];
    add_pieces(load->context, load->time, page->loaded[granule], from, bytes);
    VG_(memcpy)(access.old + done, (const UChar *)&load->value + from, bytes);
}

static void set_load(struct shadow_page *page, UInt granule, UInt from, UInt bytes, UInt done)
{
    struct shadow_load *load = &page->loads[granule];
    UChar mask = mask_of(from, bytes);
    shadow_split_set(&load->context, &load->time, page->loaded[granule], mask, access.context, context_time);
    page->loaded[granule] |= mask;
    VG_(memcpy)((UChar *)&load->value + from, access.value + done, bytes);
}

static void set_read(struct shadow_page *page, UInt granule, UInt from, UInt bytes, UInt done)
{
    (void)done;
    page->unread[granule] &= (UChar)~mask_of(from, bytes);
}

static void gather_store(struct shadow_page *page, UInt granule, UInt from, UInt bytes, UInt done)
{
    const struct shadow_store *store = &page->stores[granule];
    UChar mask = mask_of(from, bytes);
    (void)done;
    add_pieces(store->context, store->time, page->stored[granule], from, bytes);
    if ((page->unread[granule] & mask) != mask)
        access.unread = False;
}

static void set_store(struct shadow_page *page, UInt granule, UInt from, UInt bytes, UInt done)
{
    struct shadow_store *store = &page->stores[granule];
    UChar mask = mask_of(from, bytes);
    (void)done;
    shadow_split_set(&store->context, &store->time, page->stored[granule], mask, access.context, context_time);
    page->stored[granule] |= mask;
    page->unread[granule] |= mask;
}

static void load_any(Addr a, UInt size, ULong where, const UChar *value)
{
    const struct config *config = config_get();
    if (config->spatial) {
        begin(a, size, where, value);
        UInt first, object = objects_load(a, value, size, access.old, &first, handle_of(where));
        access.all = True;
        if (object && first)
            add_piece(first, context_time, size);
        count(0, object, object && first && access.all && same(), False);
        return;
    }
    begin(a, size, where, value);
    if (config->silent_loads) {
        each_granule(a, size, gather_load);
        count(0, 0, access.all && same(), False);
        each_granule(a, size, set_load);
    }
    if (config->dead_stores)
        each_granule(a, size, set_read);
}

/* access.old holds what was there before. */
static void store_any(Addr a, UInt size, ULong where, const UChar *value)
{
    begin(a, size, where, value);
    each_granule(a, size, gather_store);
    count(1, 0, config_get()->silent_stores && access.all && same(), access.all && access.unread);
    each_granule(a, size, set_store);
}

static __attribute__((noinline)) void load_slow(Addr a, ULong value, ULong where, UInt size)
{
    load_any(a, size, where, (const UChar *)&value);
}

static __attribute__((noinline)) void store_slow(Addr a, ULong old, ULong value, ULong where, UInt size)
{
    VG_(memcpy)(access.old, &old, sizeof old);
    store_any(a, size, where, (const UChar *)&value);
}

/* ---------------------------------------------------------------------------- the fast path -- */

/* An access within one granule of a page in the direct table, to bytes whose predecessor is the usual one. */
#define MISPLACED(a, size) (((a) >> SHADOW_DIRECT_BITS) | ((a) & ((size)-1)))
#define GRANULE(a) ((UInt)((a) >> 3) & (SHADOW_GRANULES - 1))
#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE Bool is_usual(UInt context, UInt handle, UChar valid, UChar mask)
{
    UInt first = context_hot[handle].first;
    return (valid & mask) == mask && context == first && (first == handle || valid == mask);
}

ALWAYS_INLINE void load(Addr a, ULong value, ULong where, UInt size, Bool reads)
{
    struct shadow_page *page;
    if (UNLIKELY(MISPLACED(a, size)) || UNLIKELY(!(page = shadow_pages[a >> SHADOW_PAGE_BITS]))) {
        load_slow(a, value, where, size);
        return;
    }
    UInt granule = GRANULE(a), shift = ((UInt)a & 7) * 8, handle = handle_of(where);
    UChar mask = (UChar)(((1u << size) - 1) << (a & 7));
    struct shadow_load *last = &page->loads[granule];
    if (UNLIKELY(!is_usual(last->context, handle, page->loaded[granule], mask))) {
        load_slow(a, value, where, size);
        return;
    }
    ULong bits = size == 8 ? ~0ULL : (1ULL << size * 8 % 64) - 1, old = last->value >> shift & bits;
    struct context_hot *hot = &context_hot[handle];
    hot->events++;
    hot->silent += old == value || UNLIKELY(lane_of(where) && near_values((const UChar *)&old, (const UChar *)&value,
                                                                         size, lane_of(where),
                                                                         config_get()->tolerance));
    last->value = (last->value & ~(bits << shift)) | value << shift;
    last->context = handle;
    last->time = context_time;
    if (reads)
        page->unread[granule] &= (UChar)~mask;
}

ALWAYS_INLINE void store(Addr a, ULong old, ULong value, ULong where, UInt size, Bool silent)
{
    struct shadow_page *page;
    if (UNLIKELY(MISPLACED(a, size)) || UNLIKELY(!(page = shadow_pages[a >> SHADOW_PAGE_BITS]))) {
        store_slow(a, old, value, where, size);
        return;
    }
    UInt granule = GRANULE(a), handle = handle_of(where);
    UChar mask = (UChar)(((1u << size) - 1) << (a & 7));
    struct shadow_store *last = &page->stores[granule];
    if (UNLIKELY(!is_usual(last->context, handle, page->stored[granule], mask))) {
        store_slow(a, old, value, where, size);
        return;
    }
    struct context_hot *hot = &context_hot[handle];
    hot->events++;
    if (silent)
        hot->silent += old == value || UNLIKELY(lane_of(where) && near_values((const UChar *)&old,
                                                                             (const UChar *)&value, size,
                                                                             lane_of(where), config_get()->tolerance));
    hot->dead += (page->unread[granule] & mask) == mask;
    last->context = handle;
    last->time = context_time;
    page->unread[granule] |= mask;
}

ALWAYS_INLINE void read_only(Addr a, UInt size)
{
    struct shadow_page *page;
    if (UNLIKELY(MISPLACED(a, size)))
        shadow_read(a, size);
    else if ((page = shadow_pages[a >> SHADOW_PAGE_BITS]))
        page->unread[GRANULE(a)] &= (UChar) ~(((1u << size) - 1) << (a & 7));
}

#define HELPERS(size)                                                                                                  \
    static void load_##size(Addr a, ULong value, ULong where) { load(a, value, where, size, False); }                  \
    static void load_and_read_##size(Addr a, ULong value, ULong where) { load(a, value, where, size, True); }          \
    static void load_slow_##size(Addr a, ULong value, ULong where) { load_slow(a, value, where, size); }               \
    static void read_##size(Addr a, ULong value, ULong where)                                                          \
    {                                                                                                                  \
        (void)value, (void)where;                                                                                      \
        read_only(a, size);                                                                                            \
    }                                                                                                                  \
    static void store_##size(Addr a, ULong old, ULong value, ULong where) { store(a, old, value, where, size, True); } \
    static void store_only_##size(Addr a, ULong old, ULong value, ULong where)                                         \
    {                                                                                                                  \
        store(a, old, value, where, size, False);                                                                      \
    }
HELPERS(1)
HELPERS(2)
HELPERS(4)
HELPERS(8)

#define BY_SIZE(name)                                                                                                  \
    {                                                                                                                  \
        {#name "_1", name##_1}, {#name "_2", name##_2}, {#name "_4", name##_4}, { #name "_8", name##_8 }               \
    }

static UInt index_of(UInt size)
{
    return size == 8 ? 3 : size == 4 ? 2 : size - 1;
}

struct access_helper access_load_helper(UInt size)
{
    static const struct access_helper both[] = BY_SIZE(load_and_read), loads[] = BY_SIZE(load), reads[] = BY_SIZE(read),
                                      slow[] = BY_SIZE(load_slow);
    const struct config *config = config_get();
    UInt i = index_of(size);
    if (config->spatial)
        return slow[i];
    if (!config->silent_loads)
        return reads[i];
    return config->dead_stores ? both[i] : loads[i];
}

struct access_helper access_store_helper(UInt size)
{
    static const struct access_helper valued[] = BY_SIZE(store), plain[] = BY_SIZE(store_only);
    return config_get()->silent_stores ? valued[index_of(size)] : plain[index_of(size)];
}

/* ---------------------------------------------------------------------------- wide accesses -- */

void access_load_wide(Addr a, ULong where)
{
    load_any(a, size_of(where), where, (const UChar *)a);
}

void access_keep(Addr a, ULong where)
{
    VG_(memcpy)(access.old, (const UChar *)a, size_of(where));
}

void access_store_wide(Addr a, ULong where)
{
    store_any(a, size_of(where), where, (const UChar *)a);
}

/* ---------------------------------------------------------------------------- the kernel -- */

/* Its bytes end the life of the stores before them, and count in no total. */
static void system_granule(struct shadow_page *page, UInt granule, UInt from, UInt bytes, UInt done)
{
    access.piece_count = 0;
    access.all = True;
    add_pieces(page->stores[granule].context, page->stores[granule].time, page->stored[granule], from, bytes);
    UChar mask = mask_of(from, bytes);
    Bool dead = access.all && (page->unread[granule] & mask) == mask;
    for (UInt i = 0; i < access.piece_count && dead; i++)
        count_in_pair(&access.pieces[i], 0, i == 0, False, True);
    set_store(page, granule, from, bytes, done);
}

void access_system_write(Addr a, SizeT size, UInt context)
{
    const struct config *config = config_get();
    if (!(config->dead_stores || config->silent_stores) || !context)
        return;
    while (size > 0) {
        UInt part = size < ACCESS_WIDE_MAX ? (UInt)size : ACCESS_WIDE_MAX;
        begin(a, part, context, NULL);
        each_granule(a, part, system_granule);
        a += part;
        size -= part;
    }
}
