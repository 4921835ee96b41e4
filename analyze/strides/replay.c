#include "analyze/strides/replay.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/strides/memory.h"
#include "analyze/strides/walk.h"

/* What the walk has seen last of an element: the number that its trigger loaded, and where that leads. */
struct element_state {
    uint64_t serial, number;
    uint32_t loop; /* of the trace; 0: nothing yet */
    int64_t base;  /* PLAN_INDEX: address of the target − number · offset */
    bool based;
};

struct replay {
    const struct plan *plan;
    struct replay_counts *counts;
    struct walk walk;
    struct cache_simulation *cache;
    struct memory *memory;
    struct element_state *states;    /* [plan->count] */
    uint32_t *first_of;              /* [row]: its first element as a trigger, LOADS_NONE */
    uint32_t triggered[WALK_LEVELS]; /* rows that the current access is the first of in an iteration */
    unsigned triggered_count;
    uint64_t waited; /* cycles of all loads so far */
    uint64_t gaps;
    uint32_t part;
};

/* --------------------------------------------------------------------------------------------------- prefetches -- */

/* A number of 4 bytes has a sign; a reference of Java may have so many bits, too. */
static uint64_t replay_extend_number(uint64_t value, uint32_t bytes)
{
    return bytes == 4 ? (uint64_t)(int32_t)value : value;
}

/* All prefetches that stand where this row loads. */
static void replay_execute_prefetches(struct replay *replay, uint32_t row, const struct walk_access *access)
{
    uint64_t value = 0, now = access->now + replay->waited;
    bool known = false;
    for (uint32_t i = replay->first_of[row]; i < replay->plan->count && replay->plan->elements[i].trigger == row; i++) {
        const struct plan_element *element = &replay->plan->elements[i];
        const struct element_state *state = &replay->states[i];
        uint64_t address = access->address + (uint64_t)element->stride * element->distance;
        replay->counts->added += plan_cost(element);
        if (element->kind == PLAN_LOAD)
            known = memory_read(replay->memory, address, &value);
        else if (element->kind != PLAN_STRIDE) {
            if (!known || (element->kind == PLAN_INDEX && !state->based)) {
                replay->counts->unknown++;
                replay->counts->prefetches[i].issued++;
                replay->counts->prefetches[i].useless++;
                continue;
            }
            if (element->kind == PLAN_BASE && value == 0) /* the guard */
                continue;
            address = element->kind == PLAN_BASE
                          ? value + (uint64_t)element->offset
                          : (uint64_t)state->base +
                                replay_extend_number(value, access->site->bytes) * (uint64_t)element->offset;
        }
        cache_prefetch(replay->cache, address, element->guarded ? CACHE_PREFETCH_LOAD : CACHE_PREFETCH_INSTRUCTION, i,
                       now);
    }
}

/* ----------------------------------------------------------------------------------------------------- the walk -- */

static int replay_visit(struct walk *walk, const struct walk_access *access, struct walk_visit *visit,
                        const struct turns_loop *loop, bool continues)
{
    struct replay *replay = walk->user;
    const struct plan *plan = replay->plan;
    uint32_t first = replay->first_of[visit->row], element = plan->element_of[visit->row];
    (void)continues;
    for (uint32_t i = first; i < plan->count && plan->elements[i].trigger == visit->row; i++)
        replay->states[i].loop = visit->loop, replay->states[i].serial = loop->serial,
        replay->states[i].number = replay_extend_number(access->value, access->site->bytes);

    /* Where B of prefetch(B + a · offset) is: learned from each iteration. */
    struct element_state *state = &replay->states[element == LOADS_NONE ? 0 : element];
    if (element != LOADS_NONE && plan->elements[element].kind == PLAN_INDEX && state->loop == visit->loop &&
        state->serial == loop->serial) {
        state->base = (int64_t)(access->address - state->number * (uint64_t)plan->elements[element].offset);
        state->based = true;
    }
    if (first != LOADS_NONE)
        replay->triggered[replay->triggered_count++] = visit->row;
    return 0;
}

static bool replay_is_leader(const struct replay *replay, const struct walk_site *site)
{
    for (unsigned level = 0; level < site->levels; level++) {
        uint32_t first = replay->first_of[replay->walk.visits[site->first + level].row];
        if (first != LOADS_NONE && replay->plan->elements[first].kind == PLAN_LOAD)
            return true;
    }
    return false;
}

