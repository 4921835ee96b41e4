/*
 * Ticks for threads that have no clock of their own: signals at random times, to those that run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/draw.h"
#include "base/signals.h"
#include "collect/keep/state.h"

/* The ticks of one process. */
struct schedule {
    struct draw draw;
    uint64_t before_ns, due_ns;
    uint64_t number;
    uint64_t skipped;    /* ticks before this one for which the ticker came too late */
    uint64_t elapsed_ns; /* since the previous one */
};

static bool is_running;

/* ---------------------------------------------------------------------------- a thread -- */

static bool read_file(const struct process *process, const struct thread *thread, int *fd, const char *name, char *text,
                      size_t size)
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
 * A runnable thread does not always run: it may wait for a processor. Of n ticks that find it runnable, use the share
 * of the time since the last tick in which it ran, so that samples follow CPU time even on a busy machine.
 */
static bool ran(struct schedule *schedule, struct thread *thread, uint64_t used, uint64_t total)
{
    uint64_t rest = schedule->elapsed_ns > used ? schedule->elapsed_ns - used : 0,
             waited = total - thread->ticker_wait_ns;
    /* It was not checked while it used no CPU time: some of the waiting may be from before the last tick. */
    thread->ticker_wait_ns = total;
    return draw_below(&schedule->draw, used + (waited < rest ? waited : rest)) < used;
}

static bool is_runnable(const struct process *process, struct thread *thread)
{
    char text[512];
    if (!read_file(process, thread, &thread->stat, "stat", text, sizeof text))
        return true;                           /* unknown */
    const char *name_end = strrchr(text, ')'); /* the name may hold anything */
    return !name_end || strncmp(name_end, ") R", 3) == 0;
}

static void send(const struct process *process, struct thread *thread, uint64_t number)
{
    struct pool_ticks *ticks = &thread->shared->ticks;
    /* In this order, and read in the reverse: a handler of an earlier signal that comes between takes neither tick
     * twice. */
    atomic_fetch_add(&ticks->sent, 1);
    atomic_store(&ticks->sent_tick, number);
    if (loop_send(process, thread->tid, thread->shared->slot) != 0)
        atomic_fetch_sub(&ticks->sent, 1); /* it has exited, or there is no memory: the next tick shows which */
}

static void tick_thread(struct process *process, struct thread *thread)
{
    struct schedule *schedule = process->schedule;
    struct pool_thread *shared = thread->shared;
    char text[128], *wait;
    if (!atomic_load(&shared->wants_ticks) || atomic_load(&shared->released) || atomic_load(&shared->gone) ||
        clock_ns(CLOCK_MONOTONIC) < atomic_load(&shared->ticks.quiet_until_ns) ||
        !read_file(process, thread, &thread->schedstat, "schedstat", text, sizeof text))
        return;
    uint64_t cpu = strtoull(text, &wait, 10), waited = strtoull(wait, NULL, 10);
    bool first = thread->ticker_cpu_ns == 0;
    uint64_t used = first ? 0 : cpu - thread->ticker_cpu_ns;
    thread->ticker_cpu_ns = cpu;
    if (first)
        thread->ticker_wait_ns = waited;
    if (used == 0)
        return;
    uint64_t fit = used / keeper.config.period_ns, lost = fit < schedule->skipped ? fit : schedule->skipped;
    if (lost > 0)
        trace_count_lost((struct trace_stream *)(void *)shared->stream, LOST_NOT_DELIVERED, lost);
    if (ran(schedule, thread, used, waited) && is_runnable(process, thread))
        send(process, thread, schedule->number);
}

/* ---------------------------------------------------------------------------- a process -- */

static struct schedule *begin_schedule(const struct process *process, uint64_t now)
{
    struct schedule *schedule = calloc(1, sizeof *schedule);
    if (!schedule)
        return NULL;
    draw_init(&schedule->draw, process->board->seed, UINT64_MAX);
    schedule->before_ns = now;
    schedule->due_ns = now + draw_first(&schedule->draw, keeper.config.period_ns, keeper.config.spread_ns);
    return schedule;
}

static bool wants_ticks(const struct process *process)
{
    for (const struct thread *thread = process->threads; thread; thread = thread->next)
        if (atomic_load(&thread->shared->wants_ticks))
            return process->pid > 0 && !process->finished;
    return false;
}

/* Returns when the next tick is due. */
static uint64_t tick_process(struct process *process, uint64_t now)
{
    const struct sampler_config *config = &keeper.config;
    if (!wants_ticks(process))
        return UINT64_MAX;
    struct schedule *schedule = process->schedule;
    if (!schedule && !(schedule = process->schedule = begin_schedule(process, now)))
        return UINT64_MAX;
    if (now < schedule->due_ns)
        return schedule->due_ns;
    schedule->skipped = 0;
    while ((schedule->due_ns += draw_interval(&schedule->draw, config->period_ns, config->spread_ns)) <= now)
        schedule->skipped++;
    schedule->number += 1 + schedule->skipped;
    schedule->elapsed_ns = now - schedule->before_ns;
    schedule->before_ns = now;
    if (atomic_load(&process->board->state) == POOL_RUNNING)
        for (struct thread *thread = process->threads; thread; thread = thread->next)
            tick_thread(process, thread);
    return schedule->due_ns;
}

static void *run(void *nothing)
{
    static const uint64_t LONGEST_NS = UINT64_C(10000000);
    (void)nothing;
    for (;;) {
        uint64_t now = clock_ns(CLOCK_MONOTONIC), next = now + LONGEST_NS;
        pthread_mutex_lock(&keeper.lock);
        for (struct process *process = keeper.processes; process; process = process->next) {
            uint64_t due = tick_process(process, now);
            next = due < next ? due : next;
        }
        pthread_mutex_unlock(&keeper.lock);
        struct timespec at = {(time_t)(next / 1000000000), (long)(next % 1000000000)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    }
    return NULL;
}

void ticker_begin(void)
{
    pthread_t thread;
    if (!is_running)
        is_running = pthread_create(&thread, NULL, run, NULL) == 0;
}

static void close_file(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void ticker_forget_thread(struct thread *thread)
{
    close_file(&thread->schedstat);
    close_file(&thread->stat);
}

void ticker_forget(struct process *process)
{
    free(process->schedule);
    process->schedule = NULL;
}
