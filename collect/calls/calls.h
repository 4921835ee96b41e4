/*
 * calls.h - calls chosen at random, measured from the call to the return of that same instance.
 *
 *   calls.c     the calls of a thread: ticks and traps
 *   search.c    from a tick of the clock to the chosen call: it waits for the next call or return
 *   wait.c      what waits: a debug register, or a step of the processor and a stub in location of a return address
 *   single_step.c  steps from instruction to instruction, to the next call
 *   stubs.c     what stands in location of return addresses
 *   counted.c   a call that a hardware counter of calls has come to
 *   instance.c  the chosen calls that have not returned yet
 *   meter.c     what the program has used so far, without the recorder's own handlers
 *   prologue.c  where the stack pointer will be at the next branch
 *
 * A tick of the clock, which is in CPU time, opens a window of program time: CPU time without the recorder's. Every
 * call that begins in the window is seen. With debug registers one waits for a store below the stack pointer, which is
 * where a call puts its return address, another for the return of the function that runs. Each is chosen with
 * probability 1/CALLS_ONE_OF, whatever its function and however long it or the time since the previous call is; a clock
 * that takes the first call after its tick would find those after long stretches without any in proportion to the
 * stretch. Within a chosen call nothing traps until it returns; then the window goes on.
 *
 * Weights: a window of w, one in a time t, sees each call with probability w/t. A call below d calls that were seen and
 * not chosen was seen because of that, with probability (1 − 1/CALLS_ONE_OF)^d. So it stands for
 * t/w · CALLS_ONE_OF / (1 − 1/CALLS_ONE_OF)^d calls. w follows the rate of calls in the thread's previous windows, for
 * CALLS_TARGET a window. A window is cut after CALLS_SEEN calls: where calls come so fast, each stands for as many more
 * as the rate so far, from the eighth call on, says that the rest of the window has.
 *
 * A third register waits at the return address of the chosen call. It accepts a read only by the return itself:
 * unwinders and debuggers read the location, too. Chosen calls nest when a window opens within one: two registers and a
 * stack serve chains of any depth (Su, dissertation 2020, §5.4.1). What longjmp, an exception or a change of stacks has
 * left is dropped, and counted.
 *
 * Where debug registers don't trap, stubs stand in for return addresses, and the thread is stepped after a tick, a call
 * and a return: CALLS_STEPS instructions at most, or fewer where a step takes long. If there is no call among them, the
 * next that is seen comes after the next return. So calls that begin long after the call or return before are missed:
 * what instances say of one function holds, the number of its calls does not.
 *
 * Where the processor counts calls precisely, nothing is searched: the counter interrupts after a number of calls, and
 * the call that it has come to is chosen, which stands for that number. The interrupt may come some instructions later:
 * as long as these are the function's first, the call is found by them, otherwise it is dropped and counted.
 *
 * Records: `instance`. All of this runs in signal handlers of the thread: no lock, no allocation.
 */
#ifndef ASSAY_CALLS_CALLS_H
#define ASSAY_CALLS_CALLS_H

#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>

#include "base/rng.h"
#include "collect/calls/meter.h"
#include "collect/calls/stubs.h"
#include "collect/perf/debug_register.h"
#include "trace/trace.h"

enum {
    CALLS_ONE_OF = 3,
    CALLS_TARGET = 4,
    CALLS_SEEN = 40,
    CALLS_SHORTEST_NS = 20000, /* of a window: the recorder's own time is not known much better */
    CALLS_FIRST_NS = 500000,
    CALLS_LONGEST_NS = 1000000000,
    CALLS_FLOOR_NS = 1000,     /* of program time a call, below which it is not distinguished from this */
    CALLS_OPEN = 32,           /* chosen calls that can be open at once in a thread */
    CALLS_FRAMES = 24,         /* callers of the function that runs whose places are remembered */
    CALLS_TRAPS = 160,         /* of a window, at most: a function may write where the next call would */
    CALLS_VAIN = 64,           /* reads of a return address that do not return, at most */
    CALLS_STEPS = 300,         /* to a call, at most; … */
    CALLS_STEPPED_NS = 2000000 /* … and in all steps of a window */
};

/* A hardware event that counts calls. */
struct call_event {
    bool wanted;
    uint32_t type; /* of perf_event_attr, as are the others */
    uint64_t config, config1, config2;
    unsigned precise;
};

