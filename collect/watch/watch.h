/*
 * watch.h - pairs of memory accesses by sampling: an access is chosen at random, a debug register waits for the next
 * one to the same place.
 *
 *   watch.c      the watchpoints of a thread: ticks and traps
 *   watchpoint.c one watchpoint: filled, offered a register, given up
 *   registers.c  the debug registers behind them: opening, arming; whether there are any
 *   step.c       from a tick of the clock to the sampled access: single steps over a random number of accesses
 *   hit.c        the access that trapped: what it was, whether it was wasted, its record
 *   touch.c      the accesses of the instruction at a place, and the instruction before a place
 *   system.c     the accesses of a system call
 *   reservoir.c  which access is watched; equal.c: whether values are the same
 *
 * A clock in time prefers slow instructions, and those after them. So the thread is single-stepped (TF) from the tick
 * on, each instruction decoded before it runs: a random 0 to ahead − 1 instructions are skipped; of the accesses of the
 * next `window` instructions one is chosen at random, and represents all of them. So accesses are sampled in proportion
 * to their number, not their cost, as far as instructions take equally long everywhere. One byte of the access is
 * chosen at random, and the largest aligned part of the access that contains it, at most 8 bytes, is watched: the next
 * access to that byte completes the pair, which represents as many bytes as the first access has. Accesses within the
 * window need no register.
 *
 * The stack: a place below the stack pointer has lost its meaning, even if the same function is called again. So while
 * a place on the stack is watched, another register, the guard, waits for a store over the return address of the frame
 * that contains it: then the frame has returned, and there is no pair. With one register there is no guard, and a place
 * on the stack is given up if a store comes before a load. The heap: a freed block is given up, if the collector
 * reports it (watch_freed()).
 *
 * The kernel: if permitted, registers also trap in the kernel. Such a trap arrives as one signal when the system call
 * returns, however often it trapped in between. What the kernel reads has been loaded; what it writes ends the life of
 * a store, and later stores are compared with it (docs/waste.md). If it is not permitted, a pair of stores between
 * which the thread has written to a file is left out.
 *
 * Records: `trap` for each pair, `range` for the instructions stepped over. All of this runs in signal handlers of the
 * watched thread: no lock, no allocation. Source: JXPerf, ESEC/FSE 2019, §5; Witch, ASPLOS 2018.
 */
#ifndef ASSAY_WATCH_WATCH_H
#define ASSAY_WATCH_WATCH_H

#include <signal.h>
#include <stdatomic.h>

#include "collect/perf/debug_register.h"
#include "collect/perf/reserved_fd.h"
#include "trace/trace.h"
#include "collect/watch/reservoir.h"
#include "collect/x86/x86_access.h"

enum {
    WATCH_AHEAD_DEFAULT = 32,
    WATCH_STEP_DEFAULT = 16, /* instructions of the window */
    WATCH_AHEAD_MAX = 4096,
    WATCH_CODE = 16,  /* bytes of an instruction that are kept */
    WATCH_VALUE = 64, /* bytes of memory that are kept around the first access */
    WATCH_WINDOW = DEBUG_REGISTER_BYTES,
    WATCH_NO_FRAME = 1, /* a place on the stack, in a frame whose end is not known */
    WATCH_IGNORED = 16  /* the number of inconclusive traps after which a watchpoint is given up */
};

struct watch_config {
    bool wanted;
    enum trace_waste waste; /* dead-store, silent-store or silent-load */
    size_t registers;       /* 1 … RESERVOIR_MAX */
    enum reservoir_policy policy;
    unsigned ahead, window; /* instructions */
    double fp_tolerance;
};

/* What the sampler, whose ticks start it, does for the watcher. All of it is async-signal-safe. */
struct watch_host {
    const struct watch_config *config;
    /* As the hooks of the same names of struct sampler_hooks. */
    size_t (*walk)(void *ucontext, struct trace_raw_frame *frames, size_t max, enum trace_state *state);
    uint64_t (*function)(uint64_t code);
    uint64_t (*frame)(void *ucontext, uint64_t address);
    bool (*counts_events)(void); /* whether the clock ticks by a hardware event, not by time */
    bool (*running)(void);       /* whether ticks still count */
    bool (*handles)(int signal); /* whether the program handles this signal itself */
    bool (*traps)(void);         /* whether SIGTRAP still reaches the sampler: a tenth of a microsecond */
};
extern struct watch_host watch_host; /* set once, before the first watch_open() */

