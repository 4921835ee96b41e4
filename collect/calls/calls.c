#include "collect/calls/calls.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"

struct calls_host calls_host;

/* ------------------------------------------------------------------------------------------ registers -- */

/* No address: the program may have registers of its own, whose signals carry a word of its choice. */
static const uint64_t OURS = UINT64_C(0xa55a) << 48;

static uint64_t word_of(const struct debug_register *trap)
{
    return OURS | (uint64_t)(uintptr_t)trap;
}

void calls_arm(struct calls *calls, size_t which, uint64_t address, bool writes_only)
{
    if (calls->armed[which] == address)
        return;
    const struct debug_register *trap = &calls->registers[which];
    if (address == 0)
        debug_register_pause(trap);
    else if (!debug_register_watch(trap, (struct debug_place){address, sizeof address, writes_only}))
        address = 0;
    calls->armed[which] = address;
}

void calls_pause(struct calls *calls)
{
    if (calls->pauses++ > 0)
        return;
    for (size_t i = REGISTER_FRAME; i < calls->register_count; i++)
        if (calls->armed[i] != 0)
            debug_register_pause(&calls->registers[i]);
}

void calls_resume(struct calls *calls)
{
    if (--calls->pauses > 0)
        return;
    for (size_t i = REGISTER_FRAME; i < calls->register_count; i++)
        if (calls->armed[i] != 0)
            debug_register_resume(&calls->registers[i]);
}

/* ------------------------------------------------------------------------------------------ life -- */

