/*
 * methods.h - methods that are entered and left, inside the measured process: kind `event` of the trace.
 *
 * A probe appends a record of raw words to its thread's ring: what happened, the time stamp counter, and where on the
 * stack. It takes no lock and makes no system call, unless the ring is full: then it waits for room, since an event
 * that is dropped breaks the nest of all around it. The writer's thread (methods_collect(), from
 * sampler_hooks.on_cycle) makes events of the records: it keeps each thread's open methods, gives every enter the event
 * that ends it, and turns the counter's ticks into nanoseconds of CLOCK_MONOTONIC.
 *
 * CPU time costs no system call either: between two events of a thread that was not taken off its processor in between
 * it is the time stamp counter's. The kernel says so by itself: it clears rseq_cs when it preempts the thread.
 */
#ifndef ASSAY_METHODS_METHODS_H
#define ASSAY_METHODS_METHODS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <jansson.h>

#include "collect/exact/tool/simulate/simulated.h"
#include "collect/trace/trace.h"

/* What a record says. */
enum methods_mark {
    MARK_ENTER = 1,
    MARK_EXIT,
    MARK_THROWN, /* left by an exception, where the probe itself can tell */
    MARK_THROW,  /* an exception begins to leave methods, which are left by MARK_EXIT … */
    MARK_CATCH,  /* … until here: the methods below the place have been left */
    MARK_JUMP,   /* a longjmp, or an unwinder, goes on at a place, below which methods are left without a record */
    MARK_END,    /* of the thread */
    MARK_GAP,    /* so many records were dropped */
    MARK_CPU,    /* CPU time of the thread, in ns */
    MARK_COUNTER /* a counter of the thread has changed; the "method" is which one */
};

/* What can be counted beside the time of an event: in the configuration by the first name, in the trace by the second,
 * which has the unit. */
enum methods_counter {
    COUNTER_CPU,
    COUNTER_WALL,
    COUNTER_ALLOCATED,
    COUNTER_FAULTS,
    COUNTER_SWITCHES,
    COUNTER_SIMULATED, /* the first of SIMULATED_COUNTERS, in their order */
    COUNTERS_NAMED = COUNTER_SIMULATED + SIMULATED_COUNTERS,
    COUNTER_HARDWARE = COUNTERS_NAMED, /* the first of several, whose name in the trace is the user's */
    COUNTER_KINDS = COUNTER_HARDWARE + EVENT_COUNTERS_MAX
};
#define METHODS_SIMULATED "simulated-"
#define METHODS_SIMULATED_NAMES                                                                                        \
    METHODS_SIMULATED "instructions", METHODS_SIMULATED "l1i-misses", METHODS_SIMULATED "l1d-misses",                  \
        METHODS_SIMULATED "l1-misses", METHODS_SIMULATED "l2-misses", METHODS_SIMULATED "branch-misses"
#define METHODS_COUNTER_OPTIONS                                                                                        \
    "cpu-time", "wall-time", "allocated", "page-faults", "context-switches", METHODS_SIMULATED_NAMES
#define METHODS_COUNTER_NAMES                                                                                          \
    "thread-cpu-ns", "wall-ns", "allocated-bytes", "page-faults", "context-switches", METHODS_SIMULATED_NAMES

/* Of a counter in the configuration: what is behind METHODS_SIMULATED in its name; NULL: it is no simulated one. */
static inline const char *methods_simulated_name(const json_t *counter)
{
    const char *name = json_string_value(counter);
    size_t length = strlen(METHODS_SIMULATED);
    return name && strncmp(name, METHODS_SIMULATED, length) == 0 ? name + length : NULL;
}

/* What the hooks of a collector do for this room. */
struct methods_hooks {
    enum trace_role (*role)(const char *thread_name);
    /* Places are exact: two methods at one place are not both open, and a method is left where it was entered.
     * Otherwise a compiler may have inlined one method into the other, and both are open. */
    bool exact_places;
    /* Enters and leaves an empty method so many times, in the calling thread: what a probe costs is measured with it.
     */
    void (*pairs)(unsigned count);
    /* For so long they are run before they are measured: until a JIT compiler has done with them. */
    uint64_t warm_up_ns;
    /* Bytes that the calling thread has allocated since it began; NULL: the collector can't tell. */
    uint64_t (*allocated_bytes)(void);
    /* In the writer's thread: whether calls of this method become events; NULL: all do. */
    bool (*chosen)(uint64_t method);
    /* In the writer's thread: the probes of this method may be taken out of its code. NULL: they stay, and do nothing.
     */
    void (*given_up)(uint64_t method);
};

