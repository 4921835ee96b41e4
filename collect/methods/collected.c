/*
 * What a thread has recorded, record by record, becomes events of the trace.
 */
#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "collect/methods/collection_state.h"

enum { CHUNK_EVENTS = 32768 };

uint32_t collection_method_id(struct collection *collection, uint64_t method)
{
    if (collection->replaying)
        return 0;
    struct known_method *known = &collection->known[method * UINT64_C(0x9E3779B97F4A7C15) >> 52];
    if (known->method != method || !known->id) {
        known->id = (uint32_t)trace_define_method(collection->writer, &(struct trace_raw_frame){method, 0});
        known->method = method;
    }
    return known->id;
}

/* ---------------------------------------------------------------------------- events -- */

static void collected_read_name(const struct collected *thread, char name[NAME_WORDS * sizeof(uint64_t) + 1])
{
    for (size_t i = 0; i < NAME_WORDS; i++) {
        uint64_t word = atomic_load_explicit(&thread->ring->name[i], memory_order_relaxed);
        memcpy(name + i * sizeof word, &word, sizeof word);
    }
    name[NAME_WORDS * sizeof(uint64_t)] = '\0';
}

static bool collected_open_stream(struct collection *collection, struct collected *thread)
{
    char name[NAME_WORDS * sizeof(uint64_t) + 1];
    if (thread->stream)
        return true;
    collected_read_name(thread, name);
    return trace_stream_open(collection->writer, thread->own_tid, name, collection->hooks.role(name),
                             &thread->stream) == 0;
}

void collected_flush_events(const struct collection *collection, struct collected *thread)
{
    char name[NAME_WORDS * sizeof(uint64_t) + 1];
    if (thread->count == 0)
        return;
    collected_read_name(thread, name);
    assert(thread->stream && thread->count <= thread->capacity);
    struct trace_thread_update update = {.name = name, .role = collection->hooks.role(name)};
    update.first_ns = thread->first_ns;
    update.first_cpu_ns = thread->first_cpu_ns;
    update.last_ns = thread->last_ns;
    update.last_cpu_ns = thread->last_cpu_ns;
    trace_stream_update(thread->stream, &update);
    trace_write(thread->stream, TRACE_EVENT, thread->count, EVENT_COUNTER_0 + collection->about.counter_count,
                (const uint64_t *const *)thread->columns);
    thread->count = 0;
}

static bool collected_grow_columns(struct collected *thread)
{
    uint32_t capacity = thread->capacity ? thread->capacity * 2 : 256;
    for (size_t c = 0; c < EVENT_COLUMNS; c++) {
        uint64_t *grown = reallocarray(thread->columns[c], capacity, sizeof *grown);
        if (!grown)
            return false;
        thread->columns[c] = grown;
    }
    thread->capacity = capacity;
    return true;
}

void collected_add_event(struct collection *collection, struct collected *thread, enum trace_event what, uint32_t id,
                         struct moment at)
{
    if (collection->replaying || !collected_open_stream(collection, thread))
        return;
    if (thread->count == thread->capacity && !collected_grow_columns(thread)) {
        trace_count_lost(thread->stream, LOST_NO_MEMORY, 1);
        return;
    }
    if (thread->count == 0)
        thread->since_ns = clock_ns(CLOCK_MONOTONIC);
    if (thread->last_ns == 0) {
        thread->first_ns = at.ns;
        thread->first_cpu_ns = at.cpu_ns;
    }
    if (at.ns < thread->last_ns)
        at.ns = thread->last_ns;
    if (at.cpu_ns < thread->last_cpu_ns)
        at.cpu_ns = thread->last_cpu_ns;
    thread->last_ns = at.ns;
    thread->last_cpu_ns = at.cpu_ns;
    thread->events++;
    collection->wrote = true;
    uint32_t i = thread->count++;
    thread->columns[EVENT_TIME][i] = at.ns;
    thread->columns[EVENT_WHAT][i] = what;
    thread->columns[EVENT_METHOD][i] = id;
    thread->counters[COUNTER_CPU] = at.cpu_ns;
    thread->counters[COUNTER_WALL] = at.ns;
    for (uint32_t c = 0; c < collection->about.counter_count; c++)
        thread->columns[EVENT_COUNTER_0 + c][i] = thread->counters[collection->about.counters[c]];
    if (thread->count >= CHUNK_EVENTS)
        collected_flush_events(collection, thread);
}

