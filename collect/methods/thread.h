/*
 * thread.h - what the files of this folder share: probe.c (puts records into a thread's ring), collect.c (turns records
 * into events), plain.c (the usual case of a probe, with few registers, and the state that it reads), time.c (the time
 * stamp counter), open.c (the open methods of a thread), counters.c (the other counters), cost.c (the cost of a probe).
 */
#ifndef ASSAY_METHODS_THREAD_H
#define ASSAY_METHODS_THREAD_H

#include <pthread.h>
#include <sys/rseq.h>
#include <sys/types.h>

#include "base/clock.h"
#include "collect/methods/giveup.h"
#include "collect/methods/hardware.h"
#include "collect/methods/methods.h"

enum {
    RING_RECORDS = 1 << 15,
    RING_SLACK = 256,       /* for records of handlers that interrupt a probe after it has checked for room */
    CACHE_LINE = 64,        /* bytes that processors exchange as a unit */
    WAKE_RECORDS = 1 << 13, /* the writer is woken after each so many records */
    CODE_BITS = 56,
    EVENT_COLUMNS = EVENT_COUNTER_0 + EVENT_COUNTERS_MAX
};

/* One record: the time, what happened to which method, and the place on the stack or a value. */
struct record {
    uint64_t ticks;
    uint64_t code; /* mark << CODE_BITS | method */
    uint64_t place;
    uint64_t spare;
};

/* A method that was entered and has not been left. */
struct open_method {
    uint64_t method, place;
    uint32_t id;               /* in the trace */
    uint64_t since_ns, events; /* when it was entered, and how many events the thread had by then */
};

/* For each exception in flight: how many methods are open beyond those that it has left so far. */
enum { UNWINDING_MAX = 64 };

/* The open methods of a thread. open.c. */
struct open_stack {
    struct open_method *methods;
    size_t count, capacity;
    size_t unwinding[UNWINDING_MAX];
    size_t unwinding_count;
    uint64_t high; /* end of the thread's stack: places above are on another stack, and are not compared */
    bool jumped;   /* since the last event … */
    uint64_t jump_ns, jump_cpu_ns;
    bool exact;
    bool gap; /* records were dropped: nobody knows how methods were left */
};

struct methods_thread {
    struct methods_thread *next;
    pid_t tid;
    /* The producer's part. */
    struct record *ring;
    uint64_t limit; /* records below this may be reserved */
    uint64_t reserved;
    _Atomic uint64_t head; /* records that are complete; only the producer stores it */
    unsigned inside;       /* probes at work: handlers may interrupt them */
    unsigned muted;
    uint32_t depth;
    uint64_t dropped;
    _Atomic uint64_t passed;         /* calls of methods whose probes have been given up */
    char name[16];                   /* as the kernel has it */
    uint64_t counted[COUNTER_KINDS]; /* as its last records say */
    uint64_t stack_high;             /* where the thread's own stack ends */
    struct rseq *rseq;               /* NULL: the kernel keeps none for this thread */
    struct hardware hardware;
    /* The consumer's part: it writes here at each event, so nothing that a probe reads may be in the same cache lines.
     */
    _Alignas(CACHE_LINE) _Atomic uint64_t tail;
    struct trace_stream *stream;
    struct open_stack open;
    uint64_t *columns[EVENT_COLUMNS];
    uint32_t count, capacity;   /* events in columns */
    uint64_t since_ns;          /* when the first of them came */
    uint64_t first_ns, last_ns; /* of its events */
    uint64_t first_cpu_ns;
    uint64_t counters[COUNTER_KINDS]; /* at the latest record */
    struct hardware_history history[HARDWARE_MAX];
    uint64_t cpu_base_ns, cpu_base_ticks, last_cpu_ns;
    bool reenter;    /* open methods are entered anew in this trace */
    bool gone;       /* the thread has ended */
    uint64_t events; /* so far */
    uint64_t judged_events, judged_cpu_ns;
    uint64_t passed_told;
    /* The producer's again: unrecorded open calls of methods that drain. */
    _Alignas(CACHE_LINE) uint32_t inner[GIVEUP_SLOTS];
};

