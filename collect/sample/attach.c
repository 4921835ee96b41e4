#include "collect/sample/state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "collect/sample/clock_event.h"
#include "collect/sample/outside.h"
#include "collect/sample/stack.h"
#include "collect/sample/task.h"

int attach_event(const struct slot *slot)
{
    int fd = atomic_load(&slot->fd);
    return fd >= 0 && perf_owned(fd, atomic_load(&slot->tid)) ? fd : -1;
}

static void slot_update_thread(struct slot *slot)
{
    if (slot->shared) {
        outside_update(slot);
        return;
    }
    struct trace_thread_update update = {slot->name,         slot->role,    slot->first_ns,
                                         slot->first_cpu_ns, slot->last_ns, slot->last_cpu_ns};
    trace_stream_update(atomic_load(&slot->stream), &update);
}

/* With no thread of our own that reads it, each thread reports its own name (outside_heard()). */
static void slot_read_name(struct slot *slot)
{
    char name[SLOT_NAME_MAX];
    if (sampler.board && atomic_load(&slot->tid) != task_self())
        return;
    task_name(atomic_load(&slot->tid), name, sizeof name);
    if (name[0] == '\0' || strcmp(name, slot->name) == 0)
        return;
    memcpy(slot->name, name, sizeof name);
    slot->role = sampler.hooks.role ? sampler.hooks.role(name) : ROLE_NATIVE;
}

/* A clock in time counts nanoseconds, or events that represent them; one in events counts events, whatever their
 * duration. */
void attach_set_pace(struct slot *slot, double stretch)
{
    double units = atomic_load(&sampler.units_per_ns);
    bool converts = slot->source == SOURCE_PMU && units > 0;
    slot->pace = pace_of(sampler.config.period_ns, sampler.config.spread_ns, stretch, converts ? units : 1);
    if (slot->shared)
        atomic_store(&slot->shared->interval_ns, (uint64_t)(stretch * (double)sampler.config.period_ns));
}

/*
 * A clock keeps ticking at its first interval until a handler sets it again. If that is less than the kernel needs for
 * a tick, the thread never gets to its handler, nor anywhere else. So the first tick comes no sooner than this; one
 * that would come sooner is delayed, and if the thread ends before, it is counted as lost. A hardware counter may turn
 * out to run many times faster than when it was calibrated.
 */
static uint64_t slot_soonest_sample(const struct slot *slot)
{
    enum { TICKS = 4, FASTER = 64 };
    double units = slot->source == SOURCE_PMU ? (double)FASTER * atomic_load(&sampler.units_per_ns) : 1;
    double bearable = (double)TICKS * (double)sampler.config.tick_ns * units, half = (double)slot->pace.period / 2;
    return (uint64_t)(bearable < half ? bearable : half);
}

/* Opens the slot's clock, stopped. False if the thread has exited. */
static bool slot_open_clock(struct slot *slot)
{
    pid_t tid = atomic_load(&slot->tid);
    int fd = -1;
    uint64_t cpu;
    if (!task_cpu_ns(tid, &cpu))
        return false;
    atomic_store(&slot->cpu_ns, cpu);
    slot->opened_cpu_ns = cpu;
    slot->source = sampler.source;
    double stretch = atomic_load(&sampler.stretch);
    attach_set_pace(slot, slot->pace.stretch > stretch ? slot->pace.stretch : stretch);
    governor_begin(&slot->governor, cpu);
    uint64_t first = rng_first(&slot->rng, slot->pace.period, slot->pace.spread), least = slot_soonest_sample(slot);
    slot->first_due = first;
    if (first < least)
        first += least;
    int error = sampler_has_events()
                    ? perf_open(&sampler.config, slot->source, tid, first, atomic_load(&sampler.signal), &fd)
                    : 0;
    if (error == ESRCH)
        return false;
    if (error == 0 && fd >= 0 && !slots_bind_fd(fd, slot)) {
        perf_close(fd, tid);
        fd = -1;
        error = EMFILE;
    }
    atomic_store(&slot->fd, fd);
    if (error && !sampler.fallback_reported) {
        sampler.fallback_reported = true;
        sampler_report("a thread has no perf event (%s): it and others like it are sampled by the timer thread",
                       strerrordesc_np(error));
    }
    if (fd < 0 && !sampler.board) {
        slot->stat = task_open_stat(tid);
        slot->ticker_cpu_ns = cpu;
        task_wait_ns(tid, &slot->ticker_wait_ns);
    }
    return true;
}

static void slot_close_clock(struct slot *slot)
{
    int fd = atomic_exchange(&slot->fd, -1);
    if (fd >= 0) {
        slots_bind_fd(fd, NULL);
        perf_close(fd, atomic_load(&slot->tid));
    }
    reserved_fd_close(&slot->stat);
}

