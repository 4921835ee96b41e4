#include "collect/exact/tool/state/pairs.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

struct pair_recent pairs_recent[1 << PAIRS_RECENT_BITS];
struct pair_recent_more pairs_recent_more[1 << PAIRS_RECENT_BITS];
struct pair_usual *pairs_usual;
static UInt *usual_pairs; /* [handle]: its index in the table */
ULong pairs_alone[2][PAIRS_ALONE_BYTES + 1];
struct pair_total pairs_alone_approximate[2];

enum { PIECES_BITS = 12 };
#define PIECES_MOST 0x80000000u /* bytes */
static struct pair_pieces pieces[1 << PIECES_BITS];

/* The table. Its pairs are never moved: to grow by copying would take time, and twice the memory, with millions of
 * them. */
enum { CHUNK_BITS = 16, CHUNK_PAIRS = 1 << CHUNK_BITS };
static struct pair *chunks[1 << (32 - CHUNK_BITS)];
static UInt count; /* indices begin at 1 */

/*
 * Most contexts are the second of few pairs, often of one that occurs once: their pairs are linked. The pairs
 * of a context that has more are found by `slots`, a hash table.
 */
enum { FEW_PAIRS = 4 };
#define IN_SLOTS 0xffffffffu
static UInt *newest_pairs; /* [handle]: the first of the linked ones; 0: none yet; IN_SLOTS */

/* An entry of the hash table. It contains the hash so that probing and growing need not access the pairs. */
struct slot {
    UInt pair; /* 0: free */
    UInt hash;
};
static struct slot *slots;
static UInt mask, slot_count;

static struct pair_total (*totals)[2][2]; /* [thread][store][approximate] */
static UInt total_capacity;

static void *pairs_reserve(SizeT bytes)
{
    void *memory = VG_(am_shadow_alloc)(bytes);
    if (!memory)
        VG_(out_of_memory_NORETURN)("assay: pairs", bytes);
    return memory;
}

struct pair *pairs_by_index(UInt index)
{
    return &chunks[index >> CHUNK_BITS][index % CHUNK_PAIRS];
}

void pairs_init(void)
{
    pairs_usual = pairs_reserve((SizeT)CONTEXT_HANDLES_MAX * sizeof *pairs_usual);
    usual_pairs = pairs_reserve((SizeT)CONTEXT_HANDLES_MAX * sizeof *usual_pairs);
    newest_pairs = pairs_reserve((SizeT)CONTEXT_HANDLES_MAX * sizeof *newest_pairs);
    mask = (1 << 14) - 1;
    slots = VG_(calloc)("assay.pair.slots", mask + 1, sizeof *slots);
}

static UInt pairs_hash(UInt first, UInt second, UInt object)
{
    ULong mixed = ((ULong)first << 32 | second) * 0x9e3779b97f4a7c15ULL ^ (ULong)object * 0xc2b2ae3d27d4eb4fULL;
    return (UInt)(mixed ^ mixed >> 29);
}

static Bool pairs_is(const struct pair *pair, UInt first, UInt second, UInt object)
{
    return pair->first == first && pair->second == second && pair->object == object;
}

static struct slot *pairs_find_free_slot(UInt hashed)
{
    UInt i = hashed & mask;
    while (slots[i].pair)
        i = (i + 1) & mask;
    return &slots[i];
}

static UInt pairs_new(UInt first, UInt second, UInt object)
{
    struct pair **chunk = &chunks[++count >> CHUNK_BITS];
    if (!*chunk)
        *chunk = pairs_reserve(CHUNK_PAIRS * sizeof **chunk);
    *pairs_by_index(count) =
        (struct pair){.first = first, .second = second, .object = object, .scope = PAIR_SCOPE_UNKNOWN};
    return count;
}

/* Adds a pair that is not there yet. */
static void pairs_add_to_slots(UInt hashed, UInt pair)
{
    if (slot_count >= mask / 2) {
        struct slot *old = slots;
        UInt old_mask = mask;
        mask = mask * 2 + 1;
        slots = VG_(calloc)("assay.pair.slots", (SizeT)mask + 1, sizeof *slots);
        for (UInt i = 0; i <= old_mask; i++)
            if (old[i].pair)
                *pairs_find_free_slot(old[i].hash) = old[i];
        VG_(free)(old);
    }
    *pairs_find_free_slot(hashed) = (struct slot){pair, hashed};
    slot_count++;
}