/* One access of an instruction that has been executed or is about to be. */
struct touch {
    uint64_t code;    /* address of the instruction; 0: unknown (a jump or return, whose origin can't be seen) */
    uint64_t address; /* of the memory */
    unsigned bytes;
    unsigned real; /* enum x86_real */
    bool load, store;
    uint64_t left; /* elements that a repeated string instruction has yet to access, including this one; else 0 */
    bool system;   /* the kernel's, in the system call that the instruction made */
    uint8_t text[WATCH_CODE]; /* the instruction, padded with zeros */
};

/* The contents of memory, if both ends could be read. */
struct memory {
    uint64_t low;
    unsigned bytes;
    uint8_t value[WATCH_VALUE];
};

struct stack {
    size_t depth;
    struct trace_raw_frame frames[TRACE_STACK_MAX];
};

struct watchpoint {
    struct debug_register trap;
    bool armed, writes_only;
    uint64_t low;    /* of the window that the register watches */
    unsigned window; /* its bytes: 1, 2, 4, 8 */
    uint64_t chosen; /* the byte of it that counts */
    struct touch first;
    struct memory kept;        /* as the first access left it (a store) or found it (a load) */
    uint8_t now[WATCH_WINDOW]; /* the window after the last trap */
    unsigned loaded;           /* a bit for each byte of the window that was loaded since */
    unsigned ignored;          /* inconclusive traps */
    unsigned accesses;         /* that it represents */
    uint64_t writes;           /* write(2) and its kin by the thread so far, if the kernel's accesses are not seen */
    uint64_t start;            /* code address at the tick */
    uint64_t frame;            /* the end of the stack frame that contains the place; 0: it is not on a stack */
    struct stack stack;        /* of the first access */
};

/* State of one thread. Only its own handlers use it while it is open. */
struct watcher {
    size_t count; /* of points that have a register */
    struct watchpoint points[RESERVOIR_MAX];
    struct reservoir elsewhere, stack; /* see watch_strata() */
    size_t elsewhere_first, stack_first;
    struct watchpoint *guard; /* or NULL */
    struct reserved_fd io;    /* the counter of write(2) and its kin, if the kernel's accesses are not seen */
    struct rng rng;
    struct trace_stream *stream;
    _Atomic bool inside; /* a handler is at work: traps meanwhile are its own */
    uint64_t late_at;    /* the thread's position when a signal came late */
    uint64_t epoch;      /* of garbage collections, when the points were armed */

    bool stepping;
    bool called, returned; /* by the instruction that is stepped over */
    bool voided;           /* the candidate's place has been freed */
    unsigned skip, left;   /* instructions to skip; instructions of the window still to come */
    unsigned seen[VALUES_COUNT], seen_bytes[VALUES_COUNT]; /* accesses in the window */
    uint64_t start;                                        /* code address at the tick */
    unsigned passed;                                       /* instructions since */
    unsigned own;                                          /* of them in our own functions */
    unsigned spins;                                        /* signals that came without a step */
    uint64_t at;                                           /* the instruction being stepped over */
    bool repeated;                                         /* it may come to the same place again */
    struct touch next[X86_ACCESSES_MAX];                   /* of the instruction being stepped over */
    unsigned next_count;
    bool chosen;                 /* it is the one that is sampled */
    uint64_t frame;              /* that contains the place of the one chosen, or 0 */
    struct touch sampled;        /* the one chosen last */
    struct memory before;        /* the memory before it ran */
    struct watchpoint candidate; /* the one chosen last, once it has run: a watchpoint without a register */
    bool done;                   /* it has come to its end within the window, with: */
    uint64_t values[TRAP_START + 1];
    struct stack pending, second, third; /* of the one chosen; of what trapped; of what ended the candidate */
};

/* ------------------------------------------------------------------------------------------------- watch.c -- */

/*
 * Opens as many registers of thread `tid` of this process as available, up to the configured number, unarmed; random
 * numbers follow from (seed, order). The memory (*out) is reused once closed: *out is NULL at first, and then belongs
 * to the slot permanently. 0, or an errno value: ENOSPC, all registers are taken; ENOMEM; EINVAL, the kernel is older
 * than 5.13; EACCES.
 */
int watch_open(const struct watch_config *config, pid_t tid, uint64_t seed, uint64_t order, struct watcher **out);

/* Counts watchpoints that still wait. The thread has ended, or takes no more signals. */
void watch_close(struct watcher *watcher);
void watch_forget(struct watcher *watcher); /* the same in the child of a fork, without records */

