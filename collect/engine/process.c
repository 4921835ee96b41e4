/*
 * The sampler around fork and exec.
 */
#include <stdio.h>
#include <unistd.h>

#include "collect/engine/perf.h"
#include "collect/engine/state.h"
#include "collect/engine/task.h"

static void pause_clocks(bool pause)
{
    struct sampler_guard guard;
    sampler_lock(&guard);
    sampler.paused = pause;
    struct slot *slot = slots_of_tid(task_self());
    int fd = slot ? atomic_load(&slot->fd) : -1;
    if (fd >= 0 && pause)
        perf_disable(fd);
    else if (fd >= 0)
        perf_enable(fd);
    sampler_unlock(&guard);
}

void sampler_before_exec(char *recorded, size_t size)
{
    if (size > 0)
        recorded[0] = '\0';
    if (!sampler_active())
        return;
    pause_clocks(true);
    sampler_seal();
    uint64_t cpu;
    if (access(sampler.path, F_OK) == 0 && task_cpu_ns(sampler.process, &cpu))
        snprintf(recorded, size, "%d:%llu", (int)sampler.process, (unsigned long long)cpu);
}

void sampler_exec_failed(void)
{
    if (sampler_active())
        pause_clocks(false);
}

void sampler_before_fork(void)
{
    if (!sampler_active())
        return;
    pthread_mutex_lock(&sampler.life);
    pthread_mutex_lock(&sampler.lock);
}

void sampler_after_fork_in_parent(void)
{
    if (!sampler_active())
        return;
    pthread_mutex_unlock(&sampler.lock);
    pthread_mutex_unlock(&sampler.life);
}

static void forget(struct slot *slot, void *user)
{
    (void)user;
    int fd = atomic_load(&slot->fd);
    if (fd >= 0)
        perf_close(fd, atomic_load(&slot->tid));
    kept_close(&slot->stat);
}

void sampler_after_fork_in_child(void)
{
    if (atomic_load(&sampler.state) == SAMPLER_IDLE || !sampler.writer)
        return;
    bool sampling = atomic_load(&sampler.state) == SAMPLER_RUNNING;
    atomic_store(&sampler.state, SAMPLER_IDLE);
    atomic_store(&sampler.inside, 0);
    pthread_mutex_init(&sampler.life, NULL);
    pthread_mutex_init(&sampler.lock, NULL);
    sampler.scanner.running = sampler.ticker.running = false;
    atomic_store(&sampler.seals_wanted, 0);
    atomic_store(&sampler.seals_done, 0);
    slots_each(forget, NULL);
    slots_reset();
    task_forget();
    trace_abandon(sampler.writer);
    sampler.writer = NULL;
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    if (sampling)
        sampler_begin();
    pthread_setcancelstate(cancel_state, NULL);
}
