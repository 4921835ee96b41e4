/*
 * thread.h - the side of the probes, in the measured process: probe.c (puts records into a thread's ring), plain.c (the
 * usual case of a probe, with few registers, and the state that it reads), time.c (the time stamp counter), counters.c
 * (the other counters), cost.c (the cost of a probe), methods.c (beginning and end).
 */
#ifndef ASSAY_METHODS_THREAD_H
#define ASSAY_METHODS_THREAD_H

#include <pthread.h>
#include <sys/rseq.h>
#include <sys/types.h>

#include "collect/perf/hardware.h"
#include "collect/methods/methods.h"
#include "collect/methods/shared.h"
#include "collect/methods/time.h"

/* A thread that records. If another process reads its ring, the ring is in the pool, which no child inherits; and this
 * is zero in a child: so in one that nothing has seen, a probe finds no space. */
struct methods_thread {
    struct methods_thread *next;
    struct methods_ring *ring; /* NULL: see above, or the thread is not recorded */
    struct pool_thread *part;  /* of the pool, which the ring is in; NULL: it is in memory of the process */
    struct collected *reader;  /* in this process; NULL: not yet, or in another one */
    pid_t tid;
    uint64_t began_ns;
    uint64_t limit; /* records below this may be reserved */
    uint64_t reserved;
    unsigned inside; /* probes at work: handlers may interrupt them */
    unsigned muted;
    uint32_t depth;
    uint64_t dropped;
    uint64_t counted[COUNTER_KINDS]; /* as its last records say */
    struct rseq *rseq;               /* NULL: the kernel keeps none for this thread */
    struct hardware hardware;
    unsigned generation;          /* of the table of methods that have been given up, … */
    uint32_t inner[GIVEUP_SLOTS]; /* … and unrecorded open calls of methods that drain */
};

/* The state that all share. Probes read it at each event. */
struct methods {
    _Atomic bool active;           /* records are kept */
    _Atomic bool ending;           /* the reader's next step is the last */
    struct methods_tables *tables; /* never NULL */
    pid_t process;
    bool counts[COUNTER_KINDS];  /* which counters are read */
    bool reads;                  /* something has to be read at each event */
    bool outside;                /* another process reads the records */
    struct simulated *simulated; /* the exact tool's counters of the running thread; NULL: none were requested */
    bool prepared;
    struct methods_hooks hooks;
    struct methods_about about;
    _Atomic(struct methods_thread *) threads;
    _Atomic bool tried[GIVEUP_SLOTS]; /* methods_hooks.passed has been called */
    _Atomic unsigned tried_generation;
};
extern struct methods methods;
extern struct methods_tables methods_own_tables; /* unless another process reads the records */

/* Wakes the reader. Async-signal-safe. */
void methods_wake(void);

/* Whether there is a reader, as far as known. Async-signal-safe. */
bool methods_has_reader(void);

/* probe.c */
struct methods_thread *probe_thread_new(pid_t tid); /* for the calling thread, with its ring; NULL without space */
void probe_thread_free(struct methods_thread *thread);
struct methods_thread *probe_attach(void);               /* the same, and the calling thread's from now on */
void probe_open_hardware(struct methods_thread *thread); /* for the calling thread */
struct methods_thread *probe_self(void);                 /* NULL: the calling thread has recorded nothing */
void probe_set_self(struct methods_thread *thread);

/* In the location of that of a thread for which there was no space: it is not recorded. */
extern struct methods_thread probe_refused;

/* The calling thread's; NULL: it has recorded nothing. */
extern _Thread_local struct methods_thread *probe_current
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern struct rseq_cs probe_untouched __attribute__((visibility("hidden"))); /* no thread is ever in it */

/* Appends a record, for which there must be space. Returns whether the reader should be woken. */
static inline bool probe_put(struct methods_thread *thread, enum methods_mark mark, uint64_t method, uint64_t location,
                             uint64_t ticks)
{
    /* A single instruction, which no signal handler of this thread can interrupt halfway. */
    uint64_t at = 1;
    __asm__ volatile("xaddq %0, %1" : "+r"(at), "+m"(thread->reserved) : : "memory", "cc");
    struct record *record = &thread->ring->records[at & (RING_RECORDS - 1)];
    record->code = (uint64_t)mark << CODE_BITS | method;
    record->location = location;
    record->ticks = ticks;
    return (at & (WAKE_RECORDS - 1)) == WAKE_RECORDS - 1;
}

/* Handlers that interrupt this thread's probe finish before it continues, so the outermost probe publishes all records.
 */
static inline void probe_publish(struct methods_thread *thread)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (--thread->inside == 0)
        atomic_store_explicit(&thread->ring->head, thread->reserved, memory_order_release);
}

/* Excludes the collector's own work, which follows, from simulated counters, until probe_go_on(). Calls nest. */
static inline void probe_pause(void)
{
    if (methods.simulated)
        methods.simulated->paused++;
}

static inline void probe_go_on(void)
{
    if (methods.simulated)
        methods.simulated->paused--;
}

/* counters.c */
json_t *counters_prepare(const json_t *wanted); /* names of the counters in the trace, a new reference */
json_t *counters_simulated(void);               /* the caches of the simulated processor, a new reference */
bool counters_value(enum methods_counter which, uint64_t *value); /* the calling thread's; false: not read here */

/* cost.c: the cost of a pair of probes, its part between enter and exit, and the interval of the cost. */
struct cost_of {
    double pair, exit, low, high;
};
struct cost {
    struct cost_of time;                    /* ns */
    struct cost_of counters[COUNTER_KINDS]; /* by how much those that are read at events rise */
};
bool cost_measure(struct cost *cost);

#endif
