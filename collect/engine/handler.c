#include "collect/engine/state.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/engine/perf.h"
#include "collect/engine/task.h"

/* The program's own action for a signal. Two places, so that a handler never sees a half-written one. */
static struct chain {
    struct sigaction chained[2];
    _Atomic unsigned at;
    bool installed;
} chain_profile, chain_trap;

/*
 * Of what the clock has counted, the part in which the thread did run. When the host stops a virtual machine the clock
 * goes on, but not the CPU time of the threads if the machine is told how long: nothing of them is lost then.
 */
static uint64_t ran(uint64_t counted, uint64_t cpu_ns)
{
    return sampler.source == SOURCE_CPU_CLOCK && cpu_ns < counted ? cpu_ns : counted;
}

uint64_t handler_ticks_in(uint64_t counted, uint64_t cpu_ns)
{
    uint64_t elapsed = ran(counted, cpu_ns);
    uint64_t longest = sampler.period + sampler.spread;
    return elapsed > longest + sampler.period / 2 ? elapsed / sampler.period : 0;
}

/* Ticks between two deliveries that never came: as many as fit on average, less the one that did. */
static uint64_t missed_between(uint64_t elapsed)
{
    uint64_t longest = sampler.period + sampler.spread;
    return elapsed > longest + sampler.period / 2 ? (elapsed + sampler.period / 2) / sampler.period - 1 : 0;
}

static void sample(struct slot *slot, struct trace_stream *stream, uint64_t now, uint64_t cpu, uint64_t tick,
                   void *context)
{
    if (sampler.config.watch.wanted) {
        if (slot->watcher && (slot->role == ROLE_NATIVE || slot->role == ROLE_JAVA))
            watch_tick(slot->watcher, context);
        return;
    }
    enum trace_state state = STATE_UNKNOWN;
    size_t depth = sampler.hooks.walk(context, slot->frames, TRACE_STACK_MAX, &state);
    uint64_t values[] = {
        [SAMPLE_TIME] = now, [SAMPLE_CPU] = cpu, [SAMPLE_CONTEXT] = 0, [SAMPLE_STATE] = state, [SAMPLE_TICK] = tick};
    trace_append_stack(stream, TRACE_SAMPLE, values, sizeof values / sizeof values[0], SAMPLE_CONTEXT, slot->frames,
                       depth);
}

static void count_missed(struct slot *slot, struct trace_stream *stream, uint64_t missed)
{
    if (missed > 0 && !sampler.config.watch.wanted) /* a tick in the kernel is none then */
        trace_count_lost(stream, LOST_NOT_DELIVERED, missed);
    slot->tick += missed;
}

/* If the walk took longer than the interval, the next tick is there already, and the program would never get on: the
 * interval begins anew, and what the clock ticked meanwhile is lost. */
static void catch_up(struct slot *slot, struct trace_stream *stream, int fd, uint64_t interval)
{
    uint64_t count = perf_count(fd), began = atomic_load(&slot->count);
    if (count < began + interval)
        return;
    perf_rearm(fd, draw_interval(&slot->draw, sampler.period, sampler.spread));
    uint64_t cpu = task_own_cpu_ns(), walked = ran(count - began, cpu - atomic_load(&slot->cpu_ns));
    atomic_store(&slot->count, count);
    atomic_store(&slot->cpu_ns, cpu);
    slot->overrun = true;
    count_missed(slot, stream, walked < interval ? 0 : 1 + (walked - interval) / sampler.period);
}

/* A tick of the thread's own clock. The clock is set again first: its next interval runs from now. */
static void on_event(struct slot *slot, struct trace_stream *stream, int fd, void *context)
{
    uint64_t now = task_now_ns(), cpu = task_own_cpu_ns(), count = perf_count(fd), before = atomic_load(&slot->count);
    uint64_t elapsed = count > before ? count - before : 0;
    bool stale = slot->overrun && elapsed < (sampler.period - sampler.spread) / 2;
    slot->overrun = false;
    if (stale) /* it was sent during the walk that was too long */
        return;
    uint64_t next = draw_interval(&slot->draw, sampler.period, sampler.spread);
    perf_rearm(fd, next);
    atomic_store(&slot->count, count);
    count_missed(slot, stream, missed_between(ran(elapsed, cpu - atomic_exchange(&slot->cpu_ns, cpu))));
    sample(slot, stream, now, cpu, ++slot->tick, context);
    catch_up(slot, stream, fd, next);
}

/*
 * A tick of the timer thread. Signals that were sent while one was pending have merged with it; one whose tick was
 * taken with another signal's may come while the next tick is being sent, which is left to its own signal.
 */
