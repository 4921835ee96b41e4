/*
 * calls.h - calls chosen at random, measured from the call to the return of that same instance.
 *
 *   calls.c     the calls of a thread: ticks and traps
 *   search.c    from a tick of the clock to the chosen call: debug registers wait for the next call or return
 *   instance.c  the chosen calls that have not returned yet
 *   meter.c     what the program has used so far, without the recorder's own handlers
 *   prologue.c  where the stack pointer will be at the next branch
 *
 * A tick of the clock, which is in CPU time, opens a window of program time: CPU time without the recorder's. Every
 * call that begins in the window is seen: one register waits for a store below the stack pointer, which is where a call
 * puts its return address, another for the return of the function that runs. Each is chosen with probability
 * 1/CALLS_ONE_OF, whatever its function and however long it or the time since the previous call is; a clock that takes
 * the first call after its tick would find those after long stretches without any in proportion to the stretch. Within
 * a chosen call nothing traps until it returns; then the window goes on.
 *
 * Weights: a window of w, one in a time t, sees each call with probability w/t. A call below d calls that were seen and
 * not chosen was seen because of that, with probability (1 − 1/CALLS_ONE_OF)^d. So it stands for
 * t/w · CALLS_ONE_OF / (1 − 1/CALLS_ONE_OF)^d calls. w follows the rate of calls in the thread's previous windows, for
 * CALLS_TARGET a window. A window is cut after CALLS_SEEN calls: where calls come so fast, each stands for as many more
 * as the rate so far, from the fourth call on, says that the rest of the window has.
 *
 * A third register waits at the return address of the chosen call. It accepts a read only by the return itself:
 * unwinders and debuggers read the place, too. Chosen calls nest when a window opens within one: two registers and a
 * stack serve chains of any depth (Su, dissertation 2020, §5.4.1). What longjmp, an exception or a change of stacks has
 * left is dropped, and counted.
 *
 * Records: `instance`. All of this runs in signal handlers of the thread: no lock, no allocation.
 */
#ifndef ASSAY_CALLS_CALLS_H
#define ASSAY_CALLS_CALLS_H

#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>

#include "base/draw.h"
#include "collect/calls/meter.h"
#include "collect/perf/debug_register.h"
#include "collect/trace/trace.h"

enum {
    CALLS_ONE_OF = 3,
    CALLS_TARGET = 4,
    CALLS_SEEN = 9,
    CALLS_SHORTEST_NS = 20000, /* of a window: the recorder's own time is not known much better */
    CALLS_FIRST_NS = 500000,
    CALLS_LONGEST_NS = 1000000000,
    CALLS_FLOOR_NS = 1000, /* of program time a call, below which it is not told from this */
    CALLS_OPEN = 32,       /* chosen calls that can be open at once in a thread */
    CALLS_FRAMES = 24,     /* callers of the function that runs whose places are remembered */
    CALLS_TRAPS = 128,     /* of a window, at most: a function may write where the next call would */
    CALLS_VAIN = 64        /* reads of a return address that are no return, at most */
};

/* What the sampler, whose ticks start it, does here. All of it is async-signal-safe. */
struct calls_host {
    /* As the hooks of the same names of struct sampler_hooks. */
    size_t (*walk)(void *ucontext, struct trace_raw_frame *frames, size_t max, enum trace_state *state);
    uint64_t (*frame)(void *ucontext, uint64_t address);
    bool (*is_own)(uint64_t code); /* whether this is the recorder's own code in the program; NULL: none is */
    bool (*running)(void);         /* false while it stops: streams are closed */
    bool (*traps)(void);           /* whether SIGTRAP still reaches the sampler */
    bool arguments;                /* the registers of integer arguments are recorded */
};
extern struct calls_host calls_host; /* set once, before the first calls_open() */

/* A frame of the stack: where its return address is. */
struct call_frame {
    uint64_t slot; /* 0: unknown */
    uint64_t back; /* the return address that was there */
};

/* A window, and how long the next one is. */
struct call_search {
    bool active, suspended; /* suspended: within a chosen call, … */
    uint64_t within;        /* … which has this number */
    bool leaf;              /* the function that runs uses memory below the stack pointer, so it calls nothing */
    unsigned seen, depth;   /* calls; those that the thread is in and that were not chosen */
    unsigned traps;
    int64_t began, length, since; /* program time, in ns: of the tick; of the window; since the previous window began */
    uint64_t below;               /* where the next call puts its return address; 0: unknown */
    struct call_frame frame, above[CALLS_FRAMES]; /* of the function that runs, and of its callers as far as seen */
    size_t above_count;
    double calls, ns; /* in the previous windows, the older the less */
};

