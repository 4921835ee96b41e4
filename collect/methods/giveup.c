#include "collect/methods/giveup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "collect/methods/thread.h"

/* Calls of a method after which it is judged, and again after as many more. */
enum { WARNING_CALLS = 1000 };

/* What is known of a method. [id] */
struct record_of_calls {
    uint64_t method, calls, ns;
    uint64_t lately; /* calls since threads were judged last */
    bool given_up;
};

static struct {
    uint64_t below_ns;
    double max_cost, pair_ns; /* max_cost 1: any */
    struct record_of_calls *methods;
    size_t capacity;
    unsigned long since[GIVEUP_SLOTS], cycle; /* when each slot began to drain */
    unsigned long seen[GIVEUP_SLOTS];         /* the last cycle in which a thread had such a call open */
    unsigned long counts[GIVEUP_REASONS];
    uint64_t passed;
} own;

void giveup_prepare(const json_t *configuration, double pair_ns)
{
    const json_t *below = json_object_get(json_object_get(configuration, "methods"), "give_up_below_ns");
    const json_t *most = json_object_get(configuration, "max_cost");
    own.below_ns = (uint64_t)json_integer_value(below);
    own.max_cost = json_is_number(most) && pair_ns > 0 ? json_number_value(most) : 1;
    own.pair_ns = pair_ns;
}

static void add(uint64_t method)
{
    size_t slot = method * UINT64_C(0x9E3779B97F4A7C15) >> 52;
    while (atomic_load(&giveup_table.methods[slot]) != 0)
        slot = (slot + 1) % GIVEUP_SLOTS;
    /* Where a probe knows whether its enter was recorded, nothing has to drain. */
    atomic_store(&giveup_table.states[slot], methods.hooks.exact_places ? GIVEUP_OFF : GIVEUP_DRAINING);
    own.since[slot] = own.seen[slot] = own.cycle;
    atomic_store(&giveup_table.methods[slot], method);
    atomic_fetch_add_explicit(&giveup_table.count, 1, memory_order_release);
}

static void give_up(struct methods_thread *thread, uint32_t id, enum trace_giveup why, double share)
{
    struct record_of_calls *record = &own.methods[id];
    if (record->given_up || atomic_load(&giveup_table.count) == GIVEUP_MAX)
        return;
    record->given_up = true;
    own.counts[why]++;
    add(record->method);
    uint64_t told[] = {[GIVEUP_TIME] = thread->last_ns,
                       [GIVEUP_METHOD] = id,
                       [GIVEUP_CALLS] = record->calls,
                       [GIVEUP_MEAN] = record->ns / record->calls,
                       [GIVEUP_WHY] = why,
                       [GIVEUP_SHARE] = (uint64_t)(share * 1000)};
    trace_append(thread->stream, TRACE_GIVEUP, told, sizeof told / sizeof *told);
    if (methods.hooks.given_up)
        methods.hooks.given_up(record->method);
}

void giveup_took(struct methods_thread *thread, uint64_t method, uint32_t id, uint64_t ns)
{
    if ((own.below_ns == 0 && own.max_cost >= 1) || id == 0 || !thread->stream)
        return;
    struct record_of_calls *grown = grow(own.methods, &own.capacity, id, sizeof *grown);
    if (!grown)
        return;
    own.methods = grown;
    struct record_of_calls *record = &own.methods[id];
    record->method = method;
    record->calls++;
    record->lately++;
    record->ns += ns;
    if (own.below_ns > 0 && record->calls % WARNING_CALLS == 0 && record->ns / record->calls < own.below_ns)
        give_up(thread, id, GIVEUP_SHORT, 0);
}

/* The method that costs most, of those whose probes take a larger share of their own time than they may. */
static uint32_t costliest(void)
{
    uint32_t found = 0;
    for (uint32_t id = 1; id < own.capacity; id++) {
        const struct record_of_calls *record = &own.methods[id];
        if (!record->given_up && record->calls >= WARNING_CALLS &&
            record->lately > (found ? own.methods[found].lately : 0) &&
            (double)record->ns * own.max_cost < own.pair_ns * (double)record->calls)
            found = id;
    }
    return found;
}