static void on_ticker(struct slot *slot, struct trace_stream *stream, void *context)
{
    uint64_t now = task_now_ns(), cpu = task_own_cpu_ns();
    uint64_t tick = atomic_load(&slot->sent_tick), sent = atomic_load(&slot->sent);
    if (tick == slot->taken_tick || sent == atomic_load(&slot->received))
        return;
    uint64_t received = atomic_exchange(&slot->received, sent);
    slot->taken_tick = tick;
    if (sent - received > 1)
        trace_count_lost(stream, LOST_NOT_DELIVERED, sent - received - 1);
    sample(slot, stream, now, cpu, tick, context);
}

/* Descriptors' signals carry a band and a descriptor; nobody else sends SIGPROF like that. */
static bool is_event(const siginfo_t *info)
{
    return info->si_code >= POLL_IN && info->si_code <= POLL_HUP;
}

static bool is_ticker(const siginfo_t *info)
{
    return info->si_code == SI_QUEUE && slots_holds(info->si_value.sival_ptr);
}

/* A tick for whose particulars the kernel had no room: nobody else's signal comes from process 0. */
static bool is_bare(const siginfo_t *info)
{
    return info->si_code == SI_USER && info->si_pid == 0;
}

static void on_tick(const siginfo_t *info, void *context)
{
    struct slot *slot = is_event(info) ? slots_of_fd(info->si_fd) : info->si_value.sival_ptr;
    struct trace_stream *stream = slot ? atomic_load(&slot->stream) : NULL;
    if (!stream || atomic_load(&slot->tid) != task_self())
        return;
    int fd = atomic_load(&slot->fd);
    if (fd < 0)
        on_ticker(slot, stream, context);
    else if (is_event(info))
        on_event(slot, stream, fd, context);
}

/* The process ends as it would have without the sampler, but with a whole trace. */
static void die_of(int signal)
{
    enum { PATIENCE_MS = 1000, KERNEL_WORDS = 4 };
    /* Past every sigaction() that hides the sampler's handler; all zeros is the default. */
    const unsigned long fatal[KERNEL_WORDS] = {0};
    sampler_seal_from_handler(PATIENCE_MS);
    syscall(SYS_rt_sigaction, signal, fatal, NULL, sizeof(unsigned long));
    syscall(SYS_tgkill, task_process(), task_self(), signal); /* comes when this handler returns */
}

/* What the program, or nobody, wanted to happen at such a signal of its own. */
static void pass_on(struct chain *chain, int signal, siginfo_t *info, void *context)
{
    const struct sigaction *action = &chain->chained[atomic_load(&chain->at)];
    if (action->sa_flags & SA_SIGINFO) {
        action->sa_sigaction(signal, info, context);
    } else if (action->sa_handler == SIG_DFL) {
        die_of(signal);
    } else if (action->sa_handler != SIG_IGN) {
        action->sa_handler(signal);
    }
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    if (is_event(info) || is_ticker(info)) {
        atomic_fetch_add(&sampler.inside, 1);
        if (atomic_load(&sampler.state) == SAMPLER_RUNNING)
            on_tick(info, context);
        atomic_fetch_sub(&sampler.inside, 1);
    } else if (!is_bare(info)) {
        pass_on(&chain_profile, signal, info, context);
    }
    errno = saved;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    atomic_fetch_add(&sampler.inside, 1);
    bool taken = watch_trap(info, context);
    atomic_fetch_sub(&sampler.inside, 1);
    if (!taken)
        pass_on(&chain_trap, signal, info, context);
    errno = saved;
}

static int install(struct chain *chain, int signal, void (*handler)(int, siginfo_t *, void *))
{
    if (chain->installed)
        return 0;
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
    /* A handler of the program that jumped out of ours would leave a record half done. */
    sigfillset(&action.sa_mask);
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&action.sa_mask, faults[i]);
    if (sigaction(signal, &action, &chain->chained[0]) != 0)
        return errno;
    chain->installed = true;
    return 0;
}

int handler_install(void)
{
    int error = install(&chain_profile, SIGPROF, on_signal);
    if (!error && sampler.config.watch.wanted)
        error = install(&chain_trap, SIGTRAP, on_trap);
    return error;
}

bool sampler_has_handler(int signal)
{
    const struct chain *chain = signal == SIGPROF ? &chain_profile : &chain_trap;
    const struct sigaction *action = &chain->chained[atomic_load(&chain->at)];
    return action->sa_flags & SA_SIGINFO || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

bool sampler_chain(int signal, const struct sigaction *action, struct sigaction *before)
{
    struct chain *chain = signal == SIGPROF ? &chain_profile : &chain_trap;
    if ((signal != SIGPROF && signal != SIGTRAP) || !chain->installed ||
        atomic_load(&sampler.state) != SAMPLER_RUNNING || sampler.source == SOURCE_EXTERNAL)
        return false;
    unsigned at = atomic_load(&chain->at);
    if (before)
        *before = chain->chained[at];
    if (action) {
        chain->chained[!at] = *action;
        atomic_store(&chain->at, !at);
    }
    return true;
}
