/*
 * methods.h - records, inside the measured process, that methods are entered and left: kind `event` of the trace.
 *
 * A probe appends a record of raw words to its thread's ring: what happened, the time stamp counter, and the location
 * on the stack. It takes no lock and makes no system call, unless the ring is full: then it waits for space, since a
 * dropped event breaks the nesting of all events around it. The reader makes events from the records (collection.h): in
 * the process that writes the traces, which then has the rings mapped as well (collect/pool), or in the writer's thread
 * of the measured process (methods_collect(), called by sampler_hooks.on_cycle).
 *
 * CPU time costs no system call either: if a thread kept its processor between two events, its CPU time advanced with
 * the time stamp counter. The kernel shows whether it did: it clears rseq_cs when it preempts the thread.
 */
#ifndef ASSAY_METHODS_METHODS_H
#define ASSAY_METHODS_METHODS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <jansson.h>

#include "collect/exact/tool/counters/simulated.h"
#include "trace/trace.h"

/* What a record says. */
enum methods_mark {
    MARK_ENTER = 1,
    MARK_EXIT,
    MARK_THROWN,  /* left by an exception, where the probe itself knows */
    MARK_THROW,   /* an exception begins to leave methods, which are left by MARK_EXIT … */
    MARK_CATCH,   /* … until here: the methods below the location have been left */
    MARK_JUMP,    /* a longjmp or an unwinder continues at a location; methods below it are left without a record */
    MARK_END,     /* the thread ends */
    MARK_GAP,     /* records were dropped: how many */
    MARK_CPU,     /* CPU time of the thread, in ns */
    MARK_COUNTER, /* a counter of the thread has changed; the "method" is which one */
    MARK_FORK     /* the thread is about to fork: a number for that, which the child knows */
};

/* What can be counted besides the time of an event. The configuration uses the first of its names below, the trace the
 * second, which includes the unit. */
