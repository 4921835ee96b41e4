#include "collect/sample/state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"
#include "collect/sample/chain.h"
#include "collect/sample/clock_event.h"
#include "collect/sample/mask.h"
#include "collect/sample/outside.h"
#include "collect/sample/restart.h"
#include "collect/sample/stack.h"
#include "collect/sample/task.h"

/* ---------------------------------------------------------------------------- what a clock says - */

static void handler_log_clock_change(struct trace_stream *stream, enum trace_clock_change what, uint64_t from,
                                     uint64_t to, double share)
{
    uint64_t values[] = {[CLOCK_TIME] = clock_ns(CLOCK_MONOTONIC),
                         [CLOCK_WHAT] = what,
                         [CLOCK_FROM] = from,
                         [CLOCK_TO] = to,
                         [CLOCK_SHARE] = (uint64_t)(1000 * share)};
    trace_append(stream, TRACE_CLOCK, values, sizeof values / sizeof *values);
}

/* The clock's reading, and its count since the previous tick: from here on it counts from this reading. */
static uint64_t slot_advance_clock(struct slot *slot, struct trace_stream *stream, uint64_t count, uint64_t cpu)
{
    bool possible;
    uint64_t before = atomic_load(&slot->count);
    uint64_t elapsed = counted_since_tick(slot, count, cpu - atomic_load(&slot->cpu_ns), &possible);
    if (!possible)
        handler_log_clock_change(stream, CLOCK_IMPOSSIBLE, before, count, 0);
    atomic_store(&slot->count, count);
    atomic_store(&slot->cpu_ns, cpu);
    return elapsed;
}

static void slot_count_missed(struct slot *slot, struct trace_stream *stream, uint64_t missed)
{
    if (missed > 0 && !sampler.config.watch.wanted) /* then a tick in the kernel does not count */
        trace_count_lost(stream, LOST_NOT_DELIVERED, missed);
    slot->tick += missed;
}

/* ---------------------------------------------------------------------------- the governor -- */

static void atomic_raise_to(_Atomic double *shared, double value)
{
    double known = atomic_load(shared);
    while (known < value && !atomic_compare_exchange_weak(shared, &known, value))
        ;
}

static uint64_t slot_interval_ns(const struct slot *slot, double stretch)
{
    bool events = slot->source == SOURCE_PMU && atomic_load(&sampler.units_per_ns) <= 0;
    return events ? 0 : (uint64_t)((double)sampler.config.period_ns * stretch);
}

/* Accounts for the cost of a tick from the thread's CPU time. Whether the interval has changed. */
static bool slot_account_cost(struct slot *slot, struct trace_stream *stream, uint64_t began, uint64_t cpu)
{
    struct governor_finding found;
    uint64_t cost = cpu - began + sampler.config.delivery_ns;
    uint64_t asked = slot->source == SOURCE_PMU ? slot_interval_ns(slot, slot->pace.stretch) : 0;
    const struct governor_limits limits = {asked, sampler.config.max_cost};
    switch (governor_tick(&slot->governor, cpu, cost, limits, &found)) {
    case GOVERNOR_TOO_COSTLY: {
        double before = slot->pace.stretch, after = before * found.factor;
        attach_set_pace(slot, after);
        atomic_raise_to(&sampler.stretch, after); /* for threads to come */
        handler_log_clock_change(stream, CLOCK_SLOWED, slot_interval_ns(slot, before), slot_interval_ns(slot, after),
                                 found.share);
        return true;
    }
    case GOVERNOR_TOO_OFTEN: {
        uint64_t before = slot->pace.period;
        atomic_raise_to(&sampler.units_per_ns,
                        found.factor * (double)before / (double)slot_interval_ns(slot, slot->pace.stretch));
        attach_set_pace(slot, slot->pace.stretch);
        handler_log_clock_change(stream, CLOCK_CORRECTED, before, slot->pace.period, found.share);
        return true;
    }
    case GOVERNOR_FINE:
        break;
    }
    return false;
}