/* ---------------------------------------------------------------------------- records -- */

/* Ends the innermost methods until `keep` are open. */
void collected_end_methods(struct collection *collection, struct collected *thread, size_t keep, enum trace_event what,
                           struct moment at)
{
    struct open_stack *open = &thread->open;
    while (open->count > keep) {
        const struct open_method *method = &open->methods[--open->count];
        if (what != EVENT_UNFINISHED) {
            /* How long it took, without the probes inside. */
            uint64_t all = at.ns - method->since_ns;
            uint64_t probes = (thread->events - method->events) / 2 * collection->pair_ns + collection->about.inner_ns;
            giveup_took(collection, thread, method->method, method->id, all > probes ? all - probes : 0);
        }
        collected_add_event(collection, thread, what, method->id, at);
    }
    for (size_t i = 0; i < open->unwinding_count; i++)
        if (open->unwinding[i] > keep)
            open->unwinding[i] = keep;
}

/* Methods that are left without a record, as the stack shows. One that has been given up may have been left long ago.
 */
static void collected_end_unseen(struct collection *collection, struct collected *thread, size_t keep, struct moment at)
{
    const struct open_stack *open = &thread->open;
    if (open->jumped)
        at = (struct moment){open->jump_ns, open->jump_cpu_ns};
    while (open->count > keep) {
        bool unknown =
            open->gap || giveup_slot(&collection->tables->giveup, open->methods[open->count - 1].method) >= 0;
        collected_end_methods(collection, thread, open->count - 1, unknown ? EVENT_UNFINISHED : EVENT_EXCEPTION, at);
    }
}

static void collected_enter_method(struct collection *collection, struct collected *thread, uint64_t method,
                                   uint64_t location, struct moment at)
{
    struct open_stack *open = &thread->open;
    if (open->high == 0)
        open->high = open->exact ? UINT64_MAX : thread->ring->stack_high;
    bool fresh = !open->exact && location & METHODS_PLACE_FRESH;
    location -= fresh ? METHODS_PLACE_FRESH : 0;
    size_t keep = open_stack_around(open, location, true);
    while (fresh && keep > 0 && open->methods[keep - 1].location == location)
        keep--;
    collected_end_unseen(collection, thread, keep, at);
    struct open_method entered = {method, location, collection_method_id(collection, method), at.ns,
                                  thread->events + 1};
    if (open_push(open, &entered))
        collected_add_event(collection, thread, EVENT_ENTER, entered.id, at);
    else if (thread->stream)
        trace_count_lost(thread->stream, LOST_NO_MEMORY, 1);
}

static void collected_leave_method(struct collection *collection, struct collected *thread, enum methods_mark mark,
                                   const struct record *record, uint64_t method, struct moment at)
{
    struct open_stack *open = &thread->open;
    size_t keep = open_stack_around(open, record->location & ~(uint64_t)METHODS_PLACE_ABOVE, false), found;
    if (record->location & METHODS_PLACE_ABOVE && keep < open->count && open->methods[keep].method == method) {
        found = keep + 1;
    } else {
        collected_end_unseen(collection, thread, keep, at);
        found = open_find(open, method);
    }
    if (found == 0 || (open->exact && open->methods[found - 1].location != record->location)) {
        if (thread->stream && giveup_slot(&collection->tables->giveup, method) < 0)
            trace_count_lost(thread->stream, LOST_NO_ENTER, 1);
        return;
    }
    collected_end_unseen(collection, thread, found, at); /* those that the stack does not show */
    /* An exception leaves methods by the same record as a return. */
    bool unwinding = open->unwinding_count > 0 && open->unwinding[open->unwinding_count - 1] == open->count;
    bool thrown = mark == MARK_THROWN || unwinding;
    collected_end_methods(collection, thread, found - 1, thrown ? EVENT_EXCEPTION : EVENT_EXIT, at);
}