static UInt pairs_find_in_slots(UInt first, UInt second, UInt object)
{
    UInt hashed = pairs_hash(first, second, object);
    for (UInt i = hashed & mask; slots[i].pair; i = (i + 1) & mask)
        if (slots[i].hash == hashed && pairs_is(pairs_by_index(slots[i].pair), first, second, object))
            return slots[i].pair;
    UInt pair = pairs_new(first, second, object);
    pairs_add_to_slots(hashed, pair);
    return pair;
}

UInt pairs_at(UInt first, UInt second, UInt object)
{
    UInt newest = newest_pairs[second], seen = 0;
    if (newest == IN_SLOTS)
        return pairs_find_in_slots(first, second, object);
    for (UInt i = newest; i; i = pairs_by_index(i)->next, seen++)
        if (pairs_is(pairs_by_index(i), first, second, object))
            return i;
    if (seen == FEW_PAIRS) {
        for (UInt i = newest; i; i = pairs_by_index(i)->next)
            pairs_add_to_slots(pairs_hash(pairs_by_index(i)->first, second, pairs_by_index(i)->object), i);
        newest_pairs[second] = IN_SLOTS;
        return pairs_find_in_slots(first, second, object);
    }
    newest_pairs[second] = pairs_new(first, second, object);
    pairs_by_index(count)->next = newest;
    return count;
}

struct pair_total *pairs_total(UInt thread, UInt store, Bool approximate)
{
    if (thread >= total_capacity) {
        UInt wanted = thread + 64;
        totals = VG_(realloc)("assay.totals", totals, wanted * sizeof *totals);
        VG_(memset)(totals + total_capacity, 0, (wanted - total_capacity) * sizeof *totals);
        total_capacity = wanted;
    }
    return &totals[thread][store][approximate];
}

/*
 * Moves whole accesses, counted elsewhere, to the table. The pair's index is kept there, since finding it among
 * millions misses the cache.
 */
static void pairs_add_counts(struct pair *pair, UInt events, UInt silent, UInt dead)
{
    const struct context_location *location = &context_locations[pair->second];
    pair->events += events;
    pair->silent_events += silent;
    pair->dead_events += dead;
    pair->bytes += (ULong)events * location->slot->size;
    pair->silent_bytes += (ULong)silent * location->slot->size;
    pair->dead_bytes += (ULong)dead * location->slot->size;
    struct pair_total *total = pairs_total(location->thread, location->slot->store, location->slot->lane != 0);
    total->events += events;
    total->bytes += (ULong)events * location->slot->size;
}

void pairs_count_first(struct pair *pair, Bool silent, Bool dead)
{
    pairs_add_counts(pair, 1, silent, dead);
}

static void pairs_finalize_recent(struct pair_recent *recent)
{
    struct pair_recent_more *more = &pairs_recent_more[recent - pairs_recent];
    if (recent->events)
        pairs_add_counts(pairs_by_index(more->pair), recent->events, recent->silent, more->dead);
    recent->events = recent->silent = more->dead = 0;
}

struct pair_recent *pairs_take_recent(UInt index)
{
    const struct pair *pair = pairs_by_index(index);
    struct pair_recent *recent = pairs_recent_at(pair->first, pair->second);
    pairs_finalize_recent(recent);
    recent->first = pair->first;
    recent->second = pair->second;
    pairs_recent_more[recent - pairs_recent].pair = index;
    return recent;
}

void pairs_finalize_usual(struct pair_usual *usual, UInt second)
{
    if (usual->events)
        pairs_add_counts(pairs_by_index(usual_pairs[second]), usual->events, usual->silent, usual->dead);
    usual->events = usual->silent = usual->dead = 0;
}

Bool pairs_count_recent(UInt first, UInt second, Bool silent, Bool dead)
{
    struct pair_recent *recent = pairs_recent_at(first, second);
    struct pair_recent_more *more = &pairs_recent_more[recent - pairs_recent];
    struct pair_usual *usual = &pairs_usual[second];
    if (recent->first != first || recent->second != second)
        return False;
    recent->events++;
    recent->silent += silent;
    more->dead += dead;
    if (recent->events > usual->events) {
        pairs_finalize_usual(usual, second);
        *usual = (struct pair_usual){first, recent->events, recent->silent, more->dead};
        usual_pairs[second] = more->pair;
        recent->events = recent->silent = more->dead = 0;
    }
    return True;
}