struct open_call {
    struct call_frame frame;
    uint64_t number, began_ns;
    unsigned vain;
    int64_t values[METER_VALUES]; /* at the call */
};

/* Of one thread. Only its own handlers use it while it is open. */
struct calls {
    size_t register_count;
    struct debug_register registers[DEBUG_REGISTERS]; /* enum call_register */
    uint64_t armed[DEBUG_REGISTERS];                  /* the addresses that they watch; 0: none */
    unsigned pauses;                                  /* how often they are paused, one within another */
    struct meter *measured;                           /* NULL unless the cost of a trap is being measured */

    struct trace_stream *stream;
    _Atomic bool inside; /* a handler is at work: traps meanwhile are its own */
    struct draw draw;
    struct meter meter;
    struct call_search search;
    struct open_call open[CALLS_OPEN];
    size_t open_count;
    uint64_t number; /* of the last chosen call */
    struct trace_raw_frame frames[TRACE_STACK_MAX];
};

/* What each register is for. Chosen calls that are open take turns with the last two. */
enum call_register { REGISTER_BELOW, REGISTER_FRAME, REGISTER_OPEN, REGISTER_OPEN_2 };

/* ------------------------------------------------------------------------------------------------- calls.c -- */

/*
 * Opens the registers of thread `tid` of this process; draws follow from (seed, order). The memory (*out) is reused
 * once closed: *out is NULL at first, and then belongs to the slot permanently. 0, or an errno value: ENOSPC, fewer
 * than three registers are free; ENOMEM; EINVAL, the kernel is older than 5.13; EACCES, EPERM.
 */
int calls_open(pid_t tid, uint64_t seed, uint64_t order, struct calls **out);
void calls_attach(struct calls *calls, struct trace_stream *stream);

/* Counts calls that have not returned. The thread has ended, or takes no more signals. */
void calls_close(struct calls *calls);
void calls_forget(struct calls *calls); /* the same in the child of a fork, without records */

/* Around everything that the handler of a tick does. */
void calls_enter_tick(struct calls *calls);
void calls_leave_tick(struct calls *calls, uint64_t delivery_ns);

/* In the handler of a tick, between these two. */
void calls_tick(struct calls *calls, void *ucontext);

/* In the handler of SIGTRAP: whether the signal is one of theirs. */
bool calls_trap(struct calls *calls, const siginfo_t *info, void *ucontext);

/* A register waits at this address, or for nothing (0). */
void calls_arm(struct calls *calls, size_t which, uint64_t address, bool writes_only);

/* Stops the registers whose places an unwinder reads, and lets them go on. */
void calls_pause(struct calls *calls);
void calls_resume(struct calls *calls);

/* ------------------------------------------------------------------------------------------------ search.c -- */

/* At a tick: opens a window, or makes sure that the open one has not lost its way. */
void search_go_on(struct calls *calls, void *ucontext);
void search_end(struct calls *calls);
void search_on_below(struct calls *calls, void *ucontext);
void search_on_frame(struct calls *calls, void *ucontext);

/* The chosen call is over: by a return to the function that the window was in, or otherwise. */
void search_resume(struct calls *calls, void *ucontext, bool returned);

/* ---------------------------------------------------------------------------------------------- instance.c -- */

/* The function that the thread has just called is chosen: its return address is at the stack pointer. False: it can't
 * be. */
bool instance_choose(struct calls *calls, void *ucontext, uint64_t weight);

/* The return address of open call `which` has been read or written. */
void instance_on_slot(struct calls *calls, size_t which, void *ucontext);

/* Drops the open calls that have been left in another way than by a return. */
void instance_sweep(struct calls *calls, void *ucontext);
void instance_drop_all(struct calls *calls, enum trace_instance why);
void instance_count(struct calls *calls, enum trace_instance why);

/* ---------------------------------------------------------------------------------------------- prologue.c -- */

/* The stack pointer before the next instruction that may branch, from this code and stack pointer on. */
uint64_t prologue_stack(uint64_t code, uint64_t stack_pointer);

/* Whether the thread is at the first instruction of a function that the instruction before `back` has called. */
bool prologue_is_called(uint64_t code, uint64_t back);

/* The function that a stub of the dynamic linker jumps to; the code itself if it is no stub; 0: the linker has yet to
 * find it. */
uint64_t prologue_function(uint64_t code);

static inline uint64_t calls_pc(const void *ucontext)
{
    return (uint64_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP];
}
static inline uint64_t calls_sp(const void *ucontext)
{
    return (uint64_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RSP];
}

#endif
