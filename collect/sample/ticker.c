#include "collect/sample/state.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/sample/task.h"

/* One tick for all threads of the timer. */
struct tick {
    uint64_t number;
    uint64_t skipped;    /* ticks before it for which the timer thread came too late */
    uint64_t elapsed_ns; /* since the previous tick */
    struct rng rng;
};

/*
 * A runnable thread does not always run: it may wait for a processor. Of n ticks that find it runnable, use the share
 * of the time since the last tick in which it ran, so that samples follow CPU time even on a busy machine.
 */
static bool timer_target_ran(struct tick *tick, pid_t tid, struct slot *slot, uint64_t used)
{
    uint64_t total, rest = tick->elapsed_ns > used ? tick->elapsed_ns - used : 0;
    if (!task_wait_ns(tid, &total))
        return true;
    /* It was not checked while it used no CPU time: some of the waiting may be from before the last tick. */
    uint64_t waited = total - slot->ticker_wait_ns < rest ? total - slot->ticker_wait_ns : rest;
    slot->ticker_wait_ns = total;
    return rng_below(&tick->rng, used + waited) < used;
}

static void timer_sample_slot(struct slot *slot, void *user)
{
    struct tick *tick = user;
    pid_t tid = atomic_load(&slot->tid);
    struct trace_stream *stream = atomic_load(&slot->stream);
    uint64_t cpu;
    if (!stream || atomic_load(&slot->fd) >= 0 ||
        clock_ns(CLOCK_MONOTONIC) < atomic_load(&slot->ticks->quiet_until_ns) || !task_cpu_ns(tid, &cpu))
        return;
    /* Cheaper than reading the state of a thousand sleeping threads. */
    uint64_t used = cpu - slot->ticker_cpu_ns;
    slot->ticker_cpu_ns = cpu;
    if (used == 0)
        return;
    /* The skipped ticks would have found the thread running during its share of the time. */
    uint64_t within = used < tick->elapsed_ns ? used : tick->elapsed_ns,
             lost = tick->skipped > 0 ? rng_share(&tick->rng, tick->skipped, within, tick->elapsed_ns) : 0;
    if (lost > 0)
        trace_count_lost(stream, LOST_NOT_DELIVERED, lost);
    bool taken = timer_target_ran(tick, tid, slot, used);
    char state = task_state(&slot->stat);
    if (taken && (state == 'R' || state == 0)) {
        siginfo_t info = {.si_signo = atomic_load(&sampler.signal), .si_code = SI_QUEUE};
        info.si_pid = sampler.process;
        info.si_uid = getuid();
        info.si_value.sival_ptr = slot;
        /* In this order, and read in the reverse: a handler of an earlier signal that comes between takes neither tick
         * twice. If the thread has exited, or there is no memory for another queued signal, the next tick shows which.
         */
        atomic_fetch_add(&slot->ticks->sent, 1);
        atomic_store(&slot->ticks->sent_tick, tick->number);
        if (syscall(SYS_rt_tgsigqueueinfo, sampler.process, tid, info.si_signo, &info) != 0)
            atomic_fetch_sub(&slot->ticks->sent, 1);
    }
}

static void *timer_run_thread(void *helper)
{
    struct tick tick = {0};
    const struct sampler_config *config = &sampler.config;
    rng_init(&tick.rng, sampler.seed, UINT64_MAX);
    uint64_t before_ns = clock_ns(CLOCK_MONOTONIC),
             due = before_ns + rng_first(&tick.rng, config->period_ns, config->spread_ns);
    while (!atomic_load(&sampler.ticker.stop)) {
        helper_wait(helper, due);
        uint64_t now = clock_ns(CLOCK_MONOTONIC);
        if (now < due)
            continue;
        for (tick.skipped = 0; (due += rng_interval(&tick.rng, config->period_ns, config->spread_ns)) <= now;)
            tick.skipped++;
        tick.number += 1 + tick.skipped;
        tick.elapsed_ns = now - before_ns;
        before_ns = now;
        struct sampler_guard guard;
        sampler_lock(&guard);
        if (!sampler.paused)
            slots_each(timer_sample_slot, &tick);
        sampler_unlock(&guard);
    }
    return NULL;
}

int ticker_start(void)
{
    int error = helper_spawn(&sampler.ticker, timer_run_thread, "assay-tick");
    if (!error)
        attach_ignore(atomic_load(&sampler.ticker.tid));
    return error;
}
