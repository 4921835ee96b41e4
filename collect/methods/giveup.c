#include "collect/methods/giveup.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "collect/methods/collection_state.h"

enum {
    WARNING_CALLS = 1000, /* of a method after which it is judged, and again after as many more */
    GIVEUP_MAX = GIVEUP_SLOTS / 2,
};

void giveup_prepare(struct giveup *giveup, struct giveup_table *table, const json_t *configuration, double pair_ns)
{
    const json_t *below = json_object_get(json_object_get(configuration, "methods"), "give_up_below_ns");
    const json_t *most = json_object_get(configuration, "max_cost");
    assert(table);
    giveup->table = table;
    giveup->below_ns = (uint64_t)json_integer_value(below);
    giveup->max_cost = json_is_number(most) && pair_ns > 0 ? json_number_value(most) : 1;
    giveup->pair_ns = pair_ns;
}

static void giveup_give_up(struct collection *collection, struct collected *thread, uint32_t id, enum trace_giveup why,
                           double share)
{
    struct giveup *own = &collection->giveup;
    struct giveup_record *record = &own->methods[id];
    if (record->given_up || own->count == GIVEUP_MAX)
        return;
    record->given_up = true;
    own->counts[why]++;
    size_t slot = record->method * UINT64_C(0x9E3779B97F4A7C15) >> 52;
    for (size_t tries = 0; tries < GIVEUP_SLOTS && atomic_load(&own->table->methods[slot]) != 0; tries++)
        slot = (slot + 1) % GIVEUP_SLOTS;
    /* Where a probe knows whether its enter was recorded, nothing has to drain. */
    atomic_store(&own->table->states[slot], own->drains ? GIVEUP_DRAINING : GIVEUP_OFF);
    own->since[slot] = own->seen[slot] = own->cycle;
    atomic_store(&own->table->methods[slot], record->method);
    own->count++;
    atomic_store_explicit(&own->table->count, own->count, memory_order_release);
    assert(record->calls > 0 && own->count <= GIVEUP_MAX);
    uint64_t values[] = {[GIVEUP_TIME] = thread->last_ns,
                         [GIVEUP_METHOD] = id,
                         [GIVEUP_CALLS] = record->calls,
                         [GIVEUP_MEAN] = record->ns / record->calls,
                         [GIVEUP_WHY] = why,
                         [GIVEUP_SHARE] = (uint64_t)(share * 1000)};
    trace_append(thread->stream, TRACE_GIVEUP, values, sizeof values / sizeof *values);
    if (collection->hooks.given_up)
        collection->hooks.given_up(collection->hooks.user, record->method);
}

void giveup_took(struct collection *collection, struct collected *thread, uint64_t method, uint32_t id, uint64_t ns)
{
    struct giveup *own = &collection->giveup;
    if ((own->below_ns == 0 && own->max_cost >= 1) || id == 0 || !thread->stream)
        return;
    struct giveup_record *grown = grow(own->methods, &own->capacity, id, sizeof *grown);
    if (!grown)
        return;
    own->methods = grown;
    assert(id < own->capacity);
    struct giveup_record *record = &own->methods[id];
    record->method = method;
    record->calls++;
    record->lately++;
    record->ns += ns;
    if (own->below_ns > 0 && record->calls % WARNING_CALLS == 0 && record->ns / record->calls < own->below_ns)
        giveup_give_up(collection, thread, id, GIVEUP_SHORT, 0);
}

