#include "collect/exact/tool/kinds/burst.h"

#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_threadstate.h>
#include <valgrind/pub_tool_vki.h>

#include "collect/bursts/length.h"
#include "collect/exact/tool/kinds/access.h"
#include "collect/exact/tool/kinds/slow.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/context.h"
#include "collect/exact/tool/state/frames.h"
#include "collect/exact/tool/state/objects.h"
#include "collect/exact/tool/state/raw_writer.h"
#include "collect/exact/tool/state/shadow_memory.h"
#include "collect/exact/tool/state/tolerance.h"

enum { DEAD_STORE, SILENT_STORE, SILENT_LOAD, SPATIAL_LOAD }; /* as enum trace_waste */

Long burst_left;
UInt burst_watching = BURST_ALWAYS;
static struct raw_burst counts[BURST_KINDS];
static Bool recorded[BURST_KINDS];

/* ---------------------------------------------------------------------------- switching -- */

/* A burst that sees no access of a kind is one, too. */
static void burst_report(void)
{
    for (UInt kind = 0; kind < BURST_KINDS; kind++) {
        if (!recorded[kind])
            continue;
        counts[kind].waste = kind;
        raw_writer_burst(&counts[kind]);
        burst_length_learn(kind, counts[kind].bytes, counts[kind].wasted_bytes, counts[kind].unseen_bytes);
        counts[kind] = (struct raw_burst){0};
    }
}

void burst_flush(void)
{
    if (burst_watching == BURST_COUNTING)
        burst_report();
}

void burst_switch(void)
{
    enum { STACK_MOST = 1 << 20, RED_ZONE = 128 };
    Addr sp;
    switch (burst_watching) {
    case BURST_GAP:
        shadow_begin();
        objects_forget();
        sp = VG_(get_SP)(VG_(get_running_tid)());
        if (sp > STACK_MOST) /* below the stack pointer nothing has a predecessor */
            shadow_clear(sp - RED_ZONE - STACK_MOST, STACK_MOST);
        burst_watching = BURST_FILLING;
        burst_left += (Long)burst_length_first();
        return;
    case BURST_FILLING:
        shadow_begin_half();
        burst_watching = BURST_COUNTING;
        burst_left += (Long)burst_length_second();
        return;
    default:
        burst_report();
        shadow_clear_all();
        burst_watching = BURST_GAP;
        burst_left += (Long)burst_length_gap();
    }
}

void burst_init(void)
{
    const struct config *config = config_get();
    if (!config->burst_on)
        return;
    recorded[DEAD_STORE] = config->dead_stores;
    recorded[SILENT_STORE] = config->silent_stores;
    recorded[SILENT_LOAD] = config->silent_loads;
    recorded[SPATIAL_LOAD] = config->spatial;
    struct vki_timespec now;
    VG_(clock_gettime)(&now, VKI_CLOCK_MONOTONIC);
    ULong seed = (ULong)now.tv_nsec * 0x9e3779b97f4a7c15ULL ^ (ULong)now.tv_sec << 32 ^ (ULong)VG_(getpid)();
    burst_length_init(&(struct burst_lengths){config->burst_on, config->burst_off, config->burst_auto, seed});
    burst_watching = BURST_GAP;
    burst_left = (Long)burst_length_gap();
}

/* ---------------------------------------------------------------------------- looking -- */

/* What a burst knows of the bytes of an access. */
struct known {
    Bool all;         /* each has a predecessor of this thread */
    Bool unseen;      /* one may have a predecessor before the burst */
    Bool crossing;    /* one has a predecessor, or has started afresh, in the burst's first half */
    Bool unread;      /* of stores: none was loaded since */
    Bool loaded;      /* one was loaded since the burst began, and */
    Bool loaded_late; /* since its second half began */
};

static void burst_check_word(shadow_word word, UInt handle, struct known *known)
{
    known->crossing |= shadow_time_of(word) < shadow_half;
    if (UNLIKELY(frames_threads > 1) &&
        context_locations[shadow_context_of(word)].thread != context_locations[handle].thread)
        known->all = False;
}

/* The bytes from … end−1 of a granule, each of which has a last access. */
static void burst_check_words(shadow_word last, UInt from, UInt end, UInt handle, struct known *known)
{
    if (!shadow_is_split(last)) {
        burst_check_word(last, handle, known);
        return;
    }
    struct shadow_units units = shadow_units_of(last);
    for (const shadow_word *unit = shadow_unit(units, from); unit <= shadow_unit(units, end - 1); unit++)
        burst_check_word(*unit, handle, known);
}

static void burst_check_byte(const struct shadow_page *page, Addr a, enum shadow_side side, UInt handle,
                             struct known *known)
{
    UInt granule = shadow_granule_of(a), bit = 1u << (a & 7);
    const struct shadow_marks *marks = shadow_marks_of(page);
    shadow_word last = *shadow_last_word(page, granule, side);
    if (shadow_bytes_of(last) & bit) {
        burst_check_word(shadow_last(last, (UInt)a & 7), handle, known);
        return;
    }
    known->all = False;
    known->unseen |= !(marks->fresh[granule] & bit);
    known->crossing |= (marks->fresh_early[granule] & bit) != 0;
}