/* What the sampler, whose ticks start it, does here. All of it is async-signal-safe. */
struct calls_host {
    /* As the hooks of the same names of struct sampler_hooks. */
    size_t (*walk)(void *ucontext, struct trace_raw_frame *frames, size_t max, enum trace_state *state);
    uint64_t (*frame)(void *ucontext, uint64_t address);
    uint64_t (*function)(uint64_t code);
    bool (*is_own)(uint64_t code); /* whether this is the recorder's own code in the program; NULL: none is */
    bool (*running)(void);         /* false while it stops, since streams are closed, and in a child of a raw fork */
    bool (*traps)(void);           /* whether SIGTRAP still reaches the sampler */
    void (*returned)(void *ucontext, uint64_t slot); /* calls calls_return() of the thread */
    bool arguments;                                  /* the registers of integer arguments are recorded */
    bool stubs;                                      /* steps and stubs take the location of debug registers */
    struct call_event event;                         /* finds the calls, if wanted */
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
    unsigned traps, steps;
    int64_t began, length, since; /* program time, in ns: of the tick; of the window; since the previous window began */
    uint64_t below;               /* where the next call puts its return address; 0: unknown */
    struct call_frame frame, above[CALLS_FRAMES]; /* of the function that runs, and of its callers as far as seen */
    size_t above_count;
    double calls, ns; /* in the previous windows, the older the less */
};

/* The instruction that the thread executes next, if it is stepped. */
struct call_step {
    bool on;
    bool call;                  /* the instruction is a call, … */
    uint64_t code, stack, back; /* … which puts `back` below this stack pointer */
    unsigned left;
};

/* The counter of calls. */
struct call_counter {
    int fd;
    uint64_t id;     /* of the perf event; 0: none is open */
    uint64_t count;  /* of calls, at the last interrupt */
    uint64_t period; /* calls from there to the next one */
    int64_t last;    /* when the last one came: program time, ns */
};

struct open_call {
    struct call_frame frame;
    uint64_t number, began_ns;
    unsigned vain;
    bool left;                    /* in another way than by a return: another frame may have the same location by now */
    int64_t values[METER_VALUES]; /* at the call */
};

/* What waits at a location: for a store below the stack pointer (with debug registers), for the return of the function
 * that runs, and for the returns of chosen calls that are open, which take turns. */
enum call_wait { WAIT_BELOW, WAIT_FRAME, WAIT_OPEN, WAIT_OPEN_2, WAITS = DEBUG_REGISTERS };

/* A stub in location of a return address. */
struct call_stub {
    uint64_t slot; /* 0: none */
    uint64_t stub; /* 0: the real address has been put back */
    uint64_t real;
};

/* State of one thread. Only its own handlers use it while it is open. */
struct calls {
    size_t wait_count;     /* of enum call_wait, there are; 0: it is closed */
    uint64_t armed[WAITS]; /* the addresses that each waits at; 0: none */
    struct debug_register registers[WAITS];
    struct call_stub stubs[WAITS];
    struct stub_thread listener;
    struct call_step step;
    struct call_counter counter;
    bool closing;           /* the stack may be another thread's to change */
    unsigned held;          /* how often stubs have been put back until they are put again */
    uint64_t unwinder;      /* the stack of one that is at work, so that they are put back; 0: none */
    unsigned pauses;        /* how often they are paused, one within another */
    struct meter *measured; /* NULL unless the cost of a trap or a return is being measured */

    struct trace_stream *stream;
    _Atomic bool inside; /* a handler is at work: traps meanwhile are its own */
    struct rng rng;
    struct meter meter;
    struct call_search search;
    struct open_call open[CALLS_OPEN];
    size_t open_count;
    uint64_t number; /* of the last chosen call */
    struct trace_raw_frame frames[TRACE_STACK_MAX];
};

/* ------------------------------------------------------------------------------------------------- calls.c -- */

/*
 * Opens what waits in thread `tid` of this process; random numbers follow from (seed, order). The memory (*out) is
 * reused once closed: *out is NULL at first, and then belongs to the slot permanently. 0, or an errno value: ENOSPC,
 * fewer than three registers are free; ENOMEM; EINVAL, the kernel is older than 5.13; EACCES, EPERM; of stubs: ENOTSUP,
 * the processor checks return addresses.
 */
int calls_open(pid_t tid, uint64_t seed, uint64_t order, struct calls **out);

/* In the thread itself, whose handlers work on the stack [low, high). */
void calls_attach(struct calls *calls, struct trace_stream *stream, const char *low, const char *high);

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

/* In the handler of a return through a stub in `slot`. */
void calls_return(struct calls *calls, void *ucontext, uint64_t slot);

/*
 * For what follows return addresses, in the thread itself: puts the real ones back, and with `hold` lets no handler
 * wait for anything until the next call of the second function; it puts stubs in their places again, but not in the
 * frames of [low, high), which are left.
 */
void calls_put_back(struct calls *calls, bool hold);

/* An unwinder is at work, whose frames are above this location on the stack: as with `hold`, until it has been left. */
void calls_unwind(struct calls *calls, uint64_t stack);

void calls_put_again(struct calls *calls, uint64_t low, uint64_t high);

/* -------------------------------------------------------------------------------------------------- wait.c -- */

int wait_open(struct calls *calls, pid_t tid);
void wait_close(struct calls *calls);