void handler_report_replaced(struct slot *slot)
{
    struct trace_stream *stream = atomic_load(&slot->stream);
    if (stream && atomic_exchange(&slot->replaced_ns, 0) != 0)
        handler_log_clock_change(stream, CLOCK_REPLACED, SOURCE_PMU, slot->replaced, 0);
}

/* ---------------------------------------------------------------------------- ticks -- */

/* The calling thread's, once it has been sampled. */
static _Thread_local struct slot *own __attribute__((tls_model("initial-exec")));

void handler_forget_slot(void)
{
    own = NULL;
    stubs_listen(NULL); /* the next thread with that slot has its stack */
}

static bool slot_is_stepping(const struct slot *slot)
{
    return slot->watcher && slot->watcher->stepping;
}

static void slot_take_sample(struct slot *slot, struct trace_stream *stream, uint64_t now, uint64_t cpu, uint64_t tick,
                             void *context)
{
    own = slot;
    if (slot->shared)
        outside_heard(slot, now, cpu);
    handler_report_replaced(slot);
    if (sampler.config.watch.wanted) {
        attach_watcher(slot);
        if (slot->watcher && (slot->role == ROLE_NATIVE || slot->role == ROLE_JAVA))
            watch_tick(slot->watcher, context);
        return;
    }
    enum trace_state state = STATE_UNKNOWN;
    size_t depth = sampler.hooks.walk(context, slot->frames, TRACE_STACK_MAX, &state);
    uint64_t values[] = {
        [SAMPLE_TIME] = now, [SAMPLE_CPU] = cpu, [SAMPLE_CONTEXT] = 0, [SAMPLE_STATE] = state, [SAMPLE_TICK] = tick};
    trace_append_stacks(stream, TRACE_SAMPLE, values, sizeof values / sizeof values[0],
                        &(struct trace_stack){SAMPLE_CONTEXT, slot->frames, depth}, 1);
    if (slot->calls)
        calls_tick(slot->calls, context);
}

/* Restarts the interval: ticks in the meantime would come before the program made progress. */
static void slot_restart_interval(struct slot *slot, int fd)
{
    if (fd >= 0)
        perf_rearm(fd, rng_interval(&slot->rng, slot->pace.period, slot->pace.spread));
    else
        atomic_store(&slot->ticks->quiet_until_ns,
                     clock_ns(CLOCK_MONOTONIC) + (uint64_t)(slot->pace.stretch * (double)sampler.config.period_ns));
}

/* A tick of the thread's own clock. The clock is set first: its next interval runs from now. */
static void handler_on_event(struct slot *slot, struct trace_stream *stream, int fd, void *context)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID), count = perf_count(fd);
    if (slot->overrun && count - atomic_load(&slot->count) < (slot->pace.period - slot->pace.spread) / 2) {
        slot->overrun = false; /* it was sent during a walk that took too long */
        if (atomic_load(&sampler.signal) >= SIGRTMIN)
            perf_enable_once(fd);
        return;
    }
    slot->overrun = false;
    uint64_t next = rng_interval(&slot->rng, slot->pace.period, slot->pace.spread);
    perf_rearm(fd, next);
    if (atomic_load(&sampler.signal) >= SIGRTMIN)
        perf_enable_once(fd);
    slot_count_missed(slot, stream, counted_missed(slot, slot_advance_clock(slot, stream, count, cpu)));
    slot_take_sample(slot, stream, now, cpu, ++slot->tick, context);
    if (slot_is_stepping(slot)) /* its cost is known after the steps */
        return;
    /* If the tick's work took longer than the interval, the next tick is already pending, and the program would never
     * make progress: ticks in the meantime are lost. */
    uint64_t count_now = perf_count(fd), cpu_now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    bool again = slot_account_cost(slot, stream, cpu, cpu_now);
    if (count_now - atomic_load(&slot->count) >= next) {
        uint64_t walked = slot_advance_clock(slot, stream, count_now, cpu_now);
        slot->overrun = again = true;
        slot_count_missed(slot, stream, walked < next ? 0 : 1 + (walked - next) / slot->pace.period);
    }
    if (again)
        slot_restart_interval(slot, fd);
}

