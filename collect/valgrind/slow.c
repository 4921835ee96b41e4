#include "collect/valgrind/slow.h"

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

/* Bytes of an access that follow the same one. */
struct piece {
    UInt first; /* 0: none, or another thread's */
    UInt time;
    UInt bytes;
};

/* The access that is being looked at: one at a time. */
static struct {
    UInt context, lane;
    UInt count;
    struct piece pieces[SLOW_BYTES_MAX];
    Bool all;    /* every byte has a predecessor of this thread */
    Bool unread; /* none was loaded since it was stored */
    UChar old[SLOW_BYTES_MAX];
} now;

static Bool same(const UChar *old, const UChar *value, UInt size)
{
    return VG_(memcmp)(old, value, size) == 0 ||
           (now.lane && near_values(old, value, size, now.lane, config_get()->tolerance));
}

/* ---------------------------------------------------------------------------- parts of granules -- */

/* The bytes of an access that are in one granule: `bytes` from byte `offset` on; `done` came before. */
struct part {
    struct shadow_page *page; /* NULL: there is no memory for it */
    UInt granule, offset, bytes, done;
};

static Bool next_part(Addr a, UInt size, struct part *part)
{
    part->done += part->bytes;
    if (part->done >= size)
        return False;
    a += part->done;
    part->granule = (UInt)(a & (SHADOW_PAGE_BYTES - 1)) >> 3;
    part->offset = (UInt)a & 7;
    part->bytes = size - part->done < 8 - part->offset ? size - part->done : 8 - part->offset;
    part->page = shadow_page_of(a, True);
    return True;
}

/* Loads or stores: `kind` is SHADOW_LOADED or SHADOW_STORED. */
static struct shadow_units *units_of(const struct part *part, UInt kind)
{
    UInt i = shadow_part(part->granule);
    return kind == SHADOW_LOADED ? &part->page->split_loads[i] : &part->page->split_stores[i];
}

static shadow_word *last_of(const struct part *part, UInt kind)
{
    return kind == SHADOW_LOADED ? &part->page->loads[part->granule].last : &part->page->stores[part->granule];
}

static UInt bits_of(const struct part *part, UInt kind)
{
    return part->page->bits[part->granule] >> kind & 0xff;
}

static UChar *value_of(const struct part *part)
{
    return (UChar *)&part->page->loads[part->granule].value + part->offset;
}

/* ---------------------------------------------------------------------------- what was there -- */

static void begin(UInt handle, UInt lane)
{
    now.context = handle;
    now.lane = lane;
    now.count = 0;
    now.all = now.unread = True;
}

static void add_piece(UInt first, UInt time, UInt bytes)
{
    struct piece *last = now.count ? &now.pieces[now.count - 1] : NULL;
    if (first && frames_threads > 1 && context_places[first].thread != context_places[now.context].thread) {
        report_lost(RAW_OTHER_THREAD, bytes);
        first = 0;
    }
    now.all &= first != 0;
    if (last && last->first == first)
        last->bytes += bytes;
    else
        now.pieces[now.count++] = (struct piece){first, time, bytes};
}

static void gather(const struct part *part, UInt kind)
{
    const struct shadow_units *units = units_of(part, kind);
    shadow_word last = *last_of(part, kind);
    UInt end = part->offset + part->bytes, valid = bits_of(part, kind);
    UInt width = valid != 0xff ? 1 : (UInt)last == SHADOW_SPLIT ? 1u << units->shift : 8;
    for (UInt from = part->offset; from < end;) {
        UInt stop = (from & ~(width - 1)) + width;
        shadow_word one = shadow_last(units, last, part->granule, from);
        stop = stop < end ? stop : end;
        add_piece(valid >> from & 1 ? (UInt)one : 0, (UInt)(one >> 32), stop - from);
        from = stop;
    }
}

static void set_last(const struct part *part, UInt kind)
{
    UInt mask = shadow_mask(part->offset, part->bytes);
    shadow_set(units_of(part, kind), last_of(part, kind), part->granule, bits_of(part, kind) & ~mask, part->offset,
               part->bytes, shadow_word_of(now.context, context_time));
    part->page->bits[part->granule] |= mask << kind;
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
    struct pair_total *total = pairs_total(context_places[now.context].thread, store, now.lane != 0);
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

/* ---------------------------------------------------------------------------- accesses -- */

static void gather_loaded(Addr a, UInt size)
{
    for (struct part part = {0}; next_part(a, size, &part);) {
        if (!part.page) {
            now.all = False;
            continue;
        }
        gather(&part, SHADOW_LOADED);
        VG_(memcpy)(now.old + part.done, value_of(&part), part.bytes);
    }
}

static void set_loaded(Addr a, UInt size, const UChar *value)
{
    for (struct part part = {0}; next_part(a, size, &part);) {
        if (!part.page)
            continue;
        set_last(&part, SHADOW_LOADED);
        VG_(memcpy)(value_of(&part), value + part.done, part.bytes);
    }
}

static void load_spatial(Addr a, UInt size, UInt lane, UInt handle, const UChar *value)
{
    struct objects_previous previous = objects_load(a, value, size, handle, now.old);
    begin(handle, lane);
    if (previous.context)
        add_piece(previous.context, previous.time, size);
    count(0, size, previous.object, now.count && now.all && previous.size == size && same(now.old, value, size), False);
}

void slow_load(Addr a, UInt size, UInt lane, UInt handle, const UChar *value)
{
    const struct config *config = config_get();
    if (config->spatial) {
        load_spatial(a, size, lane, handle, value);
        return;
    }
    if (config->silent_loads) {
        begin(handle, lane);
        gather_loaded(a, size);
        count(0, size, 0, now.all && same(now.old, value, size), False);
        set_loaded(a, size, value);
    }
    if (config->dead_stores)
        shadow_read(a, size);
}

static void gather_stored(Addr a, UInt size)
{
    for (struct part part = {0}; next_part(a, size, &part);) {
        if (!part.page) {
            now.all = False;
            continue;
        }
        UInt mask = shadow_mask(part.offset, part.bytes);
        gather(&part, SHADOW_STORED);
        now.unread &= (bits_of(&part, SHADOW_UNREAD) & mask) == mask;
    }
}

static void set_stored(Addr a, UInt size)
{
    for (struct part part = {0}; next_part(a, size, &part);) {
        if (!part.page)
            continue;
        set_last(&part, SHADOW_STORED);
        part.page->bits[part.granule] |= shadow_mask(part.offset, part.bytes) << SHADOW_UNREAD;
    }
}

static Bool is_silent(UInt size, const ULong *change)
{
    static const UChar NOTHING[SLOW_BYTES_MAX];
    const UChar *bytes = (const UChar *)change;
    return change && now.all && same(bytes, now.lane ? bytes + (size + 7) / 8 * 8 : NOTHING, size);
}

void slow_store(Addr a, UInt size, UInt lane, UInt handle, const ULong *change)
{
    begin(handle, lane);
    gather_stored(a, size);
    count(1, size, 0, is_silent(size, change), now.all && now.unread);
    set_stored(a, size);
}

void slow_kernel_store(Addr a, UInt size, UInt context)
{
    begin(context, 0);
    gather_stored(a, size);
    for (UInt i = 0; i < now.count && now.all && now.unread; i++)
        count_in_pair(&now.pieces[i], 0, i == 0, False, True);
    set_stored(a, size);
}
