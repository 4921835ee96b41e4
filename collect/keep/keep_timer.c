/*
 * Timer expiries for threads that have no clock of their own: signals at random times, to those that run.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/signals.h"
#include "base/system_call.h"
#include "collect/keep/state.h"

/* When the timer of one process expires. */
struct schedule {
    struct rng rng;
    uint64_t before_ns, due_ns;
    uint64_t number;
    uint64_t skipped;    /* expiries before this one for which the timer came too late */
    uint64_t elapsed_ns; /* since the previous one */
};

static bool is_running;
static _Atomic uint32_t called; /* not 0: there is a new thread */

/* ---------------------------------------------------------------------------- a thread -- */

static bool keep_timer_read_file(const struct process *process, const struct thread *thread, int *fd, const char *name,
                                 char *text, size_t size)
{
    char path[80];
    if (*fd < 0) {
        snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)process->pid, (int)thread->tid, name);
        *fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    ssize_t length = *fd < 0 ? -1 : pread(*fd, text, size - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/*
 * A runnable thread does not always run: it may wait for a processor. When it is found runnable, it is sampled with a
 * probability: the share of the time since the last expiry in which it ran, so that samples follow CPU time even on a
 * busy machine.
 */
static bool keep_timer_thread_was_running(struct schedule *schedule, struct thread *thread, uint64_t used,
                                          uint64_t total)
{
    uint64_t rest = schedule->elapsed_ns > used ? schedule->elapsed_ns - used : 0,
             waited = total - thread->timer_wait_ns;
    /* It was not checked while it used no CPU time: some of the waiting may be from before the last expiry. */
    thread->timer_wait_ns = total;
    return rng_below(&schedule->rng, used + (waited < rest ? waited : rest)) < used;
}

static bool keep_timer_thread_is_runnable(const struct process *process, struct thread *thread)
{
    char text[512];
    if (!keep_timer_read_file(process, thread, &thread->stat, "stat", text, sizeof text))
        return true;                           /* unknown */
    const char *name_end = strrchr(text, ')'); /* the name may hold anything */
    return !name_end || strncmp(name_end, ") R", 3) == 0;
}

static void keep_timer_count_lost(const struct thread *thread, uint64_t expiries)
{
    if (expiries > 0)
        trace_count_lost((struct trace_stream *)(void *)thread->shared->stream, LOST_NOT_DELIVERED, expiries);
}

/* The expiries that were due in so much CPU time. */
static uint64_t keep_timer_samples_due(struct schedule *schedule, uint64_t cpu_ns)
{
    assert(schedule && keeper.config.period_ns > 0);
    return rng_share(&schedule->rng, 1, cpu_ns, keeper.config.period_ns);
}

static bool keep_timer_read_times(const struct process *process, struct thread *thread, uint64_t *cpu, uint64_t *waited)
{
    char text[128], *rest;
    if (!keep_timer_read_file(process, thread, &thread->schedstat, "schedstat", text, sizeof text))
        return false;
    *cpu = strtoull(text, &rest, 10);
    *waited = strtoull(rest, NULL, 10);
    return true;
}

static bool keep_timer_thread_wants(const struct thread *thread)
{
    const struct pool_thread *shared = thread->shared;
    return atomic_load(&shared->wants_ticks) && !atomic_load(&shared->released) && !atomic_load(&shared->gone);
}

static void keep_timer_sample_thread(struct process *process, struct thread *thread)
{
    struct schedule *schedule = process->schedule;
    uint64_t cpu, waited;
    if (!keep_timer_thread_wants(thread) || !thread->timer_met ||
        clock_ns(CLOCK_MONOTONIC) < atomic_load(&thread->shared->ticks.quiet_until_ns) ||
        !keep_timer_read_times(process, thread, &cpu, &waited))
        return;
    uint64_t used = cpu - thread->timer_cpu_ns;
    thread->timer_cpu_ns = cpu;
    if (used > 0) {
        /* Expiries for which the timer came too late would have found the thread running during its share of the time.
         * The kernel may show CPU time late, so that expiries have found none that was used before the last one. */
        uint64_t elapsed = schedule->elapsed_ns, within = used < elapsed ? used : elapsed;
        if (schedule->skipped > 0)
            keep_timer_count_lost(thread, rng_share(&schedule->rng, schedule->skipped, within, elapsed));
        if (thread->timer_idle)
            keep_timer_count_lost(thread, keep_timer_samples_due(schedule, used - within));
        if (keep_timer_thread_was_running(schedule, thread, used, waited) &&
            keep_timer_thread_is_runnable(process, thread)) {
            struct pool_ticks *expiries = &thread->shared->ticks;
            /* In this order, and read in the reverse: a handler of an earlier signal that comes between takes no
             * expiry twice. */
            atomic_fetch_add(&expiries->sent, 1);
            atomic_store(&expiries->sent_tick, schedule->number);
            /* It may have exited, or there is no memory: the next expiry shows which. */
            if (loop_send(process, thread->tid, thread->shared->slot) != 0)
                atomic_fetch_sub(&expiries->sent, 1);
        }
    }
    thread->timer_idle = used == 0;
}

/* ---------------------------------------------------------------------------- a process -- */

/* Returns when the next expiry is due. */
static uint64_t keep_timer_sample_process(struct process *process, uint64_t now)
{
    const struct sampler_config *config = &keeper.config;
    bool wanted = false;
    for (const struct thread *thread = process->threads; thread && !wanted; thread = thread->next)
        wanted = atomic_load(&thread->shared->wants_ticks);
    if (!wanted || process->pid <= 0 || process->finished)
        return UINT64_MAX;
    struct schedule *schedule = process->schedule;
    if (!schedule) {
        schedule = process->schedule = calloc(1, sizeof *schedule);
        if (!schedule)
            return UINT64_MAX;
        rng_init(&schedule->rng, process->board->seed, UINT64_MAX);
        schedule->before_ns = now;
        schedule->due_ns = now + rng_first(&schedule->rng, config->period_ns, config->spread_ns);
    }
    for (struct thread *thread = process->threads; thread; thread = thread->next)
        if (!thread->timer_met && keep_timer_thread_wants(thread)) {
            /* It has run since it asked for a timer, before it was found. One that had another clock before has counted
             * that itself. */
            uint64_t first = thread->shared->first_cpu_ns;
            thread->timer_met = keep_timer_read_times(process, thread, &thread->timer_cpu_ns, &thread->timer_wait_ns);
            if (thread->timer_met && thread->timer_cpu_ns > first && atomic_load(&thread->shared->last_cpu_ns) <= first)
                keep_timer_count_lost(thread, keep_timer_samples_due(schedule, thread->timer_cpu_ns - first));
        }
    if (now < schedule->due_ns)
        return schedule->due_ns;
    schedule->skipped = 0;
    while ((schedule->due_ns += rng_interval(&schedule->rng, config->period_ns, config->spread_ns)) <= now)
        schedule->skipped++;
    assert(schedule->due_ns > now && now >= schedule->before_ns);
    schedule->number += 1 + schedule->skipped;
    schedule->elapsed_ns = now - schedule->before_ns;
    schedule->before_ns = now;
    if (atomic_load(&process->board->state) == POOL_RUNNING)
        for (struct thread *thread = process->threads; thread; thread = thread->next)
            keep_timer_sample_thread(process, thread);
    return schedule->due_ns;
}

static void *keep_timer_run(void *nothing)
{
    static const uint64_t LONGEST_NS = UINT64_C(10000000);
    (void)nothing;
    for (;;) {
        uint64_t now = clock_ns(CLOCK_MONOTONIC), next = now + LONGEST_NS;
        pthread_mutex_lock(&keeper.lock);
        for (struct process *process = keeper.processes; process; process = process->next) {
            uint64_t due = keep_timer_sample_process(process, now);
            next = due < next ? due : next;
        }
        pthread_mutex_unlock(&keeper.lock);
        /* This one takes an absolute time of CLOCK_MONOTONIC. */
        struct timespec at = {(time_t)(next / 1000000000), (long)(next % 1000000000)};
        system_call(SYS_futex, (long)&called, FUTEX_WAIT_BITSET, 0, (long)&at, 0, (long)FUTEX_BITSET_MATCH_ANY);
        atomic_store(&called, 0);
    }
    return NULL;
}

void keep_timer_call(void)
{
    pthread_t thread;
    if (!is_running)
        is_running = pthread_create(&thread, NULL, keep_timer_run, NULL) == 0;
    atomic_store(&called, 1);
    system_call(SYS_futex, (long)&called, FUTEX_WAKE, 1, 0, 0, 0);
}

static void keep_timer_close_file(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void keep_timer_forget_thread(struct thread *thread)
{
    keep_timer_close_file(&thread->schedstat);
    keep_timer_close_file(&thread->stat);
}

void keep_timer_forget(struct process *process)
{
    free(process->schedule);
    process->schedule = NULL;
}