void attach_watcher(struct slot *slot)
{
    static bool reported;
    struct sampler_guard guard;
    if (slot->watch_order == 0 || !sampler_try_lock_in_handler(&guard))
        return;
    /* Opens the debug registers of either use. */
    bool calls = sampler.config.calls;
    pid_t tid = atomic_load(&slot->tid);
    struct trace_stream *stream = atomic_load(&slot->stream);
    int error = calls ? calls_open(tid, sampler.seed, slot->watch_order, &slot->calls)
                      : watch_open(&sampler.config.watch, tid, sampler.seed, slot->watch_order, &slot->watcher);
    if (!error && calls)
        calls_attach(slot->calls, stream, slot->stack, slot->stack + SLOT_STACK_BYTES);
    else if (!error)
        slot->watcher->stream = stream;
    if (!reported && error && error != ESRCH)
        sampler_report("a thread has %s (%s): it and others like it are not watched",
                       error == ENOTSUP ? "return addresses that the processor checks"
                       : calls          ? "too few debug registers"
                                        : "no debug register",
                       strerrordesc_np(error));
    reported |= error && error != ESRCH;
    slot->watch_order = 0;
    sampler_unlock_in_handler(&guard);
}

static bool slot_open(struct slot *slot)
{
    struct trace_stream *stream;
    pid_t tid = atomic_load(&slot->tid);
    rng_init(&slot->rng, sampler.seed, sampler.thread_count);
    slot_read_name(slot);
    slot->first_ns = slot->last_ns = clock_ns(CLOCK_MONOTONIC);
    if (!task_cpu_ns(tid, &slot->first_cpu_ns) || !slot_open_clock(slot))
        return false;
    slot->last_cpu_ns = slot->first_cpu_ns;
    if (sampler.board)
        stream = outside_open(slot);
    else if (trace_stream_open(sampler.writer, (uint64_t)tid, slot->name, slot->role, &stream))
        stream = NULL;
    if (!stream) {
        slot_close_clock(slot);
        return false;
    }
    sampler.thread_count++;
    atomic_store(&slot->stream, stream);
    slot->watch_order = sampler_uses_registers() ? sampler.thread_count : 0;
    return true;
}

static void slot_start_clock(struct slot *slot)
{
    int fd = atomic_load(&slot->fd);
    if (slot->shared) {
        atomic_store(&slot->shared->wants_ticks, fd < 0);
        atomic_store(&slot->shared->clock_id, fd >= 0 ? perf_id(fd) : 0);
        atomic_store(&slot->shared->clock, fd);
        atomic_store(&slot->shared->interval_ns, (uint64_t)(slot->pace.stretch * (double)sampler.config.period_ns));
    }
    if (fd >= 0)
        sampler_start_event(fd);
    else if (!slot->shared)
        ticker_start();
}

void attach_thread(pid_t tid)
{
    outside_bury();
    struct slot *slot = slots_take(tid);
    if (!slot)
        return;
    if (!slot_open(slot)) {
        slots_release(slot);
        return;
    }
    if (sampler.hooks.alternate_stacks && tid == task_self())
        stack_offer(slot);
    slot_update_thread(slot);
    /* CPU time from before the thread had a clock, as the number of samples that it would have given. */
    if (!sampler.board) { /* otherwise the writing process knows what has been recorded before */
        bool continues = tid == sampler.process && sampler.cpu_recorded_ns <= slot->first_cpu_ns;
        sampler.late_ns += slot->first_cpu_ns - (continues ? sampler.cpu_recorded_ns : 0);
        uint64_t count = sampler.late_ns / sampler.config.period_ns;
        sampler.late_ns %= sampler.config.period_ns;
        if (count > 0)
            trace_count_lost(atomic_load(&slot->stream), LOST_LATE_ATTACH, count);
    }
    slot_start_clock(slot);
    if (slot->shared)
        outside_publish(slot);
}

/* Including the first one, if it was delayed for too long. */
static uint64_t slot_samples_in(const struct slot *slot, uint64_t counted, uint64_t cpu_ns)
{
    uint64_t ticks = counted_ticks(slot, counted, cpu_ns);
    bool put_off = slot->tick == 0 && slot->first_due < slot_soonest_sample(slot) && counted >= slot->first_due;
    return ticks == 0 && put_off ? 1 : ticks;
}

/* Counts ticks since the last sample for which no signal came. Returns their number. */
static uint64_t slot_count_lost_at_end(const struct slot *slot, int event)
{
    uint64_t cpu, lost;
    bool living, possible;
    if (atomic_load(&slot->fd) < 0) {
        lost = atomic_load(&slot->ticks->sent) - atomic_load(&slot->ticks->received);
    } else if (!(living = task_cpu_ns(atomic_load(&slot->tid), &cpu)) && event < 0) {
        lost = 0;
    } else if (!living) {
        /* A bound for the CPU time since the last tick of a thread that has exited: it can't have run for longer than
         * it existed. */
        uint64_t lived = clock_ns(CLOCK_MONOTONIC) - slot->first_ns,
                 before = atomic_load(&slot->cpu_ns) - slot->first_cpu_ns;
        uint64_t most = lived > before ? lived - before : 0;
        lost = slot_samples_in(slot, counted_of_ended(slot, perf_count(event), most), most);
    } else {
        uint64_t last_cpu = atomic_load(&slot->cpu_ns), used = cpu - last_cpu, count = used;
        if (event >= 0) {
            count = counted_since_tick(slot, perf_count(event), used, &possible);
        } else if (slot->source == SOURCE_PMU) {
            /* What the clock would have counted if the program had not closed it: according to the period in time;
             * without one, as fast as before. */
            uint64_t before = last_cpu - slot->opened_cpu_ns;
            double units = atomic_load(&sampler.units_per_ns);
            double pace = units > 0 ? units : before > 0 ? (double)atomic_load(&slot->count) / (double)before : 0;
            count = (uint64_t)((double)used * pace);
        }
        lost = slot_samples_in(slot, count, used);
    }
    if (lost > 0)
        trace_count_lost(atomic_load(&slot->stream), LOST_NOT_DELIVERED, lost);
    return lost;
}

