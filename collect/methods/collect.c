/*
 * What threads have recorded becomes events of the trace. All of this runs in the writer's thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/methods/thread.h"
#include "collect/sample/sampler.h"
#include "collect/sample/task.h"

enum { CHUNK_EVENTS = 32768, KNOWN = 4096 };
static const uint64_t PATIENCE_NS = UINT64_C(300000000);

/* Ids that were asked for lately, by method. */
static struct {
    uint64_t method;
    uint32_t id;
} known[KNOWN];

void methods_forget(void)
{
    memset(known, 0, sizeof known);
    giveup_forget(atomic_load(&methods.threads));
}

/* Records of the parent are gone through, in the child of a fork: nothing is written. */
static bool replaying;

static uint32_t id_of(uint64_t method)
{
    if (replaying)
        return 0;
    size_t slot = method * UINT64_C(0x9E3779B97F4A7C15) >> 52;
    if (known[slot].method == method && known[slot].id)
        return known[slot].id;
    uint32_t id = (uint32_t)trace_define_method(sampler_writer(), &(struct trace_raw_frame){method, 0});
    known[slot].method = method;
    return known[slot].id = id;
}

/* ---------------------------------------------------------------------------- events -- */

static bool open_stream(struct methods_thread *thread)
{
    return thread->stream || trace_stream_open(sampler_writer(), (uint64_t)thread->tid, thread->name,
                                               methods.hooks.role(thread->name), &thread->stream) == 0;
}

static void flush(struct methods_thread *thread)
{
    if (thread->count == 0)
        return;
    struct trace_thread_update update = {.name = thread->name, .role = methods.hooks.role(thread->name)};
    update.first_ns = thread->first_ns;
    update.first_cpu_ns = thread->first_cpu_ns;
    update.last_ns = thread->last_ns;
    update.last_cpu_ns = thread->last_cpu_ns;
    trace_stream_update(thread->stream, &update);
    trace_write(thread->stream, TRACE_EVENT, thread->count, EVENT_COUNTER_0 + methods.counter_count,
                (const uint64_t *const *)thread->columns);
    thread->count = 0;
}

static bool grow(struct methods_thread *thread)
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

/* The moment of an event. */
struct moment {
    uint64_t ns, cpu_ns;
};