static void pairs_finalize_pieces(struct pair_pieces *one)
{
    if (!one->bytes)
        return;
    struct pair *pair = pairs_by_index(one->pair);
    pair->events += one->events;
    pair->silent_events += one->silent_events;
    pair->dead_events += one->dead_events;
    pair->bytes += one->bytes;
    pair->silent_bytes += one->silent_bytes;
    pair->dead_bytes += one->dead_bytes;
    *one = (struct pair_pieces){.first = one->first, .second = one->second, .pair = one->pair};
}

static struct pair_pieces *pairs_pieces_at(UInt first, UInt second)
{
    return &pieces[(first * 0x9e3779b1u + second * 0x85ebca6bu) >> (32 - PIECES_BITS)];
}

struct pair_pieces *pairs_pieces_of(UInt first, UInt second)
{
    struct pair_pieces *one = pairs_pieces_at(first, second);
    if (UNLIKELY(one->bytes >= PIECES_MOST))
        pairs_finalize_pieces(one);
    return one->first == first && one->second == second ? one : NULL;
}

struct pair_pieces *pairs_take_pieces(UInt index)
{
    const struct pair *pair = pairs_by_index(index);
    struct pair_pieces *one = pairs_pieces_at(pair->first, pair->second);
    pairs_finalize_pieces(one);
    one->first = pair->first;
    one->second = pair->second;
    one->pair = index;
    return one;
}

Bool pairs_count_runs(const struct pair_run *runs, UInt run_count, UInt second, Bool silent, Bool dead)
{
    struct pair_pieces *found[PAIRS_RUNS_MOST];
    for (UInt i = 0; i < run_count; i++)
        if (runs[i].first && !(found[i] = pairs_pieces_of(runs[i].first, second)))
            return False;
    Bool event = True;
    for (UInt i = 0; i < run_count; i++) {
        if (!runs[i].first)
            continue;
        found[i]->events += event;
        found[i]->silent_events += event && silent;
        found[i]->dead_events += event && dead;
        found[i]->bytes += runs[i].bytes;
        found[i]->silent_bytes += silent ? runs[i].bytes : 0;
        found[i]->dead_bytes += dead ? runs[i].bytes : 0;
        event = False;
    }
    return True;
}

void pairs_finalize_alone(UInt thread)
{
    for (UInt store = 0; store < 2; store++) {
        struct pair_total *exact = pairs_total(thread, store, False), *approximate = pairs_total(thread, store, True);
        for (UInt size = 1; size <= PAIRS_ALONE_BYTES; size++) {
            exact->events += pairs_alone[store][size];
            exact->bytes += size * pairs_alone[store][size];
            pairs_alone[store][size] = 0;
        }
        approximate->events += pairs_alone_approximate[store].events;
        approximate->bytes += pairs_alone_approximate[store].bytes;
        pairs_alone_approximate[store] = (struct pair_total){0};
    }
}

void pairs_drain(UInt thread, void (*pair)(const struct pair *),
                 void (*total)(UInt, UInt, Bool, const struct pair_total *))
{
    pairs_finalize_alone(thread);
    for (UInt i = 0; i < 1 << PAIRS_RECENT_BITS; i++)
        pairs_finalize_recent(&pairs_recent[i]);
    for (UInt i = 0; i < 1 << PIECES_BITS; i++)
        pairs_finalize_pieces(&pieces[i]);
    for (UInt handle = 1; handle <= context_handle_count(); handle++)
        pairs_finalize_usual(&pairs_usual[handle], handle);
    for (UInt i = 1; i <= count; i++) {
        struct pair *one = pairs_by_index(i);
        if (!one->bytes)
            continue;
        pair(one);
        one->events = one->silent_events = one->dead_events = 0;
        one->bytes = one->silent_bytes = one->dead_bytes = 0;
    }
    for (UInt of = 1; of < total_capacity; of++)
        for (UInt store = 0; store < 2; store++)
            for (UInt approximate = 0; approximate < 2; approximate++) {
                struct pair_total *sums = &totals[of][store][approximate];
                if (sums->events)
                    total(of, store, approximate != 0, sums);
                *sums = (struct pair_total){0};
            }
}