/* 0, or an errno value: whether this process may watch. EIO: registers can be set, but accesses do not trap. */
int watch_probe(const struct watch_config *config);

/* Which of the kernel's accesses on behalf of the program this process sees. */
enum watch_kernel { WATCH_KERNEL_SEEN, WATCH_KERNEL_LEFT_OUT, WATCH_KERNEL_UNSEEN };
enum watch_kernel watch_kernel(void);
const char *watch_kernel_name(enum watch_kernel kernel); /* "seen", for the metadata */

/* In the signal handler of a tick. */
void watch_tick(struct watcher *watcher, void *ucontext);

/* In the handler of SIGTRAP: whether the signal is the watcher's. */
bool watch_trap(const siginfo_t *info, void *ucontext);

/* The calling thread frees [address, address + bytes). Not from a signal handler. */
void watch_freed(uint64_t address, uint64_t bytes);
/* Whether the calling thread watches anything that a block at this address might contain. A few ns. */
bool watch_may_hold(uint64_t address);

/* Begins a new epoch: no earlier watchpoint is valid. Any thread. */
void watch_new_epoch(void);

/* -------------------------------------------------------------------------------------------- watchpoint.c -- */

/* Gives up, as fresh, what lies below the stack pointer and the 128 bytes that functions may use there. */
void watch_sweep(struct watcher *watcher, uint64_t stack_pointer);
/* The reservoir that the point is in, and its index there. */
struct reservoir *watch_reservoir(struct watcher *watcher, const struct watchpoint *point, int *index);
void watch_count(struct watcher *watcher, enum trace_outcome outcome);
void watch_disarm(struct watcher *watcher, struct watchpoint *point);
void watch_give_up(struct watcher *watcher, struct watchpoint *point,
                   enum trace_outcome outcome);                     /* disarms, and counts */
void watch_fill(struct watcher *watcher, struct watchpoint *point); /* with the access chosen, which has run */
void watch_offer(struct watcher *watcher);                          /* the candidate, for a register */
bool watch_read(uint64_t address, unsigned bytes, struct memory *memory);

/* --------------------------------------------------------------------------------------------- registers.c -- */

/* A register for the thread, also in the kernel if that is permitted; it watches nothing. 0 or an errno value. */
int watch_open_point(struct watchpoint *point, pid_t tid);

bool watch_arm(struct watchpoint *point, bool writes_only);
void watch_pause(struct watchpoint *point); /* disables traps while a handler reads the place itself */
void watch_resume(struct watchpoint *point);

/* -------------------------------------------------------------------------------------------------- step.c -- */

/* Starts to look for an access, from the interrupted place on. */
void step_begin(struct watcher *watcher, void *ucontext);
/* After a single step. */
void step_on(struct watcher *watcher, void *ucontext);
void step_end(struct watcher *watcher, void *ucontext);

/* --------------------------------------------------------------------------------------------------- hit.c -- */

/* A watchpoint has trapped: the instruction before the interrupted place has touched its window. */
void hit_take(struct watcher *watcher, struct watchpoint *point, void *ucontext);
/* The same for a known access: `code` has been executed. */
void hit_decide(struct watcher *watcher, struct watchpoint *point, const struct touch *touch, void *ucontext);
/* The record of the candidate that is done. */
void hit_put(struct watcher *watcher);

/* ------------------------------------------------------------------------------------------------ system.c -- */

/* Whether the interrupted thread has just returned from a system call, which then touched the point; what it did there:
 * a store if the bytes have changed, or if the call is known to write there; else a load. */
bool system_before(const void *ucontext, const struct watchpoint *point, struct touch *out);

/* write(2) and its kin, counted by the kernel for a thread. */
struct reserved_fd system_open_io(pid_t tid);
uint64_t system_writes(const struct reserved_fd *io); /* 0 if it can't be read. Async-signal-safe. */

/* ------------------------------------------------------------------------------------------------- touch.c -- */

/* The accesses of the instruction at the interrupted place: their number, or X86_ACCESS_UNKNOWN. *length: that of the
 * instruction. */
unsigned touch_next(const void *ucontext, struct touch out[X86_ACCESSES_MAX], unsigned *length);

/* The access of the instruction before the interrupted place that touched the point's window. False: unknown. */
bool touch_before(const void *ucontext, const struct watchpoint *point, struct touch *out);

/* Restores *ucontext to the state before the instruction of `touch`, as far as a stack walk needs it. */
void touch_rewind(void *ucontext, const struct touch *touch);

#endif