void giveup_decide(struct collection *collection, struct collected *thread)
{
    struct giveup *own = &collection->giveup;
    static const double WINDOW_NS = 1e9, EARLY_NS = 1e8, EARLY_SHARE = 0.5, TARGET = 0.5;
    double cpu_ns = (double)(thread->last_cpu_ns - thread->decided_cpu_ns);
    double events = (double)(thread->events - thread->decided_events), left = events;
    double share = events / 2 * own->pair_ns / (cpu_ns + 1);
    if (own->max_cost >= 1 || !thread->stream || (cpu_ns < WINDOW_NS && (cpu_ns < EARLY_NS || share < EARLY_SHARE)))
        return;
    /* If probes cost too much, methods are given up until half of what is allowed is left. */
    while (share > own->max_cost && left / events * share > TARGET * own->max_cost) {
        /* The method that costs most, of those whose probes take a larger share of their own time than they may. */
        uint32_t costliest = 0;
        for (uint32_t id = 1; id < own->capacity; id++) {
            const struct giveup_record *record = &own->methods[id];
            if (!record->given_up && record->calls >= WARNING_CALLS &&
                record->lately > (costliest ? own->methods[costliest].lately : 0) &&
                (double)record->ns * own->max_cost < own->pair_ns * (double)record->calls)
                costliest = id;
        }
        if (costliest == 0)
            break;
        left -= 2 * (double)own->methods[costliest].lately;
        own->methods[costliest].lately = 0;
        giveup_give_up(collection, thread, costliest, GIVEUP_COSTLY, share);
    }
    thread->decided_events = thread->events;
    thread->decided_cpu_ns = thread->last_cpu_ns;
    for (uint32_t id = 1; id < own->capacity; id++)
        own->methods[id].lately = 0;
}

void giveup_finalize(struct giveup *own, const struct collected *threads)
{
    enum { CYCLES = 2 }; /* records made before the table had the method have been taken by then */
    own->cycle++;
    if (own->count == 0 || !own->drains)
        return;
    for (const struct collected *thread = threads; thread; thread = thread->next)
        for (size_t i = 0; i < thread->open.count; i++) {
            int slot = giveup_slot(own->table, thread->open.methods[i].method);
            if (slot >= 0)
                own->seen[slot] = own->cycle;
        }
    for (size_t slot = 0; slot < GIVEUP_SLOTS; slot++)
        if (atomic_load(&own->table->methods[slot]) != 0 && own->seen[slot] != own->cycle &&
            own->cycle - own->since[slot] >= CYCLES)
            atomic_store(&own->table->states[slot], GIVEUP_OFF);
}

void giveup_count(struct giveup *own, struct collected *thread)
{
    uint64_t passed = atomic_load_explicit(&thread->ring->passed, memory_order_relaxed);
    if (passed == thread->passed_counted || !thread->stream)
        return;
    trace_count_lost(thread->stream, LOST_GIVEN_UP, passed - thread->passed_counted);
    own->passed += passed - thread->passed_counted;
    thread->passed_counted = passed;
}

bool giveup_text(const struct giveup *own, bool takes_out, char *text, size_t size)
{
    char few[96] = "", costly[96] = "";
    if (own->counts[GIVEUP_SHORT] + own->counts[GIVEUP_COSTLY] == 0)
        return false;
    if (own->counts[GIVEUP_SHORT] > 0)
        snprintf(few, sizeof few, " (%lu took less than %g us)", own->counts[GIVEUP_SHORT],
                 (double)own->below_ns / 1e3);
    if (own->counts[GIVEUP_COSTLY] > 0)
        snprintf(costly, sizeof costly, " (%lu made probes take more than %g %% of a thread's CPU time)",
                 own->counts[GIVEUP_COSTLY], own->max_cost * 100);
    snprintf(text, size,
             "methods that lost their probes: %lu%s%s; %llu calls of theirs%s are not recorded; assay info names them",
             own->counts[GIVEUP_SHORT] + own->counts[GIVEUP_COSTLY], few, costly, (unsigned long long)own->passed,
             takes_out ? ", and all after those," : "");
    return true;
}

void giveup_forget(struct giveup *own)
{
    if (own->methods)
        memset(own->methods, 0, own->capacity * sizeof *own->methods);
    if (own->count == 0)
        return;
    own->count = 0;
    atomic_store(&own->table->count, 0);
    for (size_t slot = 0; slot < GIVEUP_SLOTS; slot++)
        atomic_store(&own->table->methods[slot], 0);
    atomic_fetch_add(&own->table->generation, 1);
}

void giveup_inherit(struct giveup *own, struct collected *thread)
{
    giveup_forget(own);
    memset(own->counts, 0, sizeof own->counts);
    own->passed = 0;
    thread->events = thread->decided_events = thread->decided_cpu_ns = 0;
    atomic_store(&thread->ring->passed, 0);
    thread->passed_counted = 0;
}