/*
 * A tick of the timer thread. Signals that were sent while one was pending have merged with it; one whose tick was
 * taken with another signal's may come while the next tick is being sent, which is handled by its own signal.
 */
static void handler_on_timer_thread(struct slot *slot, struct trace_stream *stream, void *context)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    struct pool_ticks *ticks = slot->ticks;
    uint64_t tick = atomic_load(&ticks->sent_tick), sent = atomic_load(&ticks->sent);
    if (tick == slot->taken_tick || sent == atomic_load(&ticks->received))
        return;
    uint64_t received = atomic_exchange(&ticks->received, sent);
    slot->taken_tick = tick;
    if (sent - received > 1)
        trace_count_lost(stream, LOST_NOT_DELIVERED, sent - received - 1);
    atomic_store(&slot->cpu_ns, cpu);
    slot_take_sample(slot, stream, now, cpu, tick, context);
    if (slot_is_stepping(slot))
        return;
    slot_account_cost(slot, stream, cpu, clock_ns(CLOCK_THREAD_CPUTIME_ID));
    if (slot->pace.stretch > 1)
        slot_restart_interval(slot, -1);
}

/* The last step after a tick has been taken, or a register has trapped: sampling took the time from `began` on. */
static void handler_after_trap(struct slot *slot, bool stepped, uint64_t began)
{
    struct trace_stream *stream = atomic_load(&slot->stream);
    uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (!stream)
        return;
    if (!stepped) {
        governor_add(&slot->governor, cpu - began + sampler.config.delivery_ns);
        return;
    }
    slot_account_cost(slot, stream, atomic_load(&slot->cpu_ns), cpu);
    slot_restart_interval(slot, atomic_load(&slot->fd));
}

/* Descriptors' signals carry a band and a descriptor. */
static bool signal_is_event(const siginfo_t *info)
{
    return info->si_code >= POLL_IN && info->si_code <= POLL_HUP;
}

/* The writing process asks a thread to look after its clock. */
static bool signal_is_request(const siginfo_t *info)
{
    return info->si_code == SI_QUEUE && info->si_value.sival_ptr == &sampler;
}

/* A tick without details, since the kernel had no room: no other signal comes from process 0. */
static bool signal_is_bare(const siginfo_t *info)
{
    return info->si_code == SI_USER && info->si_pid == 0;
}

/* A signal that has arrived in a thread, to be handled on the stack of its slot. */
struct arrival {
    struct slot *slot;
    const siginfo_t *info;
    void *context;
    bool taken; /* by the watcher */
};

static void handler_dispatch_sample(void *user)
{
    const struct arrival *arrival = user;
    struct slot *slot = arrival->slot;
    struct trace_stream *stream = atomic_load(&slot->stream);
    int fd = atomic_load(&slot->fd);
    if (!stream)
        return;
    bool begun = sampler.hooks.tick_begins && sampler.hooks.tick_begins();
    if (sampler.config.calls)
        attach_watcher(slot);
    if (slot->calls)
        calls_enter_tick(slot->calls);
    if (fd < 0)
        handler_on_timer_thread(slot, stream, arrival->context);
    else if (signal_is_event(arrival->info))
        handler_on_event(slot, stream, fd, arrival->context);
    if (slot->calls)
        calls_leave_tick(slot->calls, sampler.config.delivery_ns);
    if (sampler.hooks.tick_ends)
        sampler.hooks.tick_ends(begun, sampler.config.delivery_ns);
}

static void handler_on_sample(const siginfo_t *info, void *context)
{
    if (signal_is_request(info)) {
        /* A thread without a clock gets one; one whose clock is silent though the thread runs gets another. */
        struct sampler_guard guard;
        if (!sampler_try_lock(&guard)) /* it will be asked again */
            return;
        struct slot *known = slots_of_tid(task_self());
        if (!known)
            attach_thread(task_self());
        else if (!known->internal)
            attach_look(known);
        sampler_unlock(&guard);
        return;
    }
    struct slot *slot = signal_is_event(info) ? slots_of_fd(info->si_fd) : info->si_value.sival_ptr;
    if (!slot || !atomic_load(&slot->stream) || atomic_load(&slot->tid) != task_self())
        return;
    stack_run(slot, handler_dispatch_sample, &(struct arrival){.slot = slot, .info = info, .context = context});
}