static struct known burst_check_access(Addr a, UInt size, enum shadow_side side, UInt handle)
{
    struct known known = {.all = True, .unread = True};
    for (UInt done = 0, bytes; done < size; done += bytes) {
        UInt offset = (UInt)(a + done) & 7, available = 8 - offset;
        bytes = size - done < available ? size - done : available;
        const struct shadow_page *page = shadow_page_at(a + done);
        UInt granule = shadow_granule_of(a + done), mask = shadow_mask(offset, bytes);
        if (!page) { /* lost, which is counted */
            known.all = False;
            continue;
        }
        shadow_word last = *shadow_last_word(page, granule, side);
        if (LIKELY((shadow_bytes_of(last) & mask) == mask))
            burst_check_words(last, offset, offset + bytes, handle, &known);
        else
            for (UInt i = 0; i < bytes; i++)
                burst_check_byte(page, a + done + i, side, handle, &known);
        known.loaded |= (shadow_marks_of(page)->loaded[granule] & mask) != 0;
        known.loaded_late |= (shadow_marks_of(page)->loaded_late[granule] & mask) != 0;
        known.unread &= side == SHADOW_STORES && (page->stores->unread[granule] & mask) == mask;
    }
    return known;
}

static Bool burst_is_same_load(Addr a, UInt size, UInt lane, const ULong *value)
{
    UChar old[SLOW_BYTES_MAX];
    for (UInt done = 0, bytes; done < size; done += bytes) {
        UInt offset = (UInt)(a + done) & 7, available = 8 - offset;
        bytes = size - done < available ? size - done : available;
        const struct shadow_load *granule = &shadow_page_at(a + done)->loads->granules[shadow_granule_of(a + done)];
        ULong part = granule->value >> offset * 8;
        for (UInt i = 0; i < bytes; i++, part >>= 8)
            old[done + i] = (UChar)part;
    }
    return lane ? tolerance_is_near(old, (const UChar *)value, size, lane) : VG_(memcmp)(old, value, size) == 0;
}

/* How many of the bytes were stored last by the program, not by the kernel, whose stores have no size and are never
 * dead; all have a last store. */
static UInt burst_program_bytes(Addr a, UInt size)
{
    UInt bytes = 0;
    for (UInt i = 0; i < size; i++) {
        const struct shadow_page *page = shadow_page_at(a + i);
        shadow_word last = page->stores->last[shadow_granule_of(a + i)];
        bytes += context_locations[shadow_context_of(shadow_last(last, (UInt)(a + i) & 7))].slot->size != 0;
    }
    return bytes;
}

/* ---------------------------------------------------------------------------- counting -- */

/* An access that would be wasted if it had the right predecessor, as far as the burst (its second half) has shown. */
struct possible {
    Bool in_burst, in_half;
};

static void burst_count(UInt kind, UInt size, const struct known *known, struct possible possible, UInt wasted_bytes)
{
    struct raw_burst *sums = &counts[kind];
    sums->bytes += size;
    if (known->unseen) {
        sums->unseen_bytes += possible.in_burst ? size : 0;
        return;
    }
    sums->wasted_bytes += wasted_bytes;
    if (known->crossing && possible.in_half) {
        sums->crossing_bytes += size;
        sums->crossing_wasted_bytes += wasted_bytes;
    }
}

/* Any value may have been loaded before. */
static const struct possible always = {True, True};

/* ---------------------------------------------------------------------------- the usual case -- */

/* An access within one granule, whose page has memory; page NULL: another one. */
struct within {
    const struct shadow_page *page;
    UInt granule, mask;
};

ALWAYS_INLINE struct within burst_granule_at(Addr a, UInt size)
{
    const struct shadow_page *page = &shadow_pages[a >> SHADOW_PAGE_BITS];
    UInt offset = (UInt)a & 7;
    if (UNLIKELY(a >> SHADOW_DIRECT_BITS) || UNLIKELY(offset + size > 8) || UNLIKELY(!page->loads && !page->stores))
        return (struct within){NULL, 0, 0};
    return (struct within){page, shadow_granule_of(a), shadow_mask(offset, size)};
}

ALWAYS_INLINE void burst_set_last(shadow_word *last, Addr a, UInt size, UInt handle)
{
    shadow_set(last, shadow_bytes_at(*last, a, size), handle, context_time);
}

/* Whether all its bytes have one predecessor, and that is of the only thread. */
ALWAYS_INLINE Bool burst_is_plain(shadow_word last, UInt mask)
{
    return (shadow_bytes_of(last) & mask) == mask && !shadow_is_split(last) && frames_threads == 1;
}

ALWAYS_INLINE void burst_count_plain(UInt kind, UInt size, Bool crossing, Bool possible, UInt wasted_bytes)
{
    struct raw_burst *sums = &counts[kind];
    sums->bytes += size;
    sums->wasted_bytes += wasted_bytes;
    if (UNLIKELY(crossing) && possible) {
        sums->crossing_bytes += size;
        sums->crossing_wasted_bytes += wasted_bytes;
    }
}