/* Reports an impossible reading once, like those of clocks. */
static void collected_set_counter(struct collected *thread, uint64_t which, uint64_t value, uint64_t ns)
{
    if (which < COUNTER_HARDWARE) {
        if (value > thread->counters[which])
            thread->counters[which] = value;
        return;
    }
    if (which >= COUNTER_HARDWARE + HARDWARE_MAX)
        return;
    struct hardware_history *history = &thread->history[which - COUNTER_HARDWARE];
    uint64_t values[] = {
        [CLOCK_TIME] = ns, [CLOCK_WHAT] = CLOCK_IMPOSSIBLE, [CLOCK_FROM] = history->raw, [CLOCK_TO] = value};
    if (!hardware_take(history, value, ns) && thread->stream)
        trace_append(thread->stream, TRACE_CLOCK, values, sizeof values / sizeof *values);
    thread->counters[which] = history->value;
}

static void collected_add_record(struct collection *collection, struct collected *thread, const struct record *record)
{
    struct open_stack *open = &thread->open;
    enum methods_mark mark = (enum methods_mark)(record->code >> CODE_BITS);
    uint64_t method = record->code & ((UINT64_C(1) << CODE_BITS) - 1);
    if (mark <= MARK_THROWN && collection->hooks.chosen && !collection->hooks.chosen(collection->hooks.user, method))
        return;
    struct moment at = {time_ns_of(&collection->line, record->ticks), 0};
    if (record->ticks > thread->cpu_base_ticks)
        at.cpu_ns = thread->cpu_base_ns + time_length_ns(&collection->line, record->ticks - thread->cpu_base_ticks);
    switch (mark) {
    case MARK_ENTER:
        collected_enter_method(collection, thread, method, record->location, at);
        break;
    case MARK_EXIT:
    case MARK_THROWN:
        collected_leave_method(collection, thread, mark, record, method, at);
        break;
    case MARK_THROW:
        if (open->unwinding_count < UNWINDING_MAX)
            open->unwinding[open->unwinding_count++] = open->count;
        return;
    case MARK_CATCH:
        if (open->unwinding_count > 0)
            open->unwinding_count--;
        collected_end_unseen(collection, thread, open_stack_around(open, record->location, false), at);
        return;
    case MARK_JUMP:
        open->jumped = true;
        open->jump_ns = at.ns;
        open->jump_cpu_ns = at.cpu_ns;
        collected_end_unseen(collection, thread, open_stack_around(open, record->location, false), at);
        return;
    case MARK_END:
        collected_end_methods(collection, thread, 0, EVENT_UNFINISHED, at);
        break;
    case MARK_GAP:
        open->gap = true;
        if (thread->stream)
            trace_count_lost(thread->stream, LOST_BUFFER_FULL, record->location);
        return;
    case MARK_CPU:
        thread->cpu_base_ns = record->location;
        thread->cpu_base_ticks = record->ticks;
        return;
    case MARK_COUNTER:
        collected_set_counter(thread, method, record->location, at.ns);
        return;
    case MARK_FORK:
        if (collection->hooks.forks && !collection->replaying)
            collection->hooks.forks(collection->hooks.user, record->location, open);
        return;
    default: /* damaged */
        return;
    }
    open->jumped = false;
    if (open->count == 0)
        open->gap = false;
}

/* The process may have damaged what it has written, and may go on writing: a record is copied before it is used. */
void collected_drain_ring(struct collection *collection, struct collected *thread, uint64_t until)
{
    enum { STEP = 1024 };
    struct methods_ring *ring = thread->ring;
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    if (head - thread->tail > RING_RECORDS) {
        if (collected_open_stream(collection, thread))
            trace_count_lost(thread->stream, LOST_BUFFER_FULL, RING_RECORDS);
        thread->open.gap = true;
        thread->tail = head;
    }
    while (thread->tail != head) {
        const struct record record = ring->records[thread->tail & (RING_RECORDS - 1)];
        if (record.ticks > until)
            break;
        collected_add_record(collection, thread, &record);
        if (++thread->tail % STEP == 0) {
            atomic_store_explicit(&ring->tail, thread->tail, memory_order_release);
            atomic_fetch_add(&collection->tables->taken, 1);
        }
    }
    atomic_store_explicit(&ring->tail, thread->tail, memory_order_release);
}