/* Applies the program's action, or the default, to such a signal of its own. */
static void handler_pass_on(int signal, siginfo_t *info, void *context)
{
    if (!chain_pass_on(signal, info, context) && signal != SIGURG) {
        /* The process ends as it would have without the sampler, but with a complete trace. */
        enum { PATIENCE_MS = 1000 };
        sampler_seal_from_handler(PATIENCE_MS);
        signals_exchange(signal, &(struct signals_action){0}, NULL);
        syscall(SYS_tgkill, task_process(), task_self(), signal); /* comes when this handler returns */
    }
}

/* A descriptor's signal is the program's own if it handles this one, and the descriptor is not a clock. */
static bool signal_is_own(const siginfo_t *info)
{
    if (signal_is_event(info))
        return slots_of_fd(info->si_fd) || !chain_has_handler(info->si_signo);
    return (info->si_code == SI_QUEUE && (slots_holds(info->si_value.sival_ptr) || signal_is_request(info))) ||
           (signal_is_bare(info) && info->si_signo == atomic_load(&sampler.signal));
}

bool mask_is_own(const siginfo_t *info)
{
    return info->si_signo != SIGTRAP && chain_is_installed(info->si_signo) && signal_is_own(info);
}

static void slot_redirect_signal(struct slot *slot, void *user)
{
    int event = attach_event(slot);
    (void)user;
    if (event < 0)
        return;
    fcntl(event, F_SETSIG, atomic_load(&sampler.signal));
    sampler_start_event(event);
}

static chain_handler handler_on_signal;

bool sampler_yield_signal(int signal, unsigned long wanted)
{
    struct sampler_guard guard;
    if (signal != atomic_load(&sampler.signal) || sampler.hooks.shares_signal || !sampler_active() ||
        !sampler_try_lock(&guard))
        return false;
    for (int other = SIGRTMAX; other >= SIGRTMIN && atomic_load(&sampler.signal) == signal; other--) {
        struct signals_action known; /* nobody may handle the other one */
        if (!(wanted >> (other - 1) & 1) && !chain_is_installed(other) && signals_exchange(other, NULL, &known) &&
            known.handler == (uintptr_t)SIG_DFL && chain_install(other, SA_ONSTACK, handler_on_signal) == 0)
            atomic_store(&sampler.signal, other);
    }
    slots_each(slot_redirect_signal, NULL);
    outside_report_signal();
    sampler_unlock(&guard);
    return atomic_load(&sampler.signal) != signal;
}

void handler_look(void)
{
    struct signals_action known;
    int signal = atomic_load(&sampler.signal);
    if (signals_exchange(signal, NULL, &known) && known.handler != (uintptr_t)handler_on_signal &&
        sampler_yield_signal(signal, 0))
        chain_forget(signal);
}

static void handler_on_signal(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    bool is_tick = signal_is_own(info);
    if (is_tick) {
        atomic_fetch_add(&sampler.inside, 1);
        if (!signal_is_bare(info) && atomic_load(&sampler.state) == SAMPLER_RUNNING)
            handler_on_sample(info, context);
        atomic_fetch_sub(&sampler.inside, 1);
        restart_call(context);
    }
    /* Without a handler it may be a tick for an earlier program of this process. */
    if (!is_tick && chain_has_handler(signal))
        sampler_yield_signal(signal, 0);
    if (is_tick ? sampler.hooks.shares_signal : !mask_defers(signal, info, context))
        handler_pass_on(signal, info, context);
    errno = saved;
}

static void handler_dispatch_trap(void *user)
{
    struct arrival *arrival = user;
    arrival->taken = sampler.config.calls ? calls_trap(own ? own->calls : NULL, arrival->info, arrival->context)
                                          : watch_trap(arrival->info, arrival->context);
}