static struct calls *memory_of(struct calls **out)
{
    if (!*out) {
        void *memory = mmap(NULL, sizeof **out, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *out = memory == MAP_FAILED ? NULL : memory;
    }
    return *out;
}

static void close_registers(struct calls *calls)
{
    for (size_t i = 0; i < calls->register_count; i++)
        debug_register_close(&calls->registers[i]);
    calls->register_count = 0;
    meter_close(&calls->meter);
}

int calls_open(pid_t tid, uint64_t seed, uint64_t order, struct calls **out)
{
    struct calls *calls = memory_of(out);
    int error = calls ? 0 : ENOMEM;
    if (error)
        return error;
    memset(calls, 0, offsetof(struct calls, frames));
    while (!error && calls->register_count < DEBUG_REGISTERS) {
        struct debug_register *trap = &calls->registers[calls->register_count];
        error = debug_register_open(trap, tid, false, word_of(trap));
        calls->register_count += !error;
    }
    if (calls->register_count <= REGISTER_OPEN) {
        close_registers(calls);
        return error;
    }
    draw_init(&calls->draw, seed ^ UINT64_C(0x63616c6c73), order);
    meter_open(&calls->meter);
    return 0;
}

void calls_attach(struct calls *calls, struct trace_stream *stream)
{
    calls->stream = stream;
}

void calls_close(struct calls *calls)
{
    if (!calls || calls->register_count == 0)
        return;
    if (calls->stream) {
        instance_drop_all(calls, INSTANCE_UNFINISHED);
        if (calls->search.active)
            instance_count(calls, INSTANCE_NO_CALL);
    }
    calls->stream = NULL;
    close_registers(calls);
}

void calls_forget(struct calls *calls)
{
    if (calls)
        close_registers(calls);
}

/* ------------------------------------------------------------------------------------------ ticks -- */

static void touch(void *place)
{
    *(volatile uint64_t *)place = 1;
}

static void put_cost(struct calls *calls, enum trace_instance what, const uint64_t values[METER_VALUES])
{
    uint64_t record[INSTANCE_COUNTER_0 + EVENT_COUNTERS_MAX] = {
        [INSTANCE_TIME] = clock_ns(CLOCK_MONOTONIC), [INSTANCE_WHAT] = what, [INSTANCE_TOOK] = values[METER_WALL]};
    for (size_t i = 0; i < meter_count(); i++)
        record[INSTANCE_COUNTER_0 + i] = values[METER_COUNTERS + i];
    trace_append(calls->stream, TRACE_INSTANCE, record, sizeof record / sizeof *record);
}

/* Measures what a trap costs: how far it is from what is subtracted, and what is subtracted from now on. */
static void measure(struct calls *calls)
{
    static _Atomic bool begun;
    uint64_t place = 0, cost[METER_VALUES];
    struct meter scratch = {0};
    unsigned times = atomic_exchange(&begun, true) ? 1 : METER_COSTS;
    calls->measured = &scratch;
    calls_arm(calls, REGISTER_BELOW, (uint64_t)(uintptr_t)&place, true);
    while (times-- > 0) {
        meter_measure(&calls->meter, &scratch, touch, &place, cost);
        if (scratch.program[METER_WALL] == 0) /* nothing has trapped: the program blocks SIGTRAP, or has closed it */
            break;
        put_cost(calls, INSTANCE_COST, cost);
        meter_learn(&calls->meter, cost);
        put_cost(calls, INSTANCE_SUBTRACTED, calls->meter.trap_cost);
    }
    calls_arm(calls, REGISTER_BELOW, 0, true);
    calls->measured = NULL;
}

void calls_enter_tick(struct calls *calls)
{
    meter_enter(&calls->meter);
    calls_pause(calls);
}

void calls_leave_tick(struct calls *calls, uint64_t delivery_ns)
{
    calls_resume(calls);
    meter_leave(&calls->meter, delivery_ns);
}

/* The program has taken SIGTRAP past the C library: what traps now would reach its handler. */
static void lose_traps(struct calls *calls)
{
    search_end(calls);
    instance_drop_all(calls, INSTANCE_GIVEN_UP);
    instance_count(calls, INSTANCE_BLOCKED);
}

void calls_tick(struct calls *calls, void *ucontext)
{
    if (calls->register_count == 0 || atomic_exchange(&calls->inside, true))
        return;
    if (!calls_host.traps())
        lose_traps(calls);
    else {
        if (!calls->search.active)
            measure(calls);
        instance_sweep(calls, ucontext);
        search_go_on(calls, ucontext);
    }
    atomic_store(&calls->inside, false);
}

/* ------------------------------------------------------------------------------------------ traps -- */

/* A late trap counts only below the stack pointer: a handler that writes there itself would trap at each delivery, and
 * the program would never go on. */
static void on_register(struct calls *calls, size_t which, bool late, void *ucontext)
{
    if (calls->armed[which] == 0 || (late && calls->armed[which] >= calls_sp(ucontext)))
        return;
    if (which == REGISTER_BELOW)
        search_on_below(calls, ucontext);
    else if (which == REGISTER_FRAME)
        search_on_frame(calls, ucontext);
    else
        instance_on_slot(calls, which, ucontext);
}

static void take(struct calls *calls, uint64_t word, bool late, void *ucontext)
{
    meter_enter(&calls->meter);
    for (size_t i = 0; i < calls->register_count; i++)
        if (word == word_of(&calls->registers[i]))
            on_register(calls, i, late, ucontext);
    meter_leave(&calls->meter, 0);
}

static void on_stray(struct calls *calls)
{
    search_end(calls);
    instance_drop_all(calls, INSTANCE_GIVEN_UP);
}

bool calls_trap(struct calls *calls, const siginfo_t *info, void *ucontext)
{
    uint64_t word = 0;
    bool late = false, trapped = debug_register_trapped(info, &word, &late) && word >> 48 == OURS >> 48;
    bool stray = !trapped && calls && debug_register_strayed(info, calls_pc(ucontext));
    if ((!trapped && !stray) || !calls || calls->register_count == 0)
        return trapped || stray;
    if (trapped && calls->measured) {
        meter_enter(calls->measured);
        meter_leave(calls->measured, 0);
        return true;
    }
    if (!calls_host.running() || !calls->stream || atomic_exchange(&calls->inside, true))
        return true;
    if (stray)
        on_stray(calls);
    else
        take(calls, word, late, ucontext);
    atomic_store(&calls->inside, false);
    return true;
}