/* Gives up methods until half of what is allowed is left. */
static void lighten(struct methods_thread *thread, double share)
{
    static const double TARGET = 0.5;
    double events = (double)(thread->events - thread->judged_events), left = events;
    uint32_t id;
    while (left / events * share > TARGET * own.max_cost && (id = costliest())) {
        left -= 2 * (double)own.methods[id].lately;
        own.methods[id].lately = 0;
        give_up(thread, id, GIVEUP_COSTLY, share);
    }
}

void giveup_judge(struct methods_thread *thread)
{
    static const double WINDOW_NS = 1e9, EARLY_NS = 1e8, EARLY_SHARE = 0.5;
    double cpu_ns = (double)(thread->last_cpu_ns - thread->judged_cpu_ns);
    double share = (double)(thread->events - thread->judged_events) / 2 * own.pair_ns / (cpu_ns + 1);
    if (own.max_cost >= 1 || !thread->stream || (cpu_ns < WINDOW_NS && (cpu_ns < EARLY_NS || share < EARLY_SHARE)))
        return;
    if (share > own.max_cost)
        lighten(thread, share);
    thread->judged_events = thread->events;
    thread->judged_cpu_ns = thread->last_cpu_ns;
    for (uint32_t id = 1; id < own.capacity; id++)
        own.methods[id].lately = 0;
}

void giveup_settle(struct methods_thread *threads)
{
    enum { CYCLES = 2 }; /* records made before the table had the method have been taken by then */
    own.cycle++;
    if (atomic_load(&giveup_table.count) == 0 || methods.hooks.exact_places)
        return;
    for (const struct methods_thread *thread = threads; thread; thread = thread->next)
        for (size_t i = 0; i < thread->open.count; i++) {
            int slot = giveup_slot(thread->open.methods[i].method);
            if (slot >= 0)
                own.seen[slot] = own.cycle;
        }
    for (size_t slot = 0; slot < GIVEUP_SLOTS; slot++)
        if (atomic_load(&giveup_table.methods[slot]) != 0 && own.seen[slot] != own.cycle &&
            own.cycle - own.since[slot] >= CYCLES)
            atomic_store(&giveup_table.states[slot], GIVEUP_OFF);
}

void giveup_count(struct methods_thread *thread)
{
    uint64_t passed = atomic_load_explicit(&thread->passed, memory_order_relaxed);
    if (passed == thread->passed_told || !thread->stream)
        return;
    trace_count_lost(thread->stream, LOST_GIVEN_UP, passed - thread->passed_told);
    own.passed += passed - thread->passed_told;
    thread->passed_told = passed;
}

void giveup_tell(void)
{
    char few[96] = "", costly[96] = "";
    if (own.counts[GIVEUP_SHORT] + own.counts[GIVEUP_COSTLY] == 0)
        return;
    if (own.counts[GIVEUP_SHORT] > 0)
        snprintf(few, sizeof few, " (%lu took less than %g us)", own.counts[GIVEUP_SHORT], (double)own.below_ns / 1e3);
    if (own.counts[GIVEUP_COSTLY] > 0)
        snprintf(costly, sizeof costly, " (%lu made probes take more than %g %% of a thread's CPU time)",
                 own.counts[GIVEUP_COSTLY], own.max_cost * 100);
    fprintf(
        stderr,
        "assay: process %d: methods that lost their probes: %lu%s%s; %llu calls of theirs%s are not recorded; assay "
        "info names them\n",
        (int)methods.process, own.counts[GIVEUP_SHORT] + own.counts[GIVEUP_COSTLY], few, costly,
        (unsigned long long)own.passed, methods.hooks.given_up ? ", and all after those," : "");
}

void giveup_inherit(struct methods_thread *thread)
{
    giveup_forget(thread);
    memset(own.counts, 0, sizeof own.counts);
    own.passed = 0;
    thread->events = thread->judged_events = thread->judged_cpu_ns = 0;
    atomic_store(&thread->passed, 0);
    thread->passed_told = 0;
}

void giveup_forget(struct methods_thread *threads)
{
    if (own.methods)
        memset(own.methods, 0, own.capacity * sizeof *own.methods);
    if (atomic_exchange(&giveup_table.count, 0) == 0)
        return;
    for (size_t slot = 0; slot < GIVEUP_SLOTS; slot++)
        atomic_store(&giveup_table.methods[slot], 0);
    for (struct methods_thread *thread = threads; thread; thread = thread->next)
        memset(thread->inner, 0, sizeof thread->inner);
}