static void handler_on_trap(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    struct arrival arrival = {.slot = own, .info = info, .context = context};
    struct slot *slot = own;
    bool stepping = slot && slot_is_stepping(slot);
    uint64_t began = slot && !stepping ? clock_ns(CLOCK_THREAD_CPUTIME_ID) : 0;
    atomic_fetch_add(&sampler.inside, 1);
    if (slot)
        stack_run(slot, handler_dispatch_trap, &arrival);
    else
        handler_dispatch_trap(&arrival);
    if (arrival.taken && slot && !slot_is_stepping(slot))
        handler_after_trap(slot, stepping, began);
    atomic_fetch_sub(&sampler.inside, 1);
    if (!arrival.taken && !mask_defers(signal, info, context))
        handler_pass_on(signal, info, context);
    errno = saved;
}

void handler_returned(void *ucontext, uint64_t slot)
{
    int saved = errno;
    if (!own || !own->calls)
        return;
    uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    atomic_fetch_add(&sampler.inside, 1);
    calls_return(own->calls, ucontext, slot);
    handler_after_trap(own, false, began);
    atomic_fetch_sub(&sampler.inside, 1);
    errno = saved;
}

void sampler_put_back(bool hold)
{
    if (own && own->calls)
        calls_put_back(own->calls, hold);
}

void sampler_unwind(uint64_t stack)
{
    if (own && own->calls)
        calls_unwind(own->calls, stack);
}

void sampler_put_again(uint64_t low, uint64_t high)
{
    if (own && own->calls)
        calls_put_again(own->calls, low, high);
}

bool sampler_has_handler(uintptr_t handler)
{
    return handler == (uintptr_t)handler_on_signal || handler == (uintptr_t)handler_on_trap;
}

static _Atomic bool no_steps;

void handler_never_step(void)
{
    no_steps = true;
}

void sampler_no_steps(const char *why)
{
    if (sampler_active() && calls_host.stubs && !atomic_exchange(&no_steps, true))
        sampler_note(why);
}

bool handler_traps(void)
{
    static _Atomic bool reported;
    struct signals_action known;
    if (no_steps)
        return false;
    if (!signals_exchange(SIGTRAP, NULL, &known) || known.handler == (uintptr_t)handler_on_trap)
        return true;
    bool ignored = known.handler == (uintptr_t)SIG_IGN; /* by ourselves, while the program executes another */
    if (!ignored && !atomic_exchange(&reported, true))
        sampler_note(sampler.config.calls
                         ? "it has taken SIGTRAP past the C library, so its calls are not watched from then on"
                         : "it has taken SIGTRAP past the C library, so its accesses are not watched from then on");
    return false;
}

/* ---------------------------------------------------------------------------- which signal -- */

int handler_install(void)
{
    if (!atomic_load(&sampler.signal))
        atomic_store(&sampler.signal, SIGURG);
    /* A trap while a tick is handled must not use the alternate stack from its top again; but Go's stacks are too
     * small, and its handlers, on its alternate stacks, are never interrupted. */
    int trap_flags = sampler.hooks.shares_signal ? SA_ONSTACK : 0;
    int error = chain_install(atomic_load(&sampler.signal), SA_ONSTACK, handler_on_signal);
    if (!error && sampler_uses_registers())
        error = chain_install(SIGTRAP, trap_flags, handler_on_trap);
    return error;
}

unsigned long sampler_signals(void)
{
    int signal = atomic_load(&sampler.signal);
    return chain_is_installed(signal) ? 1UL << (signal - 1) : 0;
}

bool sampler_chain(int signal, const struct sigaction *action, struct sigaction *before)
{
    /* A child of vfork has actions of its own; everything else is its parent's. */
    if (!chain_is_installed(signal) || task_process() != sampler.process)
        return false;
    chain_exchange(signal, action, before);
    if (action && chain_has_handler(signal))
        sampler_yield_signal(signal, 0);
    return true;
}
