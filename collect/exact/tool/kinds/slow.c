#include "collect/exact/tool/kinds/slow.h"

#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>

#include "collect/exact/tool/kinds/burst.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/frames.h"
#include "collect/exact/tool/state/objects.h"
#include "collect/exact/tool/state/pairs.h"
#include "collect/exact/tool/state/raw_writer.h"
#include "collect/exact/tool/state/scope.h"
#include "collect/exact/tool/state/shadow_memory.h"
#include "collect/exact/tool/state/tolerance.h"

/* The bytes of an access that are in one granule: `bytes` from byte `offset` on; `done` came before. */
struct part {
    const struct shadow_page *page; /* NULL: no memory */
    UInt granule, offset, bytes, done;
};

/* Bytes of an access that follow the same one. */
struct piece {
    UInt first; /* 0: none, or another thread's */
    UInt time;
    UInt bytes;
};

/* The access being handled: one at a time. */
static struct {
    UInt context, lane;
    UInt part_count, count;
    struct part parts[SLOW_BYTES_MAX / 8 + 1];
    struct piece pieces[SLOW_BYTES_MAX];
    Bool all;         /* every byte has a predecessor of this thread */
    Bool unread;      /* none was loaded since it was stored */
    ULong difference; /* of the loaded value from the previous one; 0: none */
    UChar old[SLOW_BYTES_MAX];
} now;

/* ---------------------------------------------------------------------------- parts of granules -- */

static void slow_start(Addr a, UInt size, UInt handle, UInt lane)
{
    now.context = handle;
    now.lane = lane;
    now.count = now.part_count = 0;
    now.all = now.unread = True;
    now.difference = 0;
    for (UInt done = 0; done < size;) {
        UInt offset = (UInt)(a + done) & 7, bytes = size - done < 8 - offset ? size - done : 8 - offset;
        UInt granule = (UInt)((a + done) & (SHADOW_PAGE_BYTES - 1)) >> 3;
        now.parts[now.part_count++] = (struct part){shadow_page_at(a + done), granule, offset, bytes, done};
        done += bytes;
    }
}

static void slow_copy(void *to, const void *from, UInt bytes)
{
    if (bytes == 8) {
        __builtin_memcpy(to, from, 8);
        return;
    }
    for (UInt i = 0; i < bytes; i++)
        ((UChar *)to)[i] = ((const UChar *)from)[i];
}

/* Each part for which there is memory. */
static const struct part *slow_next_part(const struct part *part)
{
    part = part ? part + 1 : now.parts;
    while (part < now.parts + now.part_count && !part->page) {
        now.all = False;
        part++;
    }
    return part < now.parts + now.part_count ? part : NULL;
}

static UChar *slow_value(const struct part *part)
{
    return (UChar *)&part->page->loads->granules[part->granule].value + part->offset;
}

/* ---------------------------------------------------------------------------- what was there -- */

static void slow_add_piece(UInt first, UInt time, UInt bytes)
{
    struct piece *last = now.count ? &now.pieces[now.count - 1] : NULL;
    if (first && frames_threads > 1 && context_locations[first].thread != context_locations[now.context].thread) {
        raw_writer_lost(RAW_OTHER_THREAD, bytes);
        first = 0;
    }
    now.all &= first != 0;
    if (last && last->first == first)
        last->bytes += bytes;
    else
        now.pieces[now.count++] = (struct piece){first, time, bytes};
}

static void slow_gather(const struct part *part, enum shadow_side side)
{
    shadow_word last = *shadow_last_word(part->page, part->granule, side);
    UInt end = part->offset + part->bytes, valid = shadow_bytes_of(last);
    UInt width = valid != 0xff ? 1 : shadow_is_split(last) ? 1u << shadow_units_of(last).shift : 8;
    for (UInt from = part->offset, stop = from; from < end; from = stop) {
        shadow_word first = valid >> from & 1 ? shadow_last(last, from) : 0, next;
        do {
            stop = (stop & ~(width - 1)) + width;
            next = stop < end && valid >> stop & 1 ? shadow_last(last, stop) : 0;
        } while (stop < end && shadow_context_of(next) == shadow_context_of(first));
        slow_add_piece(shadow_context_of(first), shadow_time_of(first), (stop < end ? stop : end) - from);
    }
}

static void slow_set_last(const struct part *part, enum shadow_side side)
{
    shadow_word *last = shadow_last_word(part->page, part->granule, side);
    UInt others = shadow_bytes_of(*last) & ~shadow_mask(part->offset, part->bytes);
    shadow_set(last, (struct shadow_bytes){part->offset, part->bytes, others}, now.context, context_time);
}

/* ---------------------------------------------------------------------------- counting -- */

/* The pair's index. Afterwards its scope is known. */
static UInt slow_find_pair(const struct piece *piece, UInt object)
{
    UInt index = pairs_at(piece->first, now.context, object);
    struct pair *pair = pairs_by_index(index);
    if (pair->scope == PAIR_SCOPE_UNKNOWN)
        pair->scope = scope_find(pair->first, pair->second, piece->time);
    return index;
}

static void slow_count_piece(const struct piece *piece, Bool event, Bool silent, Bool dead)
{
    struct pair_pieces *pieces = pairs_pieces_of(piece->first, now.context);
    if (!pieces)
        pieces = pairs_take_pieces(slow_find_pair(piece, 0));
    pieces->events += event;
    pieces->bytes += piece->bytes;
    pieces->silent_events += event && silent;
    pieces->silent_bytes += silent ? piece->bytes : 0;
    pieces->dead_events += event && dead;
    pieces->dead_bytes += dead ? piece->bytes : 0;
}

