/*
 * thread.h - what the files of this room share: probe.c (records into a thread's ring), collect.c (records become
 * events), plain.c (what probes do most, with few registers), time.c (the time stamp counter), open.c (methods that a
 * thread has open), counters.c (what else is counted), cost.c (what a probe costs).
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
    RING_SLACK = 256,       /* records of handlers that interrupt a probe after it has looked for room */
    CACHE_LINE = 64,        /* bytes that a processor takes from another one as a whole */
    WAKE_RECORDS = 1 << 13, /* the writer is woken whenever so many have come */
    CODE_BITS = 56,
    EVENT_COLUMNS = EVENT_COUNTER_0 + EVENT_COUNTERS_MAX
};

/* One record: when (ticks), what and which method, where on the stack or a value. */
struct record {
    uint64_t ticks;
    uint64_t code; /* mark << CODE_BITS | method */
    uint64_t place;
    uint64_t spare;
};

/* A method that was entered and not left. */
struct open_method {
    uint64_t method, place;
    uint32_t id;               /* in the trace */
    uint64_t since_ns, events; /* when it was entered, and the thread's events by then */
};

/* An exception under way: how many methods are open outside of what it has left so far. */
enum { UNWINDING_MAX = 64 };

/* The open methods of a thread. open.c. */
struct open_stack {
    struct open_method *methods;
    size_t count, capacity;
    size_t unwinding[UNWINDING_MAX];
    size_t unwinding_count;
    uint64_t high; /* the thread's stack: places above are on another one, and are not compared */
    bool jumped;   /* since the last event … */
    uint64_t jump_ns, jump_cpu_ns;
    bool exact;
    bool gap; /* records were dropped: nothing is known of how methods were left */
};

struct methods_thread {
    struct methods_thread *next;
    pid_t tid;
    /* The producer's. */
    struct record *ring;
    uint64_t limit; /* records may be reserved below */
    uint64_t reserved;
    _Atomic uint64_t head; /* records that are whole; only the producer stores it */
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
    /* The consumer's: it writes here at each event, so nothing that a probe looks at may lie in the same lines. */
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
    bool reenter;    /* what is open begins anew in this trace */
    bool gone;       /* the thread has ended */
    uint64_t events; /* so far */
    uint64_t judged_events, judged_cpu_ns;
    uint64_t passed_told;
    /* The producer's again: calls under way that were not recorded, of methods that drain. */
    _Alignas(CACHE_LINE) uint32_t inner[GIVEUP_SLOTS];
};

/* The state of the room. Probes look at it at each event: what changes meanwhile has a line of its own. */
struct methods {
    _Atomic bool active; /* records are kept */
    _Atomic bool ending; /* the next collection is the last */
    pid_t process;
    enum methods_counter counters[EVENT_COUNTERS_MAX]; /* of an event, in the order of the columns */
    uint32_t counter_count;
    bool counts[COUNTER_KINDS]; /* … and whether each kind is among them */
    bool reads;                 /* something has to be read at each event */
    bool lacks_allocated;
    struct simulated *simulated; /* the exact tool's counters of the thread that runs; NULL: none were asked for */
    bool prepared;
    struct methods_hooks hooks;
    uint64_t pair_ns, inner_ns; /* of probes: what a pair costs, and what of it a method seems to take */
    _Atomic(struct methods_thread *) threads;
    _Alignas(CACHE_LINE) _Atomic uint64_t taken; /* steps in which the writer has taken records: it is alive */
    _Atomic uint64_t cycles;                     /* of the writer, in full */
    _Atomic unsigned blind;                      /* threads without their hardware events */
    _Atomic unsigned hasty;                      /* times that methods_wait_for_writer() did not wait to the end */
    bool wrote;                                  /* any event */
    pthread_mutex_t lock;                        /* collecting */
};
extern struct methods methods;

/* time.c: the clock of records. */
bool time_prepare(void); /* whether it is the time stamp counter; otherwise ticks are ns of CLOCK_MONOTONIC */
extern bool time_is_tsc;
static inline uint64_t time_ticks(void)
{
    return time_is_tsc ? __builtin_ia32_rdtsc() : clock_ns(CLOCK_MONOTONIC);
}
void time_synchronize(void);             /* now; the consumer, before it converts ticks up to time_latest() */
uint64_t time_latest(void);              /* ticks of the last synchronization */
uint64_t time_ns_of(uint64_t ticks);     /* CLOCK_MONOTONIC at these ticks */
uint64_t time_length_ns(uint64_t ticks); /* of so many ticks */

/* probe.c */
struct methods_thread *probe_thread_new(pid_t tid); /* the calling one, with its ring; NULL without memory */
void probe_thread_free(struct methods_thread *thread);
void probe_open_hardware(struct methods_thread *thread); /* of the calling one */
void probe_record(struct methods_thread *thread, enum methods_mark mark, uint64_t method, uint64_t place);
struct methods_thread *probe_self(void); /* NULL: the calling thread has recorded nothing */
void probe_set_self(struct methods_thread *thread);

/* The calling thread's; NULL: it has recorded nothing. */
extern _Thread_local struct methods_thread *probe_current
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern struct rseq_cs probe_untouched __attribute__((visibility("hidden"))); /* no thread is ever in it */

/* Appends a record, for which there is room. Whether the writer should be woken. */
static inline bool probe_put(struct methods_thread *thread, enum methods_mark mark, uint64_t method, uint64_t place,
                             uint64_t ticks)
{
    /* One instruction, which no handler of this thread can come into the middle of. */
    uint64_t at = 1;
    __asm__ volatile("xaddq %0, %1" : "+r"(at), "+m"(thread->reserved) : : "memory", "cc");
    struct record *record = &thread->ring[at & (RING_RECORDS - 1)];
    record->code = (uint64_t)mark << CODE_BITS | method;
    record->place = place;
    record->ticks = ticks;
    return (at & (WAKE_RECORDS - 1)) == WAKE_RECORDS - 1;
}

/* Handlers that interrupt this thread's probe finish before it goes on, so the outermost probe tells of all. */
static inline void probe_publish(struct methods_thread *thread)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (--thread->inside == 0)
        atomic_store_explicit(&thread->head, thread->reserved, memory_order_release);
}

/* What follows is the collector's own work, and not in simulated counters. Calls nest. */
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
bool counters_value(enum methods_counter which, uint64_t *value); /* of the calling thread; false: not read here */

/* collect.c: in the child of a fork, what the calling thread had open there. */
void collect_inherit(struct methods_thread *thread);

/* open.c */
void open_free(struct open_stack *stack);
bool open_push(struct open_stack *stack, const struct open_method *method);
/* How many stay open of methods around `place`: those above it on the stack have been left, unseen. `entered`: a method
 * is entered there now. */
size_t open_around(const struct open_stack *stack, uint64_t place, bool entered);
/* How many are open up to the innermost one of this method; 0 if it is not open. */
size_t open_find(const struct open_stack *stack, uint64_t method);

/* cost.c: what a pair of probes costs: in all, what of it is between enter and exit, and the interval of the first. */
struct cost_of {
    double pair, exit, low, high;
};
struct cost {
    struct cost_of time;                    /* ns */
    struct cost_of counters[COUNTER_KINDS]; /* of those that are read at events: what they rise by */
};
bool cost_measure(struct cost *cost);

#endif