ALWAYS_INLINE void burst_mark_loaded(struct within at, Addr a, UInt size)
{
    if (UNLIKELY(!at.page)) {
        shadow_mark_loaded(a, size);
        return;
    }
    struct shadow_marks *marks = shadow_marks_of(at.page);
    marks->loaded[at.granule] |= (UChar)at.mask;
    if (burst_watching == BURST_COUNTING)
        marks->loaded_late[at.granule] |= (UChar)at.mask;
}

/* ---------------------------------------------------------------------------- accesses -- */

Bool burst_load(Addr a, UInt size, ULong where, const ULong *value)
{
    struct within at = burst_granule_at(a, size);
    if (recorded[DEAD_STORE])
        burst_mark_loaded(at, a, size);
    if (!recorded[SILENT_LOAD])
        return True;
    struct shadow_load *granule = LIKELY(at.page != NULL) ? &at.page->loads->granules[at.granule] : NULL;
    UInt shift = ((UInt)a & 7) * 8;
    ULong bits = granule ? ~0ULL >> (64 - 8 * size) : 0;
    if (burst_watching == BURST_FILLING) {
        if (UNLIKELY(!granule)) {
            slow_fill_load(a, size, access_handle(where), (const UChar *)value);
            return False;
        }
        granule->value = (granule->value & ~(bits << shift)) | (*value & bits) << shift;
        burst_set_last(&granule->last, a, size, access_handle(where));
        if (at.page->stores)
            at.page->stores->unread[at.granule] &= (UChar)~at.mask;
        return False;
    }
    if (LIKELY(granule != NULL) && LIKELY(burst_is_plain(granule->last, at.mask))) {
        Bool same = ((granule->value >> shift ^ *value) & bits) == 0;
        if (UNLIKELY(!same) && UNLIKELY(access_lane(where)))
            same = burst_is_same_load(a, size, access_lane(where), value);
        burst_count_plain(SILENT_LOAD, size, shadow_time_of(granule->last) < shadow_half, True, same ? size : 0);
        return True;
    }
    struct known known = burst_check_access(a, size, SHADOW_LOADS, access_handle(where));
    Bool same = known.all && burst_is_same_load(a, size, access_lane(where), value);
    burst_count(SILENT_LOAD, size, &known, always, same ? size : 0);
    return True;
}

Bool burst_store(Addr a, UInt size, ULong where, Bool silent)
{
    struct within at = burst_granule_at(a, size);
    if (burst_watching == BURST_FILLING) {
        if (UNLIKELY(!at.page)) {
            slow_fill_store(a, size, access_handle(where));
            return False;
        }
        burst_set_last(&at.page->stores->last[at.granule], a, size, access_handle(where));
        at.page->stores->unread[at.granule] |= (UChar)at.mask;
        return False;
    }
    if (LIKELY(at.page != NULL) && LIKELY(burst_is_plain(at.page->stores->last[at.granule], at.mask))) {
        Bool crossing = shadow_time_of(at.page->stores->last[at.granule]) < shadow_half;
        Bool dead = (at.page->stores->unread[at.granule] & at.mask) == at.mask;
        Bool loaded_late = (shadow_marks_of(at.page)->loaded_late[at.granule] & at.mask) != 0;
        if (recorded[DEAD_STORE])
            burst_count_plain(DEAD_STORE, size, crossing, !loaded_late, dead ? burst_program_bytes(a, size) : 0);
        if (recorded[SILENT_STORE])
            burst_count_plain(SILENT_STORE, size, crossing, silent, silent ? size : 0);
        return True;
    }
    struct known known = burst_check_access(a, size, SHADOW_STORES, access_handle(where));
    if (recorded[DEAD_STORE])
        burst_count(DEAD_STORE, size, &known, (struct possible){!known.loaded, !known.loaded_late},
                    known.all && known.unread ? burst_program_bytes(a, size) : 0);
    if (recorded[SILENT_STORE])
        burst_count(SILENT_STORE, size, &known, (struct possible){silent, silent}, known.all && silent ? size : 0);
    return True;
}

/* Its bytes are not among those stored, so it counts only where it ends a dead store of the program. */
Bool burst_kernel_store(Addr a, UInt size, UInt handle)
{
    if (burst_watching == BURST_FILLING) {
        slow_fill_store(a, size, handle);
        return False;
    }
    struct known known = burst_check_access(a, size, SHADOW_STORES, handle);
    if (recorded[DEAD_STORE] && known.all && known.unread)
        counts[DEAD_STORE].wasted_bytes += burst_program_bytes(a, size);
    return True;
}

Bool burst_spatial_load(const struct objects_previous *previous, UInt size, UInt handle, Bool silent)
{
    struct known known = {.unseen = previous->object && !previous->context && previous->forgotten,
                          .crossing = previous->object && previous->time < shadow_half};
    if (burst_watching == BURST_FILLING)
        return False;
    Bool own = previous->context &&
               (frames_threads == 1 || context_locations[previous->context].thread == context_locations[handle].thread);
    burst_count(SPATIAL_LOAD, size, &known, always, own && silent ? size : 0);
    return True;
}
