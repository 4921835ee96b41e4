#include "collect/calls/calls.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"

struct calls_host calls_host;

/* ------------------------------------------------------------------------------------------ life -- */

static void calls_close_events(struct calls *calls)
{
    counted_close(calls);
    wait_close(calls);
    meter_close(&calls->meter);
}

int calls_open(pid_t tid, uint64_t seed, uint64_t order, struct calls **out)
{
    if (!*out) {
        void *memory = mmap(NULL, sizeof **out, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *out = memory == MAP_FAILED ? NULL : memory;
    }
    struct calls *calls = *out;
    int error = calls ? 0 : ENOMEM;
    if (error)
        return error;
    memset(calls, 0, offsetof(struct calls, frames));
    rng_init(&calls->rng, seed ^ UINT64_C(0x63616c6c73), order);
    error = wait_open(calls, tid);
    if (!error && calls_host.event.wanted)
        error = counted_open(calls, tid);
    if (error) {
        wait_close(calls);
        return error;
    }
    meter_open(&calls->meter);
    return 0;
}

void calls_attach(struct calls *calls, struct trace_stream *stream, const char *low, const char *high)
{
    calls->stream = stream;
    calls->listener = (struct stub_thread){(uint64_t)(uintptr_t)low, (uint64_t)(uintptr_t)high, calls_host.returned};
    if (calls_host.stubs)
        stubs_listen(&calls->listener);
}

void calls_close(struct calls *calls)
{
    if (!calls || calls->wait_count == 0)
        return;
    calls->closing = true;
    if (calls->stream) {
        instance_drop_all(calls, INSTANCE_UNFINISHED);
        if (calls->search.active)
            instance_count(calls, INSTANCE_NO_CALL);
    }
    calls->stream = NULL;
    calls_close_events(calls);
}

void calls_forget(struct calls *calls)
{
    if (calls)
        calls_close_events(calls);
}

/* ------------------------------------------------------------------------------------------ ticks -- */

static void calls_touch_word(void *location)
{
    *(volatile uint64_t *)location = 1;
}

/* One step traps: the handler takes the flag away. */
static void calls_touch_by_step(void *nothing)
{
    (void)nothing;
    __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq\n nop\n" ::: "cc", "memory");
}

/* Returns through a stub. */
__attribute__((noinline)) static void calls_touch_by_return(void *nothing)
{
    (void)nothing;
    uint64_t slot = (uint64_t)(uintptr_t)__builtin_frame_address(0) + sizeof slot;
    stubs_put(slot, wait_address(slot));
}

static void calls_write_cost(struct calls *calls, enum trace_instance what, const struct meter_cost *cost)
{
    uint64_t record[INSTANCE_COUNTER_0 + EVENT_COUNTERS_MAX] = {
        [INSTANCE_TIME] = clock_ns(CLOCK_MONOTONIC), [INSTANCE_WHAT] = what, [INSTANCE_TOOK] = cost->whole[METER_WALL]};
    for (size_t i = 0; i < meter_count(); i++)
        record[INSTANCE_COUNTER_0 + i] = cost->whole[METER_COUNTERS + i];
    trace_append(calls->stream, TRACE_INSTANCE, record, sizeof record / sizeof *record);
}

/* Measures what a trap costs: how far it is from what is subtracted, and what is subtracted from now on. False: nothing
 * has trapped, since the program blocks SIGTRAP or has closed the register. */
static bool calls_measure_trap(struct calls *calls, struct meter *scratch)
{
    struct meter_cost cost = {0};
    uint64_t location = 0;
    if (!calls_host.stubs)
        wait_at(calls, WAIT_FRAME, (struct call_frame){.slot = (uint64_t)(uintptr_t)&location});
    meter_measure(&calls->meter, scratch, calls_host.stubs ? calls_touch_by_step : calls_touch_word, &location,
                  cost.whole);
    wait_at(calls, WAIT_FRAME, (struct call_frame){0});
    if (scratch->program[METER_WALL] == 0)
        return false;
    if (calls_host.stubs) /* otherwise a call and its return have the same share of it before the handler */
        meter_measure_before(scratch, calls_touch_by_step, NULL, cost.before);
    calls_write_cost(calls, INSTANCE_COST, &cost);
    meter_learn(&calls->meter, METER_TRAP, &cost);
    calls_write_cost(calls, INSTANCE_SUBTRACTED, &calls->meter.cost[METER_TRAP]);
    return true;
}

static void calls_measure_costs(struct calls *calls)
{
    static _Atomic bool begun;
    struct meter scratch = {0};
    unsigned times = atomic_exchange(&begun, true) ? 1 : METER_COSTS;
    calls->measured = &scratch;
    while (times-- > 0 && calls_measure_trap(calls, &scratch))
        if (calls_host.stubs) {
            struct meter_cost cost = {0};
            meter_measure(&calls->meter, &scratch, calls_touch_by_return, NULL, cost.whole);
            meter_measure_before(&scratch, calls_touch_by_return, NULL, cost.before);
            meter_learn(&calls->meter, METER_RETURN, &cost);
        }
    calls->measured = NULL;
}

void calls_enter_tick(struct calls *calls)
{
    meter_enter(&calls->meter, METER_TICK);
    if (calls_host.stubs)
        stubs_listen(&calls->listener); /* again, if a child of vfork() has ended that */
    wait_pause(calls);
}

void calls_leave_tick(struct calls *calls, uint64_t delivery_ns)
{
    wait_resume(calls);
    meter_leave(&calls->meter, METER_TICK, delivery_ns);
}

static void calls_unlock_stack(struct calls *calls)
{
    calls->held = 0;
    calls->unwinder = 0;
    atomic_store(&calls->inside, false);
}

void calls_tick(struct calls *calls, void *ucontext)
{
    enum { UNWINDER_BYTES = 8192 };
    if (calls->unwinder != 0 && calls->held == 0 && calls_sp(ucontext) >= calls->unwinder + UNWINDER_BYTES) {
        /* An unwinder that was at work has been left if its frames, which are not that large, have. Then nothing
         * reports which frames it has left. */
        wait_put_again(calls, 0, UINT64_MAX);
        calls_unlock_stack(calls);
    }
    if (calls->wait_count == 0 || stubs_run(calls_pc(ucontext)) || atomic_exchange(&calls->inside, true))
        return;
    single_step_take_flag(ucontext);
    single_step_stop(calls);
    if (!calls_host.traps()) {
        /* The program has taken SIGTRAP past the C library: what traps now would reach its handler. */
        search_end(calls);
        instance_drop_all(calls, INSTANCE_GIVEN_UP);
        instance_count(calls, INSTANCE_BLOCKED);
    } else if (!calls_host.stubs || sigismember(&((const ucontext_t *)ucontext)->uc_sigmask, SIGTRAP) != 1) {
        if (!calls->search.active)
            calls_measure_costs(calls);
        instance_sweep(calls, ucontext);
        if (!calls_host.event.wanted)
            search_go_on(calls, ucontext);
    }
    single_step_give_flag(calls, ucontext);
    atomic_store(&calls->inside, false);
}

/* ------------------------------------------------------------------------------------------ traps -- */

/* The location that `which` waits at has been touched. */
static void calls_on_wait(struct calls *calls, enum call_wait which, void *ucontext)
{
    if (which == WAIT_BELOW)
        search_on_below(calls, ucontext);
    else if (which == WAIT_FRAME)
        search_on_frame(calls, ucontext);
    else
        instance_on_slot(calls, which, ucontext);
}

/* `set` has 1 << which of all that wait at one return address. */
static void calls_on_all(struct calls *calls, unsigned set, void *ucontext)
{
    for (enum call_wait which = WAIT_FRAME; which < WAITS; which++)
        if (set & 1U << which)
            calls_on_wait(calls, which, ucontext);
}

/* A late trap counts only below the stack pointer: a handler that writes there itself would trap at each delivery, and
 * the program would never go on. */
static void calls_on_register(struct calls *calls, uint64_t word, bool late, void *ucontext)
{
    enum call_wait which = wait_of(calls, word);
    if (which == WAITS || calls->armed[which] == 0 || (late && calls->armed[which] >= calls_sp(ucontext)))
        return;
    meter_enter(&calls->meter, METER_TRAP);
    if (which == WAIT_BELOW)
        calls_on_wait(calls, which, ucontext);
    else
        calls_on_all(calls, wait_at_same(calls, which), ucontext);
    meter_leave(&calls->meter, METER_TRAP, 0);
}

/* Whether a handler may do its work: the recording goes on, and no other handler of the thread is at work. */
static bool calls_try_enter(struct calls *calls)
{
    return calls_host.running() && calls->stream && calls->wait_count > 0 && !atomic_exchange(&calls->inside, true);
}

static void calls_record_measured(struct calls *calls, enum meter_way way)
{
    meter_enter(calls->measured, way);
    meter_leave(calls->measured, way, 0);
}

static bool calls_on_step(struct calls *calls, void *ucontext)
{
    enum { TRAP_FLAG = 0x100 };
    if (calls && calls->measured) {
        ((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
        calls_record_measured(calls, METER_TRAP);
        return true;
    }
    if (!single_step_take_flag(ucontext))
        return false;
    if (!calls || !calls_try_enter(calls))
        return true;
    meter_enter(&calls->meter, METER_TRAP);
    single_step_on(calls, ucontext);
    single_step_give_flag(calls, ucontext);
    meter_leave(&calls->meter, METER_TRAP, 0);
    atomic_store(&calls->inside, false);
    return true;
}

bool calls_trap(struct calls *calls, const siginfo_t *info, void *ucontext)
{
    uint64_t word = 0;
    bool late = false, trapped = debug_register_trapped(info, &word, &late) && wait_is_ours(word);
    if (calls_host.stubs && !trapped)
        return info->si_code == TRAP_TRACE && calls_on_step(calls, ucontext);
    bool stray = !trapped && calls && debug_register_strayed(info, calls_pc(ucontext));
    if ((!trapped && !stray) || !calls || calls->wait_count == 0)
        return trapped || stray;
    bool counted = trapped && counted_is(calls, word);
    if (trapped && !counted && calls->measured) {
        calls_record_measured(calls, METER_TRAP);
        return true;
    }
    if (!calls_try_enter(calls))
        return true;
    if (counted && !late) {
        meter_enter(&calls->meter, METER_TRAP);
        counted_on_call(calls, ucontext);
        meter_leave(&calls->meter, METER_TRAP, 0);
    } else if (stray) {
        search_end(calls);
        instance_drop_all(calls, INSTANCE_GIVEN_UP);
    } else
        calls_on_register(calls, word, late, ucontext);
    atomic_store(&calls->inside, false);
    return true;
}

/* ------------------------------------------------------------------------------------------ stubs -- */

void calls_return(struct calls *calls, void *ucontext, uint64_t slot)
{
    if (calls->measured) {
        calls_record_measured(calls, METER_RETURN);
        return;
    }
    unsigned returned = wait_returned(calls, slot);
    if (returned == 0 || !calls_try_enter(calls))
        return;
    meter_enter(&calls->meter, METER_RETURN);
    single_step_take_flag(ucontext);
    single_step_stop(calls);
    calls_on_all(calls, returned, ucontext);
    single_step_give_flag(calls, ucontext);
    meter_leave(&calls->meter, METER_RETURN, 0);
    atomic_store(&calls->inside, false);
}

/* Whether no handler of the thread is at work; none will be until the end. */
static bool calls_try_lock_stack(struct calls *calls)
{
    bool possible = calls->wait_count > 0 && calls_host.stubs;
    return possible && (calls->held > 0 || calls->unwinder != 0 || !atomic_exchange(&calls->inside, true));
}

void calls_put_back(struct calls *calls, bool hold)
{
    if (!calls_try_lock_stack(calls))
        return;
    wait_put_back(calls);
    calls->held += hold;
    if (calls->held == 0 && calls->unwinder == 0)
        atomic_store(&calls->inside, false);
}

void calls_put_again(struct calls *calls, uint64_t low, uint64_t high)
{
    if (calls->held > 1)
        calls->held--;
    else if (calls_try_lock_stack(calls)) {
        wait_put_again(calls, low, high);
        calls_unlock_stack(calls);
    }
}

void calls_unwind(struct calls *calls, uint64_t stack)
{
    if (calls_try_lock_stack(calls)) {
        wait_put_back(calls);
        calls->unwinder = stack;
    }
}
