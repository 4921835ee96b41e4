/*
 * state.h - shared by the files of the sampler: sampler.c (start and end), process.c (fork and exec), attach.c (threads
 * come and go), handler.c (ticks arrive), pace.c (the rate, and slowing down), scanner.c (finding threads), ticker.c
 * (the timer thread), outside.c (without these two), notes.c (what the recorder prints).
 */
#ifndef ASSAY_SAMPLE_STATE_H
#define ASSAY_SAMPLE_STATE_H

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

#include "collect/perf/event.h"
#include "collect/sample/helper.h"
#include "collect/sample/sampler.h"
#include "collect/sample/slots.h"

enum sampler_state { SAMPLER_IDLE, SAMPLER_RUNNING, SAMPLER_STOPPING };

struct sampler {
    struct sampler_config config; /* its metadata is a copy */
    struct sampler_hooks hooks;
    json_t *extra;
    enum sampler_source source;  /* actually in use; changes if its clocks are found to have stopped */
    _Atomic double stretch;      /* with which the clocks of new threads begin (pace.h) */
    _Atomic double units_per_ns; /* of a hardware event that represents time; 0: the period counts events */
    uint64_t seed;               /* of this process */
    int source_error;            /* why it is not the wanted one: an errno value, or 0 */
    struct pool_process *board;  /* this process's part of the pool, if another process writes the trace (outside.h) */
    uint32_t board_number;
    uint64_t cpu_recorded_ns; /* of the main thread, before it executed this program: in another trace */
    pid_t process;
    char path[4096 + 256];

    _Atomic int state;       /* enum sampler_state */
    _Atomic int signal;      /* of the clocks (chain.h) */
    _Atomic unsigned inside; /* signal handlers at work */
    struct trace_writer *writer;

    pthread_mutex_t life; /* sealing, stopping, forking: one at a time; taken before `lock` */
    _Atomic pid_t life_holder;
    pthread_mutex_t lock; /* slots; never held by a thread that can take a signal */
    uint64_t thread_count;
    uint64_t late_ns; /* CPU time before attach, not yet a sample's worth */
    bool paused;      /* the timer thread sends nothing */
    bool fallback_reported;

    sem_t writer_known; /* the writer's thread has announced that it does not belong to the program */
    struct helper scanner, ticker;
    _Atomic uint64_t seals_wanted, seals_done; /* requested by signal handlers */
};

extern struct sampler sampler;

/* Starts with sampler.config, hooks and extra set. 0, or an errno value with one line on stderr. */
int sampler_begin(void);

/* Whether this is the process that the sampler runs in: in a vfork child all of this memory is its parent's. */
bool sampler_active(void);

/* The state of a thread before it took sampler.lock: under the lock it takes no signal and can't be cancelled. */
struct sampler_guard {
    sigset_t mask;
    int cancel_state;
};
void sampler_lock(struct sampler_guard *guard);
void sampler_unlock(const struct sampler_guard *guard);

/* The same for handlers, and for what a handler of the program may call: false, without waiting, if another thread has
 * the lock. That one may be in a fork, and wait for what this thread has locked below the handler. */
bool sampler_try_lock(struct sampler_guard *guard);

/* The same in a handler, for work that has no cancellation points: the thread may be cancelled asynchronously, and
 * would leave the handler in its midst when cancellation is permitted again. */
bool sampler_try_lock_in_handler(struct sampler_guard *guard);
void sampler_unlock_in_handler(const struct sampler_guard *guard);

/* attach.c; all under the lock. */
void attach_thread(pid_t tid);
int attach_event(const struct slot *slot); /* its perf event, −1 without one or if the program has taken its place */
void attach_pause(struct slot *slot);      /* stops its clock and counts what it lost, once; only the end follows */
void attach_finalize(struct slot *slot);   /* counts what the calling thread's clock has lost so far; it may continue */
void attach_end(struct slot *slot);        /* final times and loss; the slot stays, and marks the thread as finished */
/* Opens another clock for a thread whose clock the program has closed, or does not count though the thread runs. */
void attach_look(struct slot *slot);

/* In the handler of the calling thread's tick: opens its debug registers at the first one, since a thread that has not
 * run may be another process's to watch. Without registers it is not sampled. Takes the lock. */
void attach_watcher(struct slot *slot);
void attach_set_pace(struct slot *slot, double stretch);
void attach_refresh(struct slot *slot, bool name); /* writes times, and on demand the name, into the trace */
void attach_ignore(pid_t tid);

/* Starts a clock, which has been set, or lets it go on after a tick. Real-time signals wait in a queue as long as the
 * thread blocks them, and a full queue ends the process: then one tick at a time is all that the clock gives. */
static inline void sampler_start_event(int fd)
{
    if (atomic_load(&sampler.signal) >= SIGRTMIN)
        perf_enable_once(fd);
    else
        perf_enable(fd);
}

/* Whether the clocks are perf events. */
static inline bool sampler_has_events(void)
{
    return sampler.source == SOURCE_CPU_CLOCK || sampler.source == SOURCE_PMU;
}

/* Whether the program's threads are to get SIGTRAP. */
static inline bool sampler_uses_registers(void)
{
    return sampler.config.watch.wanted || sampler.config.calls;
}

/* handler.c */
int handler_install(void);
void handler_forget_slot(void); /* the calling thread has none any more */
void handler_never_step(void);  /* as sampler_no_steps(), before there are threads to step */
/* Finds out whether the program has put a handler of its own in the place of the sampler's, past every function that
 * could have reported: then the clocks take another signal. */
void handler_look(void);

/* Whether SIGTRAP still comes to the sampler; if not, a note reports it once. Async-signal-safe. */
bool handler_traps(void);
/* A call of the thread has returned through a stub: calls_host.returned. Async-signal-safe. */
void handler_returned(void *ucontext, uint64_t slot);

/* counted.c */
/* Ticks between two deliveries that never came: as many as fit on average into what has elapsed, minus the one that
 * did. */
uint64_t counted_missed(const struct slot *slot, uint64_t elapsed);
/* Ticks missed by a clock that was silent for this many units, while its thread used this much CPU time: 0 if the
 * longest interval may not be over yet. */
uint64_t counted_ticks(const struct slot *slot, uint64_t counted, uint64_t cpu_ns);
/* What the clock has counted since the previous tick, by its count, or by CPU time if that count is impossible. */
uint64_t counted_since_tick(const struct slot *slot, uint64_t count, uint64_t cpu_ns, bool *possible);
/* The same for a thread that has exited, of whose CPU time only a bound is known: 0 if the count is impossible. */
uint64_t counted_of_ended(const struct slot *slot, uint64_t count, uint64_t most_cpu_ns);
/* handler.c */
/* Records what another thread has done to this thread's clock; called by the thread's handler, or when it has none. */
void handler_report_replaced(struct slot *slot);

/* ticker.c, scanner.c; idempotent. ticker_start() is called under the lock. */
int ticker_start(void);
int scanner_start(void);

/* The same for a trace that another process writes: times of every thread, at once or, if the lock is held, not: false.
 * Async-signal-safe. */
bool sampler_report_times(bool last);

/* Times of every thread, then trace_seal(); `last`: the clocks stop permanently. With sampler.life held. */
int sampler_seal_locked(bool last);

#endif