static void put_event(struct methods_thread *thread, enum trace_event what, uint32_t id, struct moment at)
{
    if (replaying || !open_stream(thread))
        return;
    if (thread->count == thread->capacity && !grow(thread)) {
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
    if (!methods.wrote)
        methods.wrote = true;
    uint32_t i = thread->count++;
    thread->columns[EVENT_TIME][i] = at.ns;
    thread->columns[EVENT_WHAT][i] = what;
    thread->columns[EVENT_METHOD][i] = id;
    thread->counters[COUNTER_CPU] = at.cpu_ns;
    thread->counters[COUNTER_WALL] = at.ns;
    for (uint32_t c = 0; c < methods.counter_count; c++)
        thread->columns[EVENT_COUNTER_0 + c][i] = thread->counters[methods.counters[c]];
    if (thread->count >= CHUNK_EVENTS)
        flush(thread);
}

/* ---------------------------------------------------------------------------- records -- */

/* How long a method took, without the probes inside. */
static uint64_t time_in(const struct methods_thread *thread, const struct open_method *method, struct moment at)
{
    uint64_t all = at.ns - method->since_ns;
    uint64_t probes = (thread->events - method->events) / 2 * methods.pair_ns + methods.inner_ns;
    return all > probes ? all - probes : 0;
}

/* Ends the innermost methods until `keep` are open. */
static void leave_to(struct methods_thread *thread, size_t keep, enum trace_event what, struct moment at)
{
    struct open_stack *open = &thread->open;
    while (open->count > keep) {
        const struct open_method *method = &open->methods[--open->count];
        if (what != EVENT_UNFINISHED)
            giveup_took(thread, method->method, method->id, time_in(thread, method, at));
        put_event(thread, what, method->id, at);
    }
    for (size_t i = 0; i < open->unwinding_count; i++)
        if (open->unwinding[i] > keep)
            open->unwinding[i] = keep;
}

/* Methods that are left without a record, as the stack shows. One that has been given up may have been left long ago.
 */
static void leave_unseen(struct methods_thread *thread, size_t keep, struct moment at)
{
    const struct open_stack *open = &thread->open;
    if (open->jumped)
        at = (struct moment){open->jump_ns, open->jump_cpu_ns};
    while (open->count > keep) {
        bool unknown = open->gap || giveup_slot(open->methods[open->count - 1].method) >= 0;
        leave_to(thread, open->count - 1, unknown ? EVENT_UNFINISHED : EVENT_EXCEPTION, at);
    }
}

static void enter(struct methods_thread *thread, uint64_t method, uint64_t place, struct moment at)
{
    struct open_stack *open = &thread->open;
    if (open->high == 0)
        open->high = open->exact ? UINT64_MAX : thread->stack_high;
    bool fresh = !open->exact && place & METHODS_PLACE_FRESH;
    place -= fresh ? METHODS_PLACE_FRESH : 0;
    size_t keep = open_around(open, place, true);
    while (fresh && keep > 0 && open->methods[keep - 1].place == place)
        keep--;
    leave_unseen(thread, keep, at);
    struct open_method entered = {method, place, id_of(method), at.ns, thread->events + 1};
    if (open_push(open, &entered))
        put_event(thread, EVENT_ENTER, entered.id, at);
    else if (thread->stream)
        trace_count_lost(thread->stream, LOST_NO_MEMORY, 1);
}

/* An exception leaves methods by the same record as a return. */
static bool is_unwinding(const struct open_stack *open)
{
    return open->unwinding_count > 0 && open->unwinding[open->unwinding_count - 1] == open->count;
}

static void leave(struct methods_thread *thread, enum methods_mark mark, const struct record *record, uint64_t method,
                  struct moment at)
{
    struct open_stack *open = &thread->open;
    size_t keep = open_around(open, record->place & ~(uint64_t)METHODS_PLACE_ABOVE, false), found;
    if (record->place & METHODS_PLACE_ABOVE && keep < open->count && open->methods[keep].method == method) {
        found = keep + 1;
    } else {
        leave_unseen(thread, keep, at);
        found = open_find(open, method);
    }
    if (found == 0 || (open->exact && open->methods[found - 1].place != record->place)) {
        if (thread->stream && giveup_slot(method) < 0)
            trace_count_lost(thread->stream, LOST_NO_ENTER, 1);
        return;
    }
    leave_unseen(thread, found, at); /* those that the stack does not show */
    bool thrown = mark == MARK_THROWN || is_unwinding(open);
    leave_to(thread, found - 1, thrown ? EVENT_EXCEPTION : EVENT_EXIT, at);
}

/* A reading that can't be is told once, as clocks tell theirs. */
static void take_counter(struct methods_thread *thread, uint64_t which, uint64_t value, uint64_t ns)
{
    if (which < COUNTER_HARDWARE) {
        if (value > thread->counters[which])
            thread->counters[which] = value;
        return;
    }
    struct hardware_history *history = &thread->history[which - COUNTER_HARDWARE];
    uint64_t told[] = {
        [CLOCK_TIME] = ns, [CLOCK_WHAT] = CLOCK_IMPOSSIBLE, [CLOCK_FROM] = history->raw, [CLOCK_TO] = value};
    if (!hardware_take(history, value, ns) && thread->stream)
        trace_append(thread->stream, TRACE_CLOCK, told, sizeof told / sizeof *told);
    thread->counters[which] = history->value;
}

static void take(struct methods_thread *thread, const struct record *record)
{
    struct open_stack *open = &thread->open;
    enum methods_mark mark = (enum methods_mark)(record->code >> CODE_BITS);
    uint64_t method = record->code & ((UINT64_C(1) << CODE_BITS) - 1);
    if (mark <= MARK_THROWN && methods.hooks.chosen && !methods.hooks.chosen(method))
        return;
    struct moment at = {time_ns_of(record->ticks), 0};
    if (record->ticks > thread->cpu_base_ticks)
        at.cpu_ns = thread->cpu_base_ns + time_length_ns(record->ticks - thread->cpu_base_ticks);
    switch (mark) {
    case MARK_ENTER:
        enter(thread, method, record->place, at);
        break;
    case MARK_EXIT:
    case MARK_THROWN:
        leave(thread, mark, record, method, at);
        break;
    case MARK_THROW:
        if (open->unwinding_count < UNWINDING_MAX)
            open->unwinding[open->unwinding_count++] = open->count;
        return;
    case MARK_CATCH:
        if (open->unwinding_count > 0)
            open->unwinding_count--;
        leave_unseen(thread, open_around(open, record->place, false), at);
        return;
    case MARK_JUMP:
        open->jumped = true;
        open->jump_ns = at.ns;
        open->jump_cpu_ns = at.cpu_ns;
        leave_unseen(thread, open_around(open, record->place, false), at);
        return;
    case MARK_END:
        leave_to(thread, 0, EVENT_UNFINISHED, at);
        break;
    case MARK_GAP:
        open->gap = true;
        if (thread->stream)
            trace_count_lost(thread->stream, LOST_BUFFER_FULL, record->place);
        return;
    case MARK_CPU:
        thread->cpu_base_ns = record->place;
        thread->cpu_base_ticks = record->ticks;
        return;
    case MARK_COUNTER:
        take_counter(thread, method, record->place, at.ns);
        return;
    }
    open->jumped = false;
    if (open->count == 0)
        open->gap = false;
}

static void drain(struct methods_thread *thread, uint64_t until)
{
    enum { STEP = 1024 };
    uint64_t head = atomic_load_explicit(&thread->head, memory_order_acquire), tail = atomic_load(&thread->tail);
    while ((int64_t)(head - tail) > 0) {
        const struct record *record = &thread->ring[tail & (RING_RECORDS - 1)];
        if (record->ticks > until)
            break;
        take(thread, record);
        if (++tail % STEP == 0) {
            atomic_store_explicit(&thread->tail, tail, memory_order_release);
            atomic_fetch_add(&methods.taken, 1);
        }
    }
    atomic_store_explicit(&thread->tail, tail, memory_order_release);
}

/* ---------------------------------------------------------------------------- threads -- */

/* What is open goes on in this trace. */
static void reenter(struct methods_thread *thread)
{
    struct moment at = {clock_ns(CLOCK_MONOTONIC), thread->last_cpu_ns};
    for (size_t i = 0; i < thread->open.count; i++) {
        struct open_method *method = &thread->open.methods[i];
        method->id = id_of(method->method);
        method->since_ns = at.ns;
        method->events = thread->events + 1;
        put_event(thread, EVENT_ENTER, method->id, at);
    }
    thread->reenter = false;
}

/* What is open stays so: the process may go on after all. */
static void finish(struct methods_thread *thread)
{
    struct moment at = {clock_ns(CLOCK_MONOTONIC), 0};
    if (thread->open.count > 0)
        task_cpu_ns(thread->tid, &at.cpu_ns);
    for (size_t i = thread->open.count; i-- > 0;)
        put_event(thread, EVENT_UNFINISHED, thread->open.methods[i].id, at);
    flush(thread);
}

static void collect_thread(struct methods_thread *thread, uint64_t until, bool last)
{
    bool gone = thread->gone || syscall(SYS_tgkill, methods.process, thread->tid, 0) != 0;
    thread->open.exact = methods.hooks.exact_places;
    if (thread->reenter)
        reenter(thread);
    drain(thread, until);
    giveup_judge(thread);
    giveup_count(thread);
    if (gone && atomic_load(&thread->tail) == atomic_load(&thread->head)) {
        leave_to(thread, 0, EVENT_UNFINISHED, (struct moment){thread->last_ns, thread->last_cpu_ns});
        thread->gone = true;
    }
    if (last)
        finish(thread);
    else if (thread->gone || (thread->count > 0 && clock_ns(CLOCK_MONOTONIC) - thread->since_ns >= PATIENCE_NS))
        flush(thread);
}

static void forget_thread(struct methods_thread *thread)
{
    struct methods_thread *head = thread;
    if (!atomic_compare_exchange_strong(&methods.threads, &head, thread->next)) {
        while (head->next != thread)
            head = head->next;
        head->next = thread->next;
    }
    if (thread->stream)
        trace_stream_close(thread->stream);
    for (size_t c = 0; c < EVENT_COLUMNS; c++)
        free(thread->columns[c]);
    probe_thread_free(thread);
}

/* A number that a later thread has got. The list begins with the latest. */
static bool is_superseded(const struct methods_thread *thread)
{
    for (const struct methods_thread *later = atomic_load(&methods.threads); later != thread; later = later->next)
        if (later->tid == thread->tid)
            return true;
    return false;
}

static void tell_blind(void)
{
    static bool told;
    if (told || atomic_load(&methods.blind) == 0)
        return;
    told = true;
    fprintf(stderr,
            "assay: process %d: a thread's hardware counters can't be opened (too many descriptors, or others hold "
            "them): such threads count no hardware events\n",
            (int)methods.process);
}

static void tell_hasty(void)
{
    unsigned hasty = atomic_exchange(&methods.hasty, 0);
    if (hasty > 0)
        fprintf(stderr,
                "assay: process %d: libraries were unloaded %u time%s while the recorder was held up: calls of their "
                "functions before that may be missing, or have wrong names\n",
                (int)methods.process, hasty, hasty == 1 ? "" : "s");
}

bool methods_collect(void)
{
    if (!methods.prepared || !sampler_writer())
        return false;
    if (methods.simulated)
        methods.simulated->paused = 1; /* for ever: this thread is no part of the program */
    tell_blind();
    pthread_mutex_lock(&methods.lock);
    bool last = atomic_exchange(&methods.ending, false);
    time_synchronize();
    uint64_t until = last ? UINT64_MAX : time_latest();
    for (struct methods_thread *thread = atomic_load(&methods.threads), *next; thread; thread = next) {
        next = thread->next;
        thread->gone = thread->gone || is_superseded(thread);
        collect_thread(thread, until, last);
        if (thread->gone)
            forget_thread(thread);
    }
    giveup_settle(atomic_load(&methods.threads));
    if (last) {
        giveup_tell();
        tell_hasty();
    }
    pthread_mutex_unlock(&methods.lock);
    atomic_fetch_add(&methods.cycles, 1);
    return last;
}

static void tell(struct trace_stream *stream, enum trace_vm what, uint64_t value)
{
    uint64_t record[] = {[VM_TIME] = clock_ns(CLOCK_MONOTONIC), [VM_WHAT] = what, [VM_VALUE] = value};
    trace_append(stream, TRACE_VM, record, sizeof record / sizeof *record);
}

void methods_tell_cost(struct trace_stream *stream, uint64_t start_ns)
{
    if (start_ns > 0)
        tell(stream, VM_REWRITE, start_ns);
    tell(stream, VM_WRITER, clock_ns(CLOCK_THREAD_CPUTIME_ID));
}

/* ---------------------------------------------------------------------------- fork -- */

/* In the child of a fork: what its thread had open when the parent forked, of which it has a copy. */
void collect_inherit(struct methods_thread *thread)
{
    thread->stream = NULL; /* the parent's */
    replaying = true;
    drain(thread, UINT64_MAX);
    replaying = false;
    thread->count = 0;
    thread->last_ns = thread->last_cpu_ns = thread->cpu_base_ns = 0;
    thread->cpu_base_ticks = UINT64_MAX;
    thread->reenter = true;
    memset(thread->counters, 0, sizeof thread->counters); /* the child's begin anew */
    memset(thread->counted, 0, sizeof thread->counted);
    memset(thread->history, 0, sizeof thread->history);
    thread->next = NULL;
    atomic_store(&methods.threads, thread);
    memset(known, 0, sizeof known);
    giveup_inherit(thread);
}
