/*
 * The sampler around fork and exec.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/signals.h"
#include "collect/sample/clock_event.h"
#include "collect/sample/outside.h"
#include "collect/sample/peek.h"
#include "collect/sample/state.h"
#include "collect/sample/task.h"

static void process_pause_clocks(bool pause)
{
    struct sampler_guard guard;
    sampler_lock(&guard);
    sampler.paused = pause;
    struct slot *slot = slots_of_tid(task_self());
    int event = slot ? attach_event(slot) : -1;
    if (event >= 0 && pause)
        perf_disable(event);
    else if (event >= 0)
        sampler_start_event(event);
    sampler_unlock(&guard);
}

void sampler_before_exec(char *recorded, size_t size)
{
    if (size > 0)
        recorded[0] = '\0';
    if (!sampler_active())
        return;
    process_pause_clocks(true); /* a tick that came meanwhile now gives its sample */
    struct sampler_guard guard;
    sampler_lock(&guard);
    struct slot *slot = slots_of_tid(task_self());
    if (slot)
        attach_finalize(slot);
    sampler_unlock(&guard);
    if (sampler.board) {
        sampler_report_times(false);
        outside_executes(true);
        return;
    }
    sampler_seal();
    if (access(sampler.path, F_OK) != 0)
        return;
    /* The trace's data about this thread, whose CPU time continues in the new program. */
    sampler_lock(&guard);
    slot = slots_of_tid(task_self());
    bool reported = slot && atomic_load(&slot->stream);
    uint64_t cpu = reported ? slot->last_cpu_ns : 0;
    sampler_unlock(&guard);
    if (reported)
        snprintf(recorded, size, "%d:%llu", (int)sampler.process, (unsigned long long)cpu);
}

void sampler_exec_failed(void)
{
    if (!sampler_active())
        return;
    if (sampler.board)
        outside_executes(false);
    process_pause_clocks(false);
}

/* The fork in progress in this thread. A handler that interrupted it, and forked or ended the process, would wait for
 * locks that its own thread holds, so no signal is taken. */
static _Thread_local struct {
    sigset_t mask; /* as it was before */
    bool held;     /* the locks are needed: the sampler may stop, or start, between the two ends of a fork */
} forking;

void sampler_before_fork(void)
{
    signals_block(&forking.mask);
    forking.held = sampler_active();
    if (!forking.held)
        return;
    pthread_mutex_lock(&sampler.life);
    pthread_mutex_lock(&sampler.lock);
}

void sampler_after_fork_in_parent(void)
{
    if (forking.held) {
        pthread_mutex_unlock(&sampler.lock);
        pthread_mutex_unlock(&sampler.life);
    }
    signals_restore(&forking.mask);
}

static void process_forget_slot(struct slot *slot, void *user)
{
    (void)user;
    int fd = atomic_load(&slot->fd);
    if (fd >= 0)
        perf_close(fd, atomic_load(&slot->tid));
    reserved_fd_close(&slot->stat);
    watch_forget(slot->watcher);
    calls_forget(slot->calls);
}

void sampler_after_fork_in_child(bool may)
{
    int state = atomic_load(&sampler.state), cancel_state;
    sampler_put_back(false);
    handler_forget_slot();
    pthread_mutex_init(&sampler.life, NULL);
    pthread_mutex_init(&sampler.lock, NULL);
    atomic_store(&sampler.life_holder, 0);
    if (state != SAMPLER_IDLE && sampler_is_recording()) {
        atomic_store(&sampler.state, SAMPLER_IDLE);
        atomic_store(&sampler.inside, 0);
        sampler.scanner.running = sampler.ticker.running = false;
        atomic_store(&sampler.seals_wanted, 0);
        atomic_store(&sampler.seals_done, 0);
        slots_each(process_forget_slot, NULL);
        outside_forget();
        slots_reset();
        task_forget();
        peek_forget();
        if (sampler.writer)
            trace_abandon(sampler.writer);
        sampler.writer = NULL;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
        if (state == SAMPLER_RUNNING && may)
            sampler_begin();
        pthread_setcancelstate(cancel_state, NULL);
    }
    signals_restore(&forking.mask);
}