static void slow_count_total(UInt store, UInt size)
{
    struct pair_total *total = pairs_total(context_locations[now.context].thread, store, now.lane != 0);
    total->events++;
    total->bytes += size;
}

static void slow_count(UInt store, UInt size, Bool silent, Bool dead)
{
    const struct piece *piece = &now.pieces[0];
    if (now.count != 1 || !now.all) {
        Bool event = True;
        slow_count_total(store, size);
        for (UInt i = 0; i < now.count; i++) {
            if (!now.pieces[i].first)
                continue;
            slow_count_piece(&now.pieces[i], event, silent, dead);
            event = False;
        }
        return;
    }
    struct pair_recent *recent = pairs_recent_at(piece->first, now.context);
    if (recent->first != piece->first || recent->second != now.context) {
        UInt index = pairs_at(piece->first, now.context, 0);
        struct pair *pair = pairs_by_index(index);
        if (pair->scope == PAIR_SCOPE_UNKNOWN) { /* a pair that occurs once must not evict a frequent one */
            pair->scope = scope_find(pair->first, pair->second, piece->time);
            pairs_count_first(pair, silent, dead);
            return;
        }
        recent = pairs_take_recent(index);
    }
    recent->events++;
    recent->silent += silent;
    pairs_recent_more[recent - pairs_recent].dead += dead;
}

/* ---------------------------------------------------------------------------- accesses -- */

static void slow_set_loaded(const UChar *value)
{
    for (const struct part *part = slow_next_part(NULL); part; part = slow_next_part(part)) {
        slow_set_last(part, SHADOW_LOADS);
        slow_copy(slow_value(part), value + part->done, part->bytes);
    }
}

static Bool slow_is_near(const UChar *old, const UChar *value, UInt size)
{
    return now.lane && tolerance_is_near(old, value, size, now.lane);
}

static void slow_load_spatial(Addr a, UInt size, UInt lane, UInt handle, const UChar *value)
{
    struct objects_previous previous = objects_load(a, value, size, handle, now.old);
    slow_start(a, 0, handle, lane);
    Bool silent = previous.context && previous.size == size &&
                  (VG_(memcmp)(now.old, value, size) == 0 || slow_is_near(now.old, value, size));
    if (burst_wants() && !burst_spatial_load(&previous, size, handle, silent))
        return;
    slow_count_total(0, size);
    if (!previous.context)
        return;
    slow_add_piece(previous.context, previous.time, size);
    const struct piece *piece = &now.pieces[0];
    if (!piece->first)
        return;
    struct pair *pair = pairs_by_index(slow_find_pair(piece, previous.object));
    pair->events++;
    pair->bytes += piece->bytes;
    pair->silent_events += silent;
    pair->silent_bytes += silent ? piece->bytes : 0;
}

void slow_load(Addr a, UInt size, UInt lane, UInt handle, const UChar *value)
{
    const struct config *config = config_get();
    if (config->spatial) {
        slow_load_spatial(a, size, lane, handle, value);
        return;
    }
    if (config->silent_loads) {
        slow_start(a, size, handle, lane);
        for (const struct part *part = slow_next_part(NULL); part; part = slow_next_part(part)) {
            ULong new = 0, old = 0;
            slow_gather(part, SHADOW_LOADS);
            slow_copy(&new, value + part->done, part->bytes);
            slow_copy(&old, slow_value(part), part->bytes);
            now.difference |= old ^ new;
            if (now.lane) /* they must be compared by lanes */
                slow_copy(now.old + part->done, slow_value(part), part->bytes);
        }
        slow_count(0, size, now.all && (now.difference == 0 || slow_is_near(now.old, value, size)), False);
        slow_set_loaded(value);
    }
    if (config->dead_stores)
        shadow_read(a, size);
}

static void slow_gather_stored(void)
{
    for (const struct part *part = slow_next_part(NULL); part; part = slow_next_part(part)) {
        UInt mask = shadow_mask(part->offset, part->bytes);
        slow_gather(part, SHADOW_STORES);
        now.unread &= (part->page->stores->unread[part->granule] & mask) == mask;
    }
}

static void slow_set_stored(void)
{
    for (const struct part *part = slow_next_part(NULL); part; part = slow_next_part(part)) {
        slow_set_last(part, SHADOW_STORES);
        part->page->stores->unread[part->granule] |= (UChar)shadow_mask(part->offset, part->bytes);
    }
}

void slow_fill_load(Addr a, UInt size, UInt handle, const UChar *value)
{
    slow_start(a, size, handle, 0);
    slow_set_loaded(value);
    if (config_get()->dead_stores)
        shadow_read(a, size);
}

void slow_fill_store(Addr a, UInt size, UInt handle)
{
    slow_start(a, size, handle, 0);
    slow_set_stored();
}

void slow_store(Addr a, UInt size, UInt lane, UInt handle, const ULong *change)
{
    UInt words = (size + 7) / 8;
    ULong difference = 0;
    slow_start(a, size, handle, lane);
    slow_gather_stored();
    for (UInt i = 0; change && now.all && i < words; i++) {
        ULong mask = i == words - 1 && size % 8 ? ~0ULL >> (64 - size % 8 * 8) : ~0ULL;
        difference |= (lane ? change[i] ^ change[words + i] : change[i]) & mask;
    }
    Bool silent = change && now.all &&
                  (difference == 0 || slow_is_near((const UChar *)change, (const UChar *)(change + words), size));
    slow_count(1, size, silent, now.all && now.unread);
    slow_set_stored();
}

void slow_kernel_store(Addr a, UInt size, UInt context)
{
    slow_start(a, size, context, 0);
    slow_gather_stored();
    for (UInt i = 0; i < now.count && now.all && now.unread; i++)
        slow_count_piece(&now.pieces[i], i == 0, False, True);
    slow_set_stored();
}