void attach_finalize(struct slot *slot)
{
    if (!atomic_load(&slot->stream) || slot->paused)
        return;
    int event = attach_event(slot);
    uint64_t lost = slot_count_lost_at_end(slot, event);
    if (lost == 0)
        return;
    slot->tick += lost;
    atomic_store(&slot->ticks->received, atomic_load(&slot->ticks->sent));
    atomic_store(&slot->cpu_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID));
    if (event < 0)
        return;
    slot->overrun = true; /* the signal of one of them may be pending */
    atomic_store(&slot->count, perf_count(event));
    perf_rearm(event, rng_interval(&slot->rng, slot->pace.period, slot->pace.spread));
}

static void slot_reopen_clock(struct slot *slot)
{
    slot->tick += slot_count_lost_at_end(slot, -1);
    slot_close_clock(slot);
    atomic_store(&slot->count, 0);
    if (slot_open_clock(slot))
        slot_start_clock(slot);
}

/* Out of line: a configuration is too large for the stack of each handler that looks. */
static __attribute__((noinline)) void slot_replace_clock(struct slot *slot)
{
    struct sampler_config next = sampler.config;
    next.source = SOURCE_CPU_CLOCK;
    sampler.source = sampler_probe(&next) ? SOURCE_TIMER_THREAD : SOURCE_CPU_CLOCK;
    slot_reopen_clock(slot);
    slot->replaced = sampler.source;
    atomic_store(&slot->replaced_ns, clock_ns(CLOCK_MONOTONIC));
}

void attach_look(struct slot *slot)
{
    enum { INTERVALS = 8 };
    static const uint64_t LEAST_NS = 200000000;
    int fd = atomic_load(&slot->fd);
    if (fd >= 0 && atomic_load(&slot->stream) && !perf_owned(fd, atomic_load(&slot->tid))) {
        slot_reopen_clock(slot);
        return;
    }
    uint64_t cpu, heard = atomic_load(&slot->cpu_ns), longest = sampler.config.period_ns + sampler.config.spread_ns;
    int event = slot->source == SOURCE_PMU && atomic_load(&sampler.units_per_ns) > 0 ? attach_event(slot) : -1;
    if (event < 0 || !atomic_load(&slot->stream) || !task_cpu_ns(atomic_load(&slot->tid), &cpu))
        return;
    double quiet = INTERVALS * slot->pace.stretch * (double)longest;
    if (cpu <= heard + LEAST_NS || (double)(cpu - heard) <= quiet || perf_count(event) > atomic_load(&slot->count))
        return;
    /* A hardware counter has been silent for long, and has not advanced, or is gone. */
    slot_replace_clock(slot);
}

void attach_refresh(struct slot *slot, bool name)
{
    if (!atomic_load(&slot->stream))
        return;
    if (name)
        slot_read_name(slot);
    int event;
    uint64_t cpu = 0;
    if (!task_cpu_ns(atomic_load(&slot->tid), &cpu) && slot->source == SOURCE_CPU_CLOCK &&
        (event = attach_event(slot)) >= 0)
        cpu = slot->first_cpu_ns + perf_count(event); /* the event has outlived the thread */
    slot->last_ns = clock_ns(CLOCK_MONOTONIC);
    if (cpu > slot->last_cpu_ns)
        slot->last_cpu_ns = cpu;
    slot_update_thread(slot);
}

void attach_pause(struct slot *slot)
{
    if (!atomic_load(&slot->stream) || slot->paused)
        return;
    slot->paused = true;
    int event = attach_event(slot);
    if (event >= 0)
        perf_disable(event);
    slot_count_lost_at_end(slot, event);
}

void attach_end(struct slot *slot)
{
    struct trace_stream *stream = atomic_load(&slot->stream);
    atomic_store(&slot->ended, true);
    if (!stream)
        return;
    attach_pause(slot);
    attach_refresh(slot, true);
    watch_close(slot->watcher);
    calls_close(slot->calls);
    handler_report_replaced(slot);
    atomic_store(&slot->stream, NULL);
    trace_stream_close(stream);
    slot_close_clock(slot);
    outside_close(slot);
}

void attach_ignore(pid_t tid)
{
    struct slot *slot = slots_of_tid(tid);
    if (slot)
        attach_end(slot);
    else if ((slot = slots_take(tid)))
        atomic_store(&slot->ended, true);
    if (slot)
        slot->internal = true;
}
