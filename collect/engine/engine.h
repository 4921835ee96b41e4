/*
 * engine.h - what the files of the sampler share: sampler.c (begin, end, fork, exec), attach.c (threads come and go),
 * handler.c (ticks arrive), scanner.c (threads are found), ticker.c (the timer thread).
 */
#ifndef ASSAY_ENGINE_H
#define ASSAY_ENGINE_H

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

#include "collect/engine/sampler.h"
#include "collect/engine/slots.h"

enum engine_state { ENGINE_IDLE, ENGINE_RUNNING, ENGINE_STOPPING };

/* A background thread of the engine: it waits on `wake` and ends when `stop` is set. */
struct helper {
    pthread_t thread;
    sem_t wake;
    _Atomic bool stop;
    bool running;
};

struct engine {
    struct sampler_config config; /* its metadata is the engine's own reference */
    struct sampler_hooks hooks;
    json_t *extra;
    enum sampler_source source; /* really in use */
    uint64_t period, spread;    /* of a thread's own clock, in its unit */
    uint64_t seed;              /* of this process */
    uint64_t cpu_recorded_ns;   /* of the process before it executed this program, and in another trace */
    pid_t process;
    char path[4096 + 256];

    _Atomic int state;      /* enum engine_state */
    _Atomic unsigned inside; /* signal handlers at work */
    struct trace_writer *writer;

    pthread_mutex_t life; /* sealing, stopping, forking: one at a time; taken before `lock` */
    pthread_mutex_t lock; /* slots; never held by a thread that can take a signal */
    uint64_t thread_count;
    uint64_t late_ns; /* CPU time before attach, not yet a sample's worth */
    bool paused;      /* the timer thread sends nothing */
    bool fallback_told;

    struct helper scanner, ticker;
    _Atomic uint64_t seals_wanted, seals_done; /* asked for by signal handlers */
};

extern struct engine engine;

/* Takes engine.lock with all signals blocked; the mask before is for engine_unlock(). */
void engine_lock(sigset_t *before);
void engine_unlock(const sigset_t *before);

/* Starts a helper with every signal blocked and no slot. 0 or an errno value. */
int engine_spawn(struct helper *helper, void *(*run)(void *), const char *name);
void engine_join(struct helper *helper);
void engine_wait(struct helper *helper, uint64_t until_ns); /* CLOCK_MONOTONIC; returns early when woken */

/* attach.c; all under the lock. */
void engine_attach(pid_t tid);
void engine_detach(struct slot *slot);  /* final times and loss; the slot stays and says that the thread is done with */
void engine_reopen(struct slot *slot); /* another clock for a thread whose clock the program has closed */
void engine_refresh(struct slot *slot, bool name); /* times, and on demand the name, into the trace */
void engine_ignore(pid_t tid);

/* Whether the clocks are perf events. */
static inline bool engine_has_events(void)
{
    return engine.source == SOURCE_CPU_CLOCK || engine.source == SOURCE_PMU;
}

/* handler.c */
int engine_install_handler(void);
uint64_t engine_ticks_in(uint64_t elapsed); /* of a clock that was not heard for so many units: 0 within the longest */

/* ticker.c, scanner.c; idempotent. engine_start_ticker() is called under the lock. */
int engine_start_ticker(void);
int engine_start_scanner(void);

/* Times of every thread, then trace_seal(). With engine.life held. */
int engine_seal(void);

#endif
