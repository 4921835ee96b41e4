/*
 * The end of a trace: it is sealed, perhaps in a handler of a signal that ends the process, or the sampler stops.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"
#include "collect/sample/outside.h"
#include "collect/sample/peek.h"
#include "collect/sample/state.h"
#include "collect/sample/task.h"

static const uint64_t MILLISECOND = UINT64_C(1000000), FIRST_PAUSE_NS = UINT64_C(50000);

/* Who seals or stops the trace holds sampler.life, without blocking signals. */
static void sampler_lock_life(int *cancel_state)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel_state);
    pthread_mutex_lock(&sampler.life);
    atomic_store(&sampler.life_holder, task_self());
}

static void sampler_unlock_life(int cancel_state)
{
    atomic_store(&sampler.life_holder, 0);
    pthread_mutex_unlock(&sampler.life);
    pthread_setcancelstate(cancel_state, NULL);
}

static void sampler_refresh_slot(struct slot *slot, void *user)
{
    if (*(bool *)user)
        attach_pause(slot);
    attach_refresh(slot, true);
}

int sampler_seal_locked(bool last)
{
    struct sampler_guard guard;
    sampler_lock(&guard);
    sampler.paused |= last;
    slots_each(sampler_refresh_slot, &last);
    sampler_unlock(&guard);
    return sampler.writer ? trace_seal(sampler.writer) : 0;
}

int sampler_seal(void)
{
    if (!sampler_active() || sampler.board)
        return 0;
    int cancel_state;
    sampler_lock_life(&cancel_state);
    int error = sampler_seal_locked(false);
    sampler_unlock_life(cancel_state);
    return error;
}

/* The trace is complete, or there is none: the process may end. While another thread stops the sampler, a sealed trace
 * may be reopened for its remaining writes. */
static bool sampler_is_sealed(uint64_t wanted)
{
    int state = atomic_load(&sampler.state);
    return state == SAMPLER_IDLE || (state == SAMPLER_RUNNING && atomic_load(&sampler.seals_done) >= wanted);
}

bool sampler_report_times(bool last)
{
    sigset_t mask;
    signals_block(&mask);
    bool locked = pthread_mutex_trylock(&sampler.lock) == 0; /* this thread may hold it, below the handler */
    if (locked) {
        slots_each(sampler_refresh_slot, &last);
        pthread_mutex_unlock(&sampler.lock);
    }
    signals_restore(&mask);
    return locked;
}

bool sampler_seal_from_handler(unsigned timeout_ms)
{
    if (sampler_active() && sampler.board)
        return sampler_report_times(true);
    /* A handler that interrupted this thread's own sealing or stopping would wait for itself. */
    int state = atomic_load(&sampler.state);
    bool seals = state == SAMPLER_STOPPING || (state == SAMPLER_RUNNING && sampler.scanner.running);
    if (sampler.board || !seals || task_process() != sampler.process ||
        atomic_load(&sampler.life_holder) == task_self())
        return false;
    uint64_t mine = atomic_fetch_add(&sampler.seals_wanted, 1) + 1,
             until = clock_ns(CLOCK_MONOTONIC) + timeout_ms * MILLISECOND;
    sem_post(&sampler.scanner.wake);
    for (long pause = (long)FIRST_PAUSE_NS; !sampler_is_sealed(mine) && clock_ns(CLOCK_MONOTONIC) < until;) {
        /* Not nanosleep(), which is a cancellation point. */
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = pause}, NULL);
        if (pause < (long)MILLISECOND)
            pause *= 2;
    }
    return sampler_is_sealed(mine);
}

static void sampler_detach_slot(struct slot *slot, void *user)
{
    (void)user;
    attach_end(slot);
    slots_release(slot);
}

int sampler_stop(void)
{
    if (!sampler_active())
        return 0;
    int error = 0, cancel_state;
    sampler_lock_life(&cancel_state);
    if (atomic_load(&sampler.state) == SAMPLER_RUNNING) {
        atomic_store(&sampler.state, SAMPLER_STOPPING);
        stubs_report(false);
        helper_join(&sampler.scanner);
        helper_join(&sampler.ticker);
        /* Handlers at work in other threads finish in microseconds; one that does not (its thread is stopped by a
         * debugger) must not hold the process back. */
        for (unsigned i = 0; i < 10000 && atomic_load(&sampler.inside) > 0; i++)
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        bool quiet = atomic_load(&sampler.inside) == 0;
        struct sampler_guard guard;
        sampler_lock(&guard);
        /* Without quiet a handler may still use its stream, which stays open, and its memory. */
        if (quiet)
            slots_each(sampler_detach_slot, NULL);
        else
            slots_each(sampler_refresh_slot, &(bool){true});
        sampler_unlock(&guard);
        peek_stop();
        if (sampler.board && quiet)
            outside_end();
        error = !sampler.writer ? 0 : quiet ? trace_finish(sampler.writer) : trace_seal(sampler.writer);
        sampler.writer = NULL;
        atomic_store(&sampler.state, SAMPLER_IDLE);
    }
    sampler_unlock_life(cancel_state);
    return error;
}
