/*
 * Beginning and end of the recording in a process.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/methods/thread.h"
#include "collect/sample/sampler.h"

bool methods_wanted(const json_t *configuration)
{
    const char *mode = json_string_value(json_object_get(configuration, "mode"));
    return mode && strcmp(mode, "methods") == 0;
}

/* CPU time and wall time have no cost of their own: it is the time's. */
static json_t *describe_cost(const struct cost *cost)
{
    const struct cost_of *time = &cost->time;
    json_t *counters = json_array();
    for (size_t i = 0; i < methods.counter_count; i++) {
        const struct cost_of *of = &cost->counters[methods.counters[i]];
        bool is_time = methods.counters[i] == COUNTER_CPU || methods.counters[i] == COUNTER_WALL;
        json_array_append_new(counters, is_time ? json_null()
                                                : json_pack("{s:f, s:f, s:f, s:f}", "pair", of->pair, "exit", of->exit,
                                                            "lo", of->low, "hi", of->high));
    }
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:o}", "enter_ns", time->pair - time->exit, "exit_ns", time->exit,
                     "pair_ns", time->pair, "lo_ns", time->low, "hi_ns", time->high, "counters", counters);
}

json_t *methods_prepare(const struct methods_hooks *hooks, const json_t *configuration)
{
    struct cost cost;
    methods.hooks = *hooks;
    bool steady = time_prepare();
    json_t *wanted = json_object_get(json_object_get(configuration, "methods"), "counters");
    json_t *extra =
        json_pack("{s:o, s:s}", "counters", counters_prepare(wanted), "event_clock", steady ? "tsc" : "monotonic");
    if (methods.simulated)
        json_object_set_new(extra, "simulated", counters_simulated());
    bool measured = cost_measure(&cost);
    methods.pair_ns = measured ? (uint64_t)(cost.time.pair + 0.5) : 0;
    methods.inner_ns = measured ? (uint64_t)(cost.time.exit + 0.5) : 0;
    giveup_prepare(configuration, measured ? cost.time.pair : 0);
    if (measured)
        json_object_set_new(extra, "probe", describe_cost(&cost));
    methods.prepared = true;
    return extra;
}

void methods_begin(void)
{
    if (!methods.prepared)
        return;
    methods.process = getpid();
    atomic_store(&methods.active, true);
}

bool methods_recording(void)
{
    return atomic_load_explicit(&methods.active, memory_order_relaxed);
}

bool methods_lacks_allocated(void)
{
    return methods.lacks_allocated;
}

bool methods_given_up(uint64_t method)
{
    return giveup_slot(method) >= 0;
}

bool methods_has_recorded(void)
{
    return methods.wrote;
}

void methods_wait_for_writer(void)
{
    enum { CYCLES = 2, PATIENCE_NS = 1000000000 }; /* the first may have been under way */
    uint64_t wanted = atomic_load(&methods.cycles) + CYCLES, until = 0, before = 0, now;
    int saved = errno;
    while (atomic_load(&methods.cycles) < wanted && sampler_writer() && getpid() == methods.process) {
        uint64_t progress = atomic_load(&methods.cycles) + atomic_load(&methods.taken);
        now = clock_ns(CLOCK_MONOTONIC);
        if (until == 0 || progress != before)
            until = now + PATIENCE_NS;
        before = progress;
        if (now >= until) {
            atomic_fetch_add(&methods.hasty, 1);
            break;
        }
        trace_wake(sampler_writer());
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 50000}, NULL);
    }
    errno = saved;
}

void methods_end(void)
{
    if (!methods.prepared || getpid() != methods.process || !atomic_exchange(&methods.active, false))
        return;
    atomic_store(&methods.ending, true);
}

void methods_resume(void)
{
    if (!methods.prepared || getpid() != methods.process)
        return;
    pthread_mutex_lock(&methods.lock);
    for (struct methods_thread *thread = atomic_load(&methods.threads); thread; thread = thread->next)
        thread->reenter = true;
    atomic_store(&methods.ending, false);
    atomic_store(&methods.active, true);
    pthread_mutex_unlock(&methods.lock);
}

bool methods_end_from_handler(unsigned timeout_ms)
{
    if (!methods.prepared || getpid() != methods.process || !sampler_writer())
        return false;
    methods_end();
    uint64_t asked = trace_ask_seal(sampler_writer()),
             until = clock_ns(CLOCK_MONOTONIC) + timeout_ms * UINT64_C(1000000);
    while (!trace_is_sealed(sampler_writer(), asked) && clock_ns(CLOCK_MONOTONIC) < until)
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 50000}, NULL);
    return trace_is_sealed(sampler_writer(), asked);
}

static bool held_at_fork;

void methods_before_fork(bool (*take)(pthread_mutex_t *lock))
{
    held_at_fork = methods.prepared && take(&methods.lock);
}

void methods_after_fork_in_parent(void)
{
    if (held_at_fork)
        pthread_mutex_unlock(&methods.lock);
}

void methods_after_fork_in_child(void)
{
    if (!methods.prepared)
        return;
    pthread_mutex_init(&methods.lock, NULL);
    if (!held_at_fork) { /* the writer was at work on what is inherited */
        atomic_store(&methods.active, false);
        methods.prepared = false;
        return;
    }
    methods.process = getpid();
    methods.wrote = false;
    atomic_store(&methods.hasty, 0);
    atomic_store(&methods.threads, NULL);
    struct methods_thread *thread = probe_self();
    if (!thread)
        return;
    collect_inherit(thread);
    hardware_close(&thread->hardware); /* they count the parent's thread */
    probe_open_hardware(thread);
    if (thread->rseq)
        thread->rseq->rseq_cs = 0; /* the child's CPU time begins at 0 */
    thread->tid = (pid_t)syscall(SYS_gettid);
}