/* Whether the configuration asks for mode methods. */
bool methods_wanted(const json_t *configuration);

/* Whether it asks for a simulated counter, which there is under the exact tool alone: methods_is_simulated(). */
bool methods_wants_simulated(const json_t *configuration);
bool methods_is_simulated(void);

/* Once, before the rest. `configuration` as in methods_wanted(): its methods.counters are names of counters, at most
 * EVENT_COUNTERS_MAX, or objects as hardware_add() takes them; without them there is CPU time alone. Those that the
 * collector can't tell are left out. The result (a new reference) is metadata: counters, event_clock, probe (measured
 * here). */
json_t *methods_prepare(const struct methods_hooks *hooks, const json_t *configuration);

/* Whether a counter was asked for that this collector can't tell. */
bool methods_lacks_allocated(void);

/* Whether there has been any event. In the writer's thread. */
bool methods_has_recorded(void);

/* Waits until what all threads have recorded so far is in the trace, and the writer has looked around once more. Not
 * for a writer that gets no further for a second, perhaps since it waits for the calling thread: that is told at the
 * end of the recording, on stderr. Before files are unloaded, whose functions have no name afterwards. */
void methods_wait_for_writer(void);

/* From here on records are kept; from methods_end() on not. */
void methods_begin(void);

/* Of sampler_hooks.on_cycle: what the threads have recorded becomes events of the trace. Whether the recording ended
 * with it. */
bool methods_collect(void);

/* In the writer's thread, once a recording has ended: what it took of the program's CPU time outside of probes, as
 * VM_REWRITE (`start_ns`; 0: not known) and VM_WRITER of this stream. */
void methods_tell_cost(struct trace_stream *stream, uint64_t start_ns);

/*
 * Ends the recording: the next methods_collect() writes an event `unfinished` for each method that is still open.
 * Async-signal-safe. methods_resume() goes on after an exec that failed: what is open is entered anew.
 */
void methods_end(void);
void methods_resume(void);

/* The end of a process that runs no destructors: the trace is whole when this returns true. Async-signal-safe. */
bool methods_end_from_handler(unsigned timeout_ms);

/* Around a fork, in this order; the child's trace begins with the methods that its thread had open. */
void methods_before_fork(void);
void methods_after_fork_in_parent(void);
void methods_after_fork_in_child(void);

/* Ids of methods mean something else from now on, since code was unloaded. In the writer's thread. */
void methods_forget(void);

/* Of a place where a method is left: its stack frame is gone by then, all but the return address, and lay wholly below.
 */
enum { METHODS_PLACE_ABOVE = 1 };

/* Of a place where a method is entered: whatever was entered at the same place has been left. Otherwise it may have
 * called this one as its last act. */
enum { METHODS_PLACE_FRESH = 1 };

/*
 * Appends a record for the calling thread. `method` < 2^56. `place` orders what is on the stack: that of a method is
 * never above that of a method around it. Async-signal-safe; keeps errno.
 */
void methods_mark(enum methods_mark mark, uint64_t method, uint64_t place);

/*
 * The same in the usual case: the thread has a ring with room, and nothing has to be read, waited for or told.
 * Otherwise false, and nothing is done. Uses no register but the general ones; may change errno no more than the other.
 */
bool methods_mark_plain(enum methods_mark mark, uint64_t method, uint64_t place);

/* Whether records are kept now. Async-signal-safe. */
bool methods_recording(void);

/* Whether the probes of this method have been given up. */
bool methods_given_up(uint64_t method);

/* While a thread does the collector's own work. Records of the thread are not kept meanwhile. Calls nest. */
void methods_mute(void);
void methods_unmute(void);

/* For probes that can't see the stack: how deep the calling thread is. methods_enter() returns the depth to give back,
 * or METHODS_PASSED, to be given back too, if the call is not recorded. */
enum { METHODS_PASSED = UINT32_MAX };
uint32_t methods_enter(uint64_t method);
void methods_leave(enum methods_mark mark, uint64_t method, uint32_t depth);

#endif
