/*
 * slots.h - what the sampler knows about each thread. A slot's memory is never freed, only reused, so that a late
 * signal may always read it.
 *
 * Everything here, except the finders marked async-signal-safe, is called under the sampler's lock.
 */
#ifndef ASSAY_SAMPLE_SLOTS_H
#define ASSAY_SAMPLE_SLOTS_H

#include <stdatomic.h>

#include "base/rng.h"
#include "collect/perf/reserved_fd.h"
#include "collect/pool/pool.h"
#include "collect/sample/pace.h"
#include "collect/sample/sampler.h"

enum { SLOT_NAME_MAX = 32, SLOT_STACK_BYTES = 256 << 10 };

struct slot {
    _Atomic pid_t tid;                   /* 0: the slot is free */
    struct trace_stream *_Atomic stream; /* NULL: the thread is not sampled */
    struct trace_raw_frame *frames;      /* [TRACE_STACK_MAX]: scratch of the handler; kept with the slot */
    char *stack; /* [SLOT_STACK_BYTES]: where the handlers of the thread's ticks and traps work; kept with the slot */
    struct watcher *watcher; /* NULL, or also kept with the slot */
    struct calls *calls;     /* likewise */
    uint64_t watch_order;    /* from which the random numbers of either follow, until its first tick opens it; then 0 */
    _Atomic bool ended;      /* the thread takes no more signals, as it has announced */
    bool paused;             /* its clock has been stopped permanently */
    bool internal;           /* the thread does not belong to the program */

    /* Its rate, whatever ticks for it. */
    enum sampler_source source; /* of a clock of its own */
    struct pace pace;
    struct governor governor;     /* only the handler uses it */
    _Atomic uint64_t replaced_ns; /* when its clock was found stopped and replaced: not yet in the trace; or 0 */
    enum sampler_source replaced; /* by that */

    /* A clock of the thread's own. */
    _Atomic int fd;          /* perf event, or −1: the timer thread ticks for it */
    struct rng rng;          /* only the handler draws */
    _Atomic uint64_t count;  /* the clock's own count at the last tick */
    _Atomic uint64_t cpu_ns; /* the thread's CPU time then */
    uint64_t opened_cpu_ns;  /* and when the clock was opened */
    uint64_t first_due; /* by its own count, the first tick, which may come later (slot_soonest_sample() in attach.c) */
    uint64_t tick;      /* ticks so far; only the handler counts */
    bool overrun;       /* the last walk took longer than an interval */

    /* The timer thread's ticks. */
    struct pool_ticks *ticks, own_ticks;    /* those in use, and their place unless that is in the pool */
    uint64_t taken_tick;                    /* the last one that the handler took */
    struct reserved_fd stat;                /* /proc/self/task/TID/stat */
    uint64_t ticker_cpu_ns, ticker_wait_ns; /* CPU time, and time spent waiting for a CPU, at the previous tick */

    /* The scanner's. */
    uint64_t seen, named; /* scan in which it was last found, last named */
    char name[SLOT_NAME_MAX];
    enum trace_role role;
    uint64_t first_ns, first_cpu_ns, last_ns, last_cpu_ns;

    struct pool_thread *shared; /* its part of the pool, if another process writes the trace */
    uint64_t heard;             /* ticks that the handler has reported about there */

    struct slot *next; /* in its bucket, or in the list of free ones */
};

/* A slot for this thread, zeroed except for frames; NULL without memory. */
struct slot *slots_take(pid_t tid);
void slots_release(struct slot *slot); /* the caller has closed what it held */
struct slot *slots_of_tid(pid_t tid);

/* Calls visit() for each slot in use; visit() may release it. */
void slots_each(void (*visit)(struct slot *slot, void *user), void *user);

/* Maps the descriptor to its slot (slot NULL: removes it). False without memory or if the table is full. */
bool slots_bind_fd(int fd, struct slot *slot);

/* Async-signal-safe. */
struct slot *slots_of_fd(int fd);
bool slots_holds(const void *pointer); /* whether this is the address of a slot, in use or not */

/* Whether this is an address in the stack of a slot, in use or not. Async-signal-safe. */
bool slots_hold_stack(const void *address);

/* In the child of a fork: all slots become free. */
void slots_reset(void);

#endif
