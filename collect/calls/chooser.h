/*
 * chooser.h - calls chosen at random by probes at the entries and exits of functions, and measured from one to the
 * other.
 *
 * At each entry a call is chosen with probability 1/k, independently of all others: the thread counts down a wait that
 * is counted_ahead from the geometric distribution, which costs an unchosen call a few instructions. So a chosen call
 * stands for k calls, exactly. k follows the rate of the thread's calls, for CHOOSER_PER_SECOND chosen ones a second.
 * It depends only on what has happened before, and a wait with the new k may begin at any call, since the geometric
 * distribution has no memory: the weight is the k with which that call's wait was chosen at random.
 *
 * Chosen calls nest. Each exit names the call that it ends, so calls that are left without an exit's probe are found
 * by the next exit further out.
 *
 * The probes of a chosen call read the meter first and last, so what they do in between is not the program's. What they
 * take outside of these readings, and what the probes of an unchosen call take, is measured beforehand, with empty
 * pairs, and subtracted for each.
 *
 * Records: `instance`. No lock, no allocation once a thread has chosen its first call.
 */
#ifndef ASSAY_CALLS_CHOOSER_H
#define ASSAY_CALLS_CHOOSER_H

#include <stdatomic.h>

#include "base/rng.h"
#include "collect/calls/meter.h"
#include "trace/trace.h"

enum {
    CHOOSER_PER_SECOND = 100,
    CHOOSER_FIRST = 20,         /* calls of a thread that are all chosen */
    CHOOSER_OPEN = 512,         /* chosen calls that can be open at once in a thread */
    CHOOSER_PASSED = UINT32_MAX /* no number: the call is not chosen */
};

/* A call as its entry's probe sees it. */
struct chooser_call {
    uint64_t function;
    uint64_t location; /* on the stack; below those of its callers; 0: unknown */
    void *probe;       /* for the host */
};

/* What the collector does here. */
struct chooser_host {
    /* The calling thread's stream, which lives until chooser_end_thread(); NULL: the thread is not recorded now. It may
     * `wait` unless a probe asks. */
    struct trace_stream *(*stream)(bool wait);
    /* Where the calling thread's stack is; NULL: places are not compared. */
    void (*bounds)(uint64_t *low, uint64_t *high);
    /* The stack of a call whose entry's probe runs, its own frame first; 0: this call can't be measured. */
    size_t (*walk)(const struct chooser_call *call, struct trace_raw_frame *frames, size_t max);
    /* Enters and leaves an empty function `count` times, to measure what probes cost. */
    void (*pairs)(unsigned count);
    uint64_t warm_up_ns;    /* how long pairs() runs before, so that a JIT compiler has finished with it */
    uint64_t (*seed)(void); /* of the process, for its random numbers */
    bool by_time;           /* new random waits as time passes, without chooser_renew() */
};

struct chosen_call {
    uint32_t number, inner; /* inner: unchosen calls of the same function that are open in it, as far as counted */
    uint64_t function, location;
    int64_t values[METER_VALUES]; /* at the entry */
};

/* How often a thread calls: in this window, and in the one before. */
struct chooser_rate {
    uint64_t since_ns, calls;
    double before_ns, before_calls;
};

/* State of one thread, which alone uses it. */
struct chooser {
    int64_t ahead;         /* calls that pass before the next chosen one; below 0: it is now */
    int64_t counted_ahead; /* as far as those that have passed are counted */
    unsigned epoch;
    volatile bool inside; /* the recorder is at work */
    bool pausing;         /* since chooser_pause() */
    uint64_t weight;      /* k, in thousandths */
    struct rng rng;
    struct chooser_rate rate;
    struct meter meter;
    struct trace_stream *stream;
    uint64_t low, high;            /* of the stack */
    struct chooser_sample *sample; /* NULL unless the cost of a chosen call is being measured */
    size_t open_count;
    struct chosen_call open[CHOOSER_OPEN];
    struct trace_raw_frame frames[TRACE_STACK_MAX];
};

/* Measures what probes cost; meter_prepare() comes first. Returns metadata (a new reference): pair_ns, the cost of the
 * probes of an unchosen call, with its interval lo_ns, hi_ns. NULL without memory. */
json_t *chooser_prepare(const struct chooser_host *host);

/* Chooses from now on. The calling thread, which is recorded, has the records of what was measured. */
void chooser_begin(void);

/* No call is chosen any more, and nothing is appended once this has returned true: false if a thread is still at work
 * after a second. */
bool chooser_stop(void);

/* Starts new random waits, so that a thread whose calls have become rare need not wait for as many as before. To be
 * called some times a second. */
void chooser_renew(void);

/* The calling thread's; NULL: it has chosen none yet. */
extern _Thread_local struct chooser *chooser_self __attribute__((tls_model("initial-exec")));
extern _Atomic unsigned chooser_epoch;

/* About 50 ms, as the time stamp counter goes; it need not be steady. */
static inline unsigned chooser_time(void)
{
    return (unsigned)(__builtin_ia32_rdtsc() >> 27);
}

/* First in the probe of an entry: whether the call passes unchosen. If not, chooser_enter() decides. */
static inline bool chooser_passes_in(unsigned epoch)
{
    struct chooser *own = chooser_self;
    bool is_due;
    if (!own || own->epoch != epoch)
        return false;
    /* A single instruction, which no signal handler of this thread can interrupt halfway. */
    __asm__ volatile("subq $1, %0" : "+m"(own->ahead), "=@ccs"(is_due) : : "memory");
    return !is_due;
}

static inline bool chooser_passes(void)
{
    return chooser_passes_in(atomic_load_explicit(&chooser_epoch, memory_order_relaxed));
}

/* The same for a host that renews waits by time. */
static inline bool chooser_passes_by_time(void)
{
    return chooser_passes_in(chooser_time());
}

/* A number for the call's exit, or CHOOSER_PASSED. Keeps errno, as the others do. */
uint32_t chooser_enter(const struct chooser_call *call);
void chooser_leave(uint32_t number);

/*
 * For probes whose exits know the function and the location on the stack, but no number. Exits of unchosen calls report
 * so, too: of calls of one function, one inside the other, each exit ends the innermost. A location at an exit is at
 * most that of the entry; `above`: it may lie above it, since the frame is gone already.
 */
void chooser_pass_at(uint64_t function, uint64_t location);
void chooser_leave_at(uint64_t function, uint64_t location, bool above);

/* In the child of a fork: the calling thread's calls, and others, are the parent's. */
void chooser_forget(void);

/* The calling thread begins, after the host has given it a stream, so that its first calls can be chosen; and ends. */
void chooser_begin_thread(void);
void chooser_end_thread(void);

/* Around work of the recorder's in the calling thread: it is not the program's, and no call in it is chosen.
 * `outside_ns` is what it takes beyond these two. Pairs may nest. Async-signal-safe. */
bool chooser_pause(void); /* whether chooser_resume() must follow */
void chooser_resume(uint64_t outside_ns);

/* sampler_hooks.tick_begins and .tick_ends: a tick is the recorder's work where it is in a chosen call. */
bool chooser_tick_begins(void);
void chooser_tick_ends(bool begun, uint64_t delivery_ns);

#endif