enum methods_counter {
    COUNTER_CPU,
    COUNTER_WALL,
    COUNTER_ALLOCATED,
    COUNTER_FAULTS,
    COUNTER_SWITCHES,
    COUNTER_SIMULATED, /* the first of SIMULATED_COUNTERS, in their order */
    COUNTERS_NAMED = COUNTER_SIMULATED + SIMULATED_COUNTERS,
    COUNTER_HARDWARE = COUNTERS_NAMED, /* the first of several; the trace has the user's names for them */
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

/* Returns what follows METHODS_SIMULATED in the name of a counter in the configuration; NULL: it is not simulated. */
static inline const char *methods_simulated_name(const json_t *counter)
{
    const char *name = json_string_value(counter);
    size_t length = strlen(METHODS_SIMULATED);
    return name && strncmp(name, METHODS_SIMULATED, length) == 0 ? name + length : NULL;
}

/* What a collector must provide here. */
struct methods_hooks {
    enum trace_role (*role)(const char *thread_name);
    /* Whether places are exact: two methods at one location are never both open, and a method is left where it was
     * entered. If not, a compiler may have inlined one method into the other, so that both are open. */
    bool exact_places;
    /* Enters and leaves an empty method `count` times in the calling thread, to measure the cost of a probe. */
    void (*pairs)(unsigned count);
    /* How long pairs() runs before the measurement, so that a JIT compiler has finished with it. */
    uint64_t warm_up_ns;
    /* Bytes that the calling thread has allocated since it began; NULL: the collector doesn't know. */
    uint64_t (*allocated_bytes)(void);
    /* Whether calls of this method become events; runs in the writer's thread, unless another process reads the records
     * and decides. NULL: all do. */
    bool (*chosen)(uint64_t method);
    /* May take the probes of a method that has been given up out of its code. NULL: they stay, and do nothing. Either
     * once, in the writer's thread, or … */
    void (*given_up)(uint64_t method);
    /* … in a thread that calls it, until that returns true. Async-signal-safe; keeps errno. */
    bool (*passed)(uint64_t method);
};

/* Whether the configuration asks for mode methods. */
bool methods_wanted(const json_t *configuration);

/* Whether it asks for a simulated counter, which exists only under the exact tool: methods_is_simulated(). */
bool methods_wants_simulated(const json_t *configuration);
bool methods_is_simulated(void);

/* To be called once, before the rest. `configuration` is that of methods_wanted(): its methods.counters holds at most
 * EVENT_COUNTERS_MAX names of counters or objects for hardware_add(); without it only CPU time is counted. Counters
 * that the collector can't read are left out. Returns metadata (a new reference): counters, event_clock, probe (which
 * is measured here). */
json_t *methods_prepare(const struct methods_hooks *hooks, const json_t *configuration);

/* Whether allocated bytes were requested that this collector can't read; what a native process reports then. */
bool methods_lacks_allocated(void);
#define METHODS_NO_ALLOCATED                                                                                           \
    "--counters allocated counts bytes of Java programs alone: this one's trace has no such column"

/* Whether there has been any event. For the writer's thread. */
bool methods_has_recorded(void);

/* Waits until everything that the threads have recorded so far has become events, and the reader has completed one more
 * cycle. Gives up if the reader makes no progress for a second, perhaps because it waits for the calling thread; the
 * recorder reports that at the end of the recording. To be called before files are unloaded, since their functions
 * have no names afterwards. */
void methods_wait_for_reader(void);

/* Keeps records from now on, until methods_end(). To be called after sampler_start(), with the metadata that
 * methods_prepare() has returned (borrowed), and how much CPU time the start took (0: unknown). Returns 0 or an errno
 * value. */
int methods_begin(const json_t *metadata, uint64_t start_ns);

/* Lets another process see this one, if it reads the records: what it has to know beforehand is in methods_tables(). */
void methods_show(void);

/* Whether another process reads the records. */
bool methods_are_outside(void);

/* What is shared with the reader, which may be another process. */
struct methods_tables;
struct methods_tables *methods_tables(void);

/* For sampler_hooks.on_cycle, if the process has a writer: turns what the threads have recorded into events of the
 * trace. Returns whether the recording ended with it. */
bool methods_collect(void);

/* The stream for what the recording took, which belongs to no thread of the program. */
#define METHODS_RECORDER "[recorder]"

/* Records the CPU time that the recording took from the program outside of probes, as VM_REWRITE (`start_ns`; 0:
 * unknown) and VM_WRITER of this stream. For the writer's thread, once the recording has ended. */
void methods_report_cost(struct trace_stream *stream, uint64_t start_ns);

/* Ends the recording: an event `unfinished` is written for each method that is still open. Async-signal-safe. */
void methods_end(void);

/* Around an exec: methods that are open are unfinished if the process executes another program. */
void methods_before_exec(void);
void methods_exec_failed(void);

/* Ends the recording of a process that runs no destructors: the trace is complete, or another process will see to that,
 * if this returns true. Async-signal-safe. */
bool methods_end_from_handler(unsigned timeout_ms);

/* To be called around a fork, in this order; the child's trace begins with the methods that its thread had open. `take`
 * takes a lock that the writer's thread may have; if it could not, the child is not recorded. The last one is for the
 * child when its sampler has begun; methods_show() comes after it. */
void methods_before_fork(bool (*take)(pthread_mutex_t *lock));
void methods_after_fork_in_parent(void);
void methods_after_fork_in_child(void);
void methods_begin_in_child(void);

/* Says that ids of methods change their meaning, since code was unloaded. For the writer's thread. */
void methods_forget(void);

/* A bit of a location where a method is left: its stack frame, which lay entirely below, is gone but for the return
 * address. */
enum { METHODS_PLACE_ABOVE = 1 };

/* A bit of a location where a method is entered: whatever was entered at the same location has been left. Without this
 * bit it may have called this method as a tail call. */
enum { METHODS_PLACE_FRESH = 1 };

/*
 * Appends a record for the calling thread. `method` < 2^56. `location` orders calls on the stack: the location of a
 * method is never above that of its caller. Async-signal-safe; keeps errno.
 */
void methods_mark(enum methods_mark mark, uint64_t method, uint64_t location);

/*
 * Does the same in the usual case: the thread has a ring with space, and nothing has to be read, awaited or reported.
 * Otherwise returns false and does nothing. Uses only general registers; keeps errno, too.
 */
bool methods_mark_plain(enum methods_mark mark, uint64_t method, uint64_t location);

/* Whether records are kept now. Async-signal-safe. */
bool methods_recording(void);

/* Whether the probes of this method have been given up. */
bool methods_given_up(uint64_t method);

/* To be called around the collector's own work in a thread, whose records are not kept meanwhile. Calls nest. */
void methods_mute(void);
void methods_unmute(void);

/* For probes that can't see the stack, but count how deep the calling thread is. methods_enter() returns the depth to
 * pass to methods_leave(), or METHODS_PASSED, to be passed likewise, if the call is not recorded. */
enum { METHODS_PASSED = UINT32_MAX };
uint32_t methods_enter(uint64_t method);
void methods_leave(enum methods_mark mark, uint64_t method, uint32_t depth);

#endif