static int replay_access_memory(struct walk *walk, const struct walk_access *access, struct walk_site *site)
{
    struct replay *replay = walk->user;
    if (replay->gaps != walk->turns.gaps)
        cache_clear(replay->cache);
    replay->gaps = walk->turns.gaps;
    if (access->site->access != ACCESS_LOAD) {
        cache_store(replay->cache, access->address, access->site->bytes, access->now + replay->waited);
        memory_store(replay->memory, access->address, access->value, access->site->bytes);
        return 0;
    }
    replay->waited +=
        cache_load(replay->cache, access->address, access->site->bytes, access->now + replay->waited).wait;
    if (site && replay_is_leader(replay, site))
        memory_load(replay->memory, access->address, access->value, access->site->bytes);
    for (unsigned i = 0; i < replay->triggered_count; i++)
        replay_execute_prefetches(replay, replay->triggered[i], access);
    replay->triggered_count = 0;
    return 0;
}

/* What the loads of leaders will find in memory, before the walk gets there. */
static int replay_announce_accesses(struct replay *replay, const struct trace_batch *batch)
{
    replay->part++;
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t site = batch->integers[ACCESS_SITE][i], address = batch->integers[ACCESS_ADDRESS][i];
        if (site >= replay->walk.names->site_count || !batch->integers[ACCESS_VALUE])
            continue;
        if (walk_define_site(&replay->walk, (uint32_t)site) != 0)
            return ENOMEM;
        if (replay->walk.names->sites[site].access != ACCESS_LOAD)
            memory_announce_store(replay->memory, address, replay->part);
        else if (replay_is_leader(replay, &replay->walk.sites[site]))
            memory_announce_load(replay->memory, address, batch->integers[ACCESS_VALUE][i],
                                 replay->walk.names->sites[site].bytes, replay->part);
    }
    return 0;
}

static int replay_walk_trace(struct replay *replay, const struct trace *trace)
{
    struct trace_batch batch = {0};
    int error = 0;
    for (size_t i = 0; i < trace_chunk_count(trace) && !error; i++) {
        const struct trace_chunk *header = trace_chunk_at(trace, i);
        struct error_text ignored; /* the first walk has counted it */
        if (header->thread != 0 || (header->kind != TRACE_ACCESS && header->kind != TRACE_ITERATION))
            continue;
        int status = trace_read(trace, i, TRACE_ALL_COLUMNS, &batch, &ignored);
        if (status == TRACE_NO_MEMORY)
            error = ENOMEM;
        if (status)
            continue;
        if (header->kind == TRACE_ACCESS)
            error = replay_announce_accesses(replay, &batch);
        if (!error)
            error = walk_feed(&replay->walk, &batch);
    }
    trace_batch_free(&batch);
    return error;
}

/* ------------------------------------------------------------------------------------------------- begin and end -- */

int replay_plan(const struct strides *strides, const struct analysis_trace *trace, const struct plan *plan,
                struct replay_counts *counts)
{
    size_t rows = loads_row_count(&strides->loads) + 1;
    struct replay replay = {.plan = plan,
                            .counts = counts,
                            .cache = cache_simulation_new(&strides->options.machine, plan->count),
                            .memory = memory_new(),
                            .states = calloc(plan->count + 1, sizeof *replay.states),
                            .first_of = malloc(rows * sizeof *replay.first_of)};
    /* The locations are all there: a walk adds none. */
    int error = walk_init(&replay.walk, (struct loads *)&strides->loads, trace->trace, trace->names);
    if (!replay.cache || !replay.memory || !replay.states || !replay.first_of)
        error = ENOMEM;
    if (!error) {
        for (size_t i = 0; i < rows; i++)
            replay.first_of[i] = LOADS_NONE;
        for (uint32_t i = plan->count; i-- > 0;)
            replay.first_of[plan->elements[i].trigger] = i;
        replay.walk.user = &replay;
        replay.walk.visit = replay_visit;
        replay.walk.access = replay_access_memory;
        error = replay_walk_trace(&replay, trace->trace);
    }
    if (!error) {
        cache_finish(replay.cache);
        counts->counts = *cache_counts(replay.cache);
        for (uint32_t i = 0; i < plan->count; i++) {
            uint64_t unknown = counts->prefetches[i].issued; /* those that the caches have not seen */
            counts->prefetches[i] = *cache_prefetches(replay.cache, i);
            counts->prefetches[i].issued += unknown;
            counts->prefetches[i].useless += unknown;
        }
    }
    walk_free(&replay.walk);
    cache_simulation_free(replay.cache);
    memory_free(replay.memory);
    free(replay.states);
    free(replay.first_of);
    return error;
}