/* The state that all share. Probes read it at each event, so what changes meanwhile has its own cache line. */
struct methods {
    _Atomic bool active; /* records are kept */
    _Atomic bool ending; /* the next collection is the last */
    pid_t process;
    enum methods_counter counters[EVENT_COUNTERS_MAX]; /* those of an event, in the order of the columns */
    uint32_t counter_count;
    bool counts[COUNTER_KINDS]; /* … and whether each kind is among them */
    bool reads;                 /* something has to be read at each event */
    bool lacks_allocated;
    struct simulated *simulated; /* the exact tool's counters of the running thread; NULL: none were requested */
    bool prepared;
    struct methods_hooks hooks;
    uint64_t pair_ns, inner_ns; /* the cost of a pair of probes, and its part that a method's time includes */
    _Atomic(struct methods_thread *) threads;
    _Alignas(CACHE_LINE) _Atomic uint64_t taken; /* counts steps in which the writer takes records: it is alive */
    _Atomic uint64_t cycles;                     /* complete cycles of the writer */
    _Atomic unsigned blind;                      /* threads without their hardware events */
    _Atomic unsigned hasty;                      /* how often methods_wait_for_writer() gave up waiting */
    bool wrote;                                  /* there has been an event */
    pthread_mutex_t lock;                        /* held while collecting */
};
extern struct methods methods;

/* time.c: the clock of records. */
bool time_prepare(void); /* returns whether it is the time stamp counter; if not, ticks are ns of CLOCK_MONOTONIC */
extern bool time_is_tsc;
static inline uint64_t time_ticks(void)
{
    return time_is_tsc ? __builtin_ia32_rdtsc() : clock_ns(CLOCK_MONOTONIC);
}
void time_synchronize(void);             /* the consumer calls it before it converts ticks up to time_latest() */
uint64_t time_latest(void);              /* ticks of the last synchronization */
uint64_t time_ns_of(uint64_t ticks);     /* CLOCK_MONOTONIC at these ticks */
uint64_t time_length_ns(uint64_t ticks); /* how long so many ticks last */

/* probe.c */
struct methods_thread *probe_thread_new(pid_t tid); /* for the calling thread, with its ring; NULL without memory */
void probe_thread_free(struct methods_thread *thread);
void probe_open_hardware(struct methods_thread *thread); /* for the calling thread */
struct methods_thread *probe_self(void);                 /* NULL: the calling thread has recorded nothing */
void probe_set_self(struct methods_thread *thread);

/* The calling thread's; NULL: it has recorded nothing. */
extern _Thread_local struct methods_thread *probe_current
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern struct rseq_cs probe_untouched __attribute__((visibility("hidden"))); /* no thread is ever in it */

/* Appends a record, for which there must be room. Returns whether the writer should be woken. */
static inline bool probe_put(struct methods_thread *thread, enum methods_mark mark, uint64_t method, uint64_t place,
                             uint64_t ticks)
{
    /* A single instruction, which no signal handler of this thread can interrupt halfway. */
    uint64_t at = 1;
    __asm__ volatile("xaddq %0, %1" : "+r"(at), "+m"(thread->reserved) : : "memory", "cc");
    struct record *record = &thread->ring[at & (RING_RECORDS - 1)];
    record->code = (uint64_t)mark << CODE_BITS | method;
    record->place = place;
    record->ticks = ticks;
    return (at & (WAKE_RECORDS - 1)) == WAKE_RECORDS - 1;
}

/* Handlers that interrupt this thread's probe finish before it continues, so the outermost probe publishes all records.
 */
static inline void probe_publish(struct methods_thread *thread)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (--thread->inside == 0)
        atomic_store_explicit(&thread->head, thread->reserved, memory_order_release);
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

/* collect.c: takes over, in the child of a fork, the methods that the calling thread had open in the parent. */
void collect_inherit(struct methods_thread *thread);

/* open.c */
void open_free(struct open_stack *stack);
bool open_push(struct open_stack *stack, const struct open_method *method);
/* How many methods stay open around `place`; those deeper on the stack have been left unseen. `entered`: a method is
 * entered there now. */
size_t open_around(const struct open_stack *stack, uint64_t place, bool entered);
/* How many are open up to the innermost one of this method; 0 if it is not open. */
size_t open_find(const struct open_stack *stack, uint64_t method);

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