/* Whether this process has enough debug registers: 0, or an errno value of debug_register_open(). */
int wait_try_registers(void);

/* Waits at this location, or for nothing (slot 0). A stub is put there only if the location has the return address. */
void wait_at(struct calls *calls, enum call_wait which, struct call_frame location);

/* Whether nothing shows that a stub would be seen in location of the return address `back` of this function. */
bool wait_may_replace(uint64_t function, uint64_t back);

/* Stops the registers whose places an unwinder reads, and lets them go on. */
void wait_pause(struct calls *calls);
void wait_resume(struct calls *calls);

/* The word of signals that are for this part of struct calls. */
uint64_t wait_word(const void *what);

/* Which wait a trap belongs to; WAITS: none. */
enum call_wait wait_of(const struct calls *calls, uint64_t word);
bool wait_is_ours(uint64_t word);

/* All that wait where this one does, as a set of 1 << which: of registers at one location only the first signal comes.
 */
unsigned wait_at_same(const struct calls *calls, enum call_wait which);

/* The return address in a slot of the thread's stack: the real one. */
uint64_t wait_address(uint64_t slot);

/* What nothing waits for any more at a return through this slot: a set of 1 << which. */
unsigned wait_returned(struct calls *calls, uint64_t slot);

/* calls_put_back() and calls_put_again() */
void wait_put_back(struct calls *calls);
void wait_put_again(struct calls *calls, uint64_t low, uint64_t high);

/* -------------------------------------------------------------------------------------------------- single_step.c --
 */

/* Steps from here to the next call, unless SIGTRAP is blocked or the program steps itself. */
void single_step_to_call(struct calls *calls, void *ucontext);
void single_step_stop(struct calls *calls);

/* Around a handler: takes the trap flag from the thread, if it was given, which is the result; and gives it if the
 * thread is to be stepped. */
bool single_step_take_flag(void *ucontext);
void single_step_give_flag(const struct calls *calls, void *ucontext);

/* After a step. */
void single_step_on(struct calls *calls, void *ucontext);

/* Whether this process can be stepped: 0, or EIO. It installs a handler of SIGTRAP for as long as it tries. */
int single_step_try(void);

/* ------------------------------------------------------------------------------------------------ search.c -- */

/* At a tick: opens a window, or makes sure that the open one has not lost its way. */
void search_go_on(struct calls *calls, void *ucontext);
void search_end(struct calls *calls);
void search_on_below(struct calls *calls, void *ucontext);
void search_on_frame(struct calls *calls, void *ucontext);
void search_on_call(struct calls *calls, void *ucontext); /* the thread is at the first instruction of a function */
void search_give_up(struct calls *calls);                 /* it has become too costly */

/* The chosen call is over: by a return to the function that the window was in, or otherwise. */
void search_resume(struct calls *calls, void *ucontext, bool returned);

/* ----------------------------------------------------------------------------------------------- counted.c -- */

/* Opens the counter in thread `tid`; 0, or an errno value. */
int counted_open(struct calls *calls, pid_t tid);
void counted_close(struct calls *calls);

/* Whether a trap is the counter's; and what it does. */
bool counted_is(const struct calls *calls, uint64_t word);
void counted_on_call(struct calls *calls, void *ucontext);

/* ---------------------------------------------------------------------------------------------- instance.c -- */

/* The function at `code`, which the thread has just called, is chosen: its return address is in `slot`. False: it can't
 * be. */
bool instance_choose(struct calls *calls, void *ucontext, uint64_t code, uint64_t slot, uint64_t weight);

/* The return address of open call `which` has been read or written. */
void instance_on_slot(struct calls *calls, enum call_wait which, void *ucontext);

/* Drops the open calls that have been left in another way than by a return. */
void instance_sweep(struct calls *calls, void *ucontext);
void instance_drop_all(struct calls *calls, enum trace_instance why);
void instance_count(struct calls *calls, enum trace_instance why);

/* ---------------------------------------------------------------------------------------------- prologue.c -- */

/* The stack pointer before the next instruction that may branch, from this code and stack pointer on. */
uint64_t prologue_stack(uint64_t code, uint64_t stack_pointer);

/* Whether the thread is at the first instruction of a function that the instruction before `back` has called. */
bool prologue_is_called(uint64_t code, uint64_t back);

/* Where the return address of a function is, which begins at `function`, if the thread has executed its first
 * instructions up to `code`. False: they are not only such as change the stack pointer in a known way. */
bool prologue_slot(uint64_t function, uint64_t code, uint64_t stack_pointer, uint64_t *slot);

/* Whether the function that begins here, as far as its code shows, leaves its return address alone until it returns.
 * setjmp(), for example, does not. What is found out is remembered. */
bool prologue_leaves_return(uint64_t code);

/* The function that a stub of the dynamic linker jumps to; the code itself if it is not a stub; 0: the linker has yet
 * to find it. */
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
