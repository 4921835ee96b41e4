#include "collect/valgrind/pairs.h"

#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

static struct pair *pairs; /* [1 … count] */
static UInt count, capacity;
static UInt *slots; /* indices into pairs; 0: free */
static ULong mask;
static struct pair_total (*totals)[2][2]; /* [thread][store][approximate] */
static UInt total_capacity;

void pairs_init(void)
{
    mask = (1 << 14) - 1;
    slots = VG_(calloc)("assay.pair.slots", mask + 1, sizeof *slots);
}

static ULong hash(UInt first, UInt second, UInt object)
{
    ULong mixed = ((ULong)first << 32 | second) * 0x9e3779b97f4a7c15ULL ^ (ULong)object * 0xc2b2ae3d27d4eb4fULL;
    return mixed ^ mixed >> 29;
}

static UInt *find(UInt first, UInt second, UInt object)
{
    ULong i = hash(first, second, object) & mask;
    while (slots[i] && (pairs[slots[i]].first != first || pairs[slots[i]].second != second ||
                        pairs[slots[i]].object != object))
        i = (i + 1) & mask;
    return &slots[i];
}

static void grow_slots(void)
{
    VG_(free)(slots);
    mask = mask * 2 + 1;
    slots = VG_(calloc)("assay.pair.slots", mask + 1, sizeof *slots);
    for (UInt i = 1; i <= count; i++)
        *find(pairs[i].first, pairs[i].second, pairs[i].object) = i;
}

static UInt new_pair(UInt first, UInt second, UInt object)
{
    if (count + 1 >= capacity) {
        capacity = capacity ? capacity + capacity / 2 : 4096;
        pairs = VG_(realloc)("assay.pairs", pairs, capacity * sizeof *pairs);
    }
    pairs[++count] = (struct pair){.first = first, .second = second, .object = object};
    return count;
}

struct pair *pairs_at(UInt first, UInt second, UInt object)
{
    UInt *slot = find(first, second, object);
    if (!*slot) {
        if (count >= mask / 2) {
            grow_slots();
            slot = find(first, second, object);
        }
        *slot = new_pair(first, second, object);
    }
    return &pairs[*slot];
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

void pairs_take_hot(UInt second, const struct context_slot *slot)
{
    struct context_hot *hot = &context_hot[second];
    if (!hot->events)
        return;
    struct pair *pair = pairs_at(hot->first, second, 0);
    pair->events += hot->events;
    pair->silent_events += hot->silent;
    pair->dead_events += hot->dead;
    pair->bytes += (ULong)hot->events * slot->size;
    pair->silent_bytes += (ULong)hot->silent * slot->size;
    pair->dead_bytes += (ULong)hot->dead * slot->size;
    struct pair_total *total = pairs_total(context_thread_of(second), slot->store, slot->lane != 0);
    total->events += hot->events;
    total->bytes += (ULong)hot->events * slot->size;
    *hot = (struct context_hot){.first = hot->first};
}

static void take_all(void)
{
    for (UInt i = 0; i < context_range_count(); i++) {
        const struct context_range *range = context_range_at(i);
        for (UInt k = 0; k < range->block->count; k++)
            if (context_hot[range->base + k].events)
                pairs_take_hot(range->base + k, &range->block->slots[k]);
    }
}

static void drain_totals(void (*give)(UInt, UInt, Bool, const struct pair_total *))
{
    for (UInt thread = 1; thread < total_capacity; thread++)
        for (UInt store = 0; store < 2; store++)
            for (UInt approximate = 0; approximate < 2; approximate++) {
                struct pair_total *total = &totals[thread][store][approximate];
                if (total->events)
                    give(thread, store, approximate != 0, total);
                *total = (struct pair_total){0};
            }
}

void pairs_drain(void (*pair)(const struct pair *), void (*total)(UInt, UInt, Bool, const struct pair_total *))
{
    take_all();
    for (UInt i = 1; i <= count; i++) {
        struct pair *one = &pairs[i];
        if (!one->events)
            continue;
        pair(one);
        one->events = one->silent_events = one->dead_events = 0;
        one->bytes = one->silent_bytes = one->dead_bytes = 0;
    }
    drain_totals(total);
}
