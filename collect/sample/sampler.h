/*
 * sampler.h - the sampling clocks inside a measured process.
 *
 * There is one sampler per process: it creates the trace, finds the process's threads, gives each its own clock and, at
 * each tick, takes the thread's stack through the collector's hooks. Collectors (native, jvm) differ only in the hooks.
 *
 * Sources of ticks, in order of preference:
 *   pmu          a hardware event per thread (engine pmu; the recorder passes the encoded event)
 *   cpu-clock    PERF_COUNT_SW_CPU_CLOCK per thread: an hrtimer that runs with the thread's CPU time; intervals in CPU
 *                time
 *   timer-thread a thread that sleeps on CLOCK_MONOTONIC and signals the threads that run; intervals in wall time
 *
 * The timer thread needs no perf events. The clock `random` chooses each interval uniformly from [period − spread,
 * period + spread]; `fixed` has spread 0. A thread's random numbers follow from the seed and the order in which threads
 * appear.
 */
#ifndef ASSAY_SAMPLE_SAMPLER_H
#define ASSAY_SAMPLE_SAMPLER_H

#include <signal.h>
#include <sys/types.h>

#include "collect/calls/calls.h"
#include "trace/trace.h"
#include "collect/watch/watch.h"

/* The environment variable through which the recorder configures agents: a JSON object, see sampler_configure(). */
#define SAMPLER_ENVIRONMENT "ASSAY_RECORD"

/* "PID:NS": CPU time that the thread which became this program had used, as the previous program's trace says; see
 * sampler_before_exec(). */
#define SAMPLER_RECORDED_ENVIRONMENT "ASSAY_RECORDED"

/* The same variable where another process writes the traces: the descriptor of the pool, if that is inherited. */
#define SAMPLER_RECORDED_POOL "fd:%d"

enum sampler_source { SOURCE_CPU_CLOCK, SOURCE_TIMER_THREAD, SOURCE_PMU, SOURCE_EXTERNAL };

/* "cpu-clock" etc., as in the configuration and the metadata. */
const char *sampler_source_name(enum sampler_source source);

struct sampler_config {
    char directory[4096]; /* path of the trace: DIRECTORY/PREFIX-PID[.N].trace */
    char prefix[128];     /* "run-003" */
    char pool[64];        /* where another process waits for what it shall write (collect/pool); "": nowhere */
    char clock[16];       /* "random", "fixed", "safepoint", "period" */
    uint64_t period_ns;   /* mean interval; with pmu and clock period: events */
    uint64_t spread_ns;   /* r of t ± r */
    uint64_t seed;
    pid_t recorder_pid; /* 0: unknown; its direct child has the seed alone, others from seed and pid */
    enum sampler_source source;
    uint32_t pmu_type; /* perf_event_attr of the event, if source is pmu */
    uint64_t pmu_config, pmu_config1, pmu_config2;
    unsigned pmu_precise;
    double pmu_events_per_ns;     /* converts period_ns to events; 0: the period is in events */
    double max_cost;              /* share of a thread's CPU time that sampling may take; 1: any */
    uint64_t tick_ns;             /* CPU time of a tick without the walk of the stack, as the recorder measured it */
    uint64_t delivery_ns;         /* the part of it outside the signal handler */
    struct watch_config watch;    /* pairs of accesses instead of samples, if wanted */
    bool calls;                   /* mode calls: a call is chosen after each sample */
    bool call_stubs;              /* their returns are found by stubs, not by debug registers */
    struct call_event call_event; /* which finds them, if wanted */
    json_t *metadata;             /* the whole object: copied to the trace's metadata */
};

/*
 * Reads SAMPLER_ENVIRONMENT. Keys: directory, prefix, pool, mode, clock, period_ns, spread_ns, seed, source
 * ("cpu-clock" | "timer-thread" | "pmu" | "external"), pmu {type, config, config1, config2, precise, events_per_ns},
 * recorder_pid, max_cost, clock_cost {tick_ns, delivery_ns}, fp_tolerance, watch {registers, policy ("uniform" |
 * "replace-oldest"), ahead}. Words above 2^63 may come as strings ("0x…"). Everything else in it is metadata that is
 * passed on. Returns false if the variable is not set or is not such an object (one line on stderr in the second case).
 * config->metadata is owned by the caller.
 */
bool sampler_configure(struct sampler_config *config);

/* The same from such an object (borrowed), without metadata. */
bool sampler_configuration(const json_t *object, struct sampler_config *config);

/* Whether the program of this process is one of those that are to be recorded: keys "only" and "skip" of the metadata,
 * arrays of patterns (fnmatch(3)) for the name of its file or that by which it was called. */
bool sampler_wants_program(const struct sampler_config *config);

/*
 * Whether this process may open a clock of this source: 0, or an errno value of perf_event_open (EACCES, EPERM: not
 * permitted; ENOENT, EOPNOTSUPP: no such hardware). It also works outside a measured process (the recorder checks
 * first).
 */
int sampler_probe(const struct sampler_config *config);

struct sampler_hooks {
    const char *collector; /* "native" or "jvm", for the metadata */
    /* In the signal handler, in the sampled thread: walks the stack from the interrupted place, innermost frame first.
     * Returns the number of filled frames[max] (≥ 1: if nothing is known, a pseudo frame that says so) and sets *state.
     * Async-signal-safe. */
    size_t (*walk)(void *ucontext, struct trace_raw_frame *frames, size_t max, enum trace_state *state);
    /* As trace_writer_options.describe. */
    bool (*describe)(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text);
    /* The beginning of the function that contains this code; 0: unknown. Async-signal-safe. NULL: never known. */
    uint64_t (*function)(uint64_t code);
    /* The end (the caller's stack pointer before the call) of the stack frame that contains this address of the
     * interrupted thread's stack; 0: unknown. Async-signal-safe. NULL: never known; places on the stack are treated
     * like all others. */
    uint64_t (*frame)(void *ucontext, uint64_t address);
    /* Whether this is the agent's code. Async-signal-safe. NULL: never known. */
    bool (*is_own)(uint64_t code);
    enum trace_role (*role)(const char *thread_name); /* the role of a thread with this name */
    void (*on_start)(void *user);                     /* in the writer's thread, first and last; NULL: nothing */
    void (*on_end)(void *user);
    void (*on_cycle)(void *user); /* there, before each flush; NULL: nothing */
    /* Around everything that the handler of a tick does, in the sampled thread. What it returns at the beginning comes
     * back at the end, with how long the delivery of a tick takes. Async-signal-safe. NULL: nothing. */
    bool (*tick_begins)(void);
    void (*tick_ends)(bool begun, uint64_t delivery_ns);
    /* In the scanning thread, with no signal blocked, when it finds no other thread of the program left: the sampler's
     * own keep the process from ending as it would. NULL: not needed. */
    void (*on_deserted)(void);
    bool outside;          /* another process can say what its frames are: from the log in the pool */
    bool events_only;      /* source `external`: a process without a record leaves no file */
    bool alternate_stacks; /* threads of the program may get alternate stacks for signals (stack.h) */
    const char *no_stubs;  /* why no stub may stand in for a return address, a sentence about the process; NULL: may */
    bool shares_signal;    /* the program's handler of the clocks' signal may get those of the clocks, too (chain.h) */
    void *user;
};

/*
 * Creates the trace (metadata: config->metadata, then what is known here (pid, executable, source actually used and why
 * not a better one, clock resolution, host, kernel, CPU model, governor, times), then `extra`), installs the
 * handler of its signal (chain.h) and starts. If the configured source can't be opened here, falls back to timer-thread
 * and says so in the metadata (`source`, `source_reason`); if it can be opened only for some threads (descriptors run
 * out), the others are sampled by the timer thread, with one line on stderr. Source `external`: only the writer runs;
 * the collector appends records itself. A process that ends within 50 ms, uses less than 10 ms of CPU time and gives
 * neither a sample nor a loss leaves no file. Returns 0 or an errno value, with one line on stderr.
 */
int sampler_start(const struct sampler_config *config, const struct sampler_hooks *hooks, const json_t *extra);

/* The file of a run's notes, by the run's prefix. A line is "PID<tab>NAME<tab>TEXT". */
#define SAMPLER_NOTES ".%s.notes"

/* Appends a line about this process to the run's notes, which the recorder prints when the run has ended: "process PID,
 * NAME: TEXT". Async-signal-safe: it formats without an allocation. */
void sampler_note(const char *text);

/* The same, before sampler_start(). Neither writes where the program may write little (RLIMIT_FSIZE). */
void sampler_note_early(const struct sampler_config *config, const char *text);

/* The same about another process, by its number and name. The caller must ignore SIGXFSZ. */
void sampler_note_of(const struct sampler_config *config, pid_t process, const char *name, const char *text);

/* The same as sampler_note() with a format; without a recorder the line goes to standard error: "assay: process PID:
 * TEXT". */
__attribute__((format(printf, 1, 2))) void sampler_report(const char *format, ...);

/* NULL before sampler_start() and after sampler_stop(). */
struct trace_writer *sampler_writer(void);

/* Whether this process is recorded, by its own writer or by another process's; and whether the latter. */
bool sampler_is_recording(void);
bool sampler_is_outside(void);

/*
 * For a collector whose records are not samples (source `external`), where another process reads them: this process's
 * part of the pool, NULL if it has none, which the other process sees once it is shown; and parts for threads, which it
 * sees likewise. sampler_claim_thread() is for the calling thread; NULL without room. After sampler_release_thread()
 * the memory is gone. All are async-signal-safe.
 */
struct pool_process;
struct pool_thread;
struct pool_process *sampler_board(void);
void sampler_show_process(void);
struct pool_thread *sampler_claim_thread(void);
void sampler_show_thread(struct pool_thread *shared);
void sampler_release_thread(struct pool_thread *shared);

/* Appends to this process's log in the pool, if it has one. Async-signal-safe. */
struct pool_module;
bool sampler_log_module(const struct pool_module *module); /* false: it has none, or there is no room */
void sampler_log_unloaded(void);

/* The keys "source", "source_reason" and "interval_clock" of the metadata; error: why it is not the wanted one. */
void sampler_describe_source(json_t *metadata, enum sampler_source wanted, enum sampler_source source, int error);

/* What main() gets: for traces that another process writes. To be called before sampler_start(). */
void sampler_set_arguments(int count, char **words);

/* The calling thread begins or ends; otherwise threads are found by scanning /proc/self/task every 20 ms. */
void sampler_thread_begin(void);
void sampler_thread_end(void); /* every signal stays blocked */

/* The seed of this process's random numbers. */
uint64_t sampler_seed(void);

/* The calling thread's stream, which lives until the thread ends or the sampler stops; NULL: it has none, or unless it
 * may `wait`, another thread is looking after the threads. Without waiting async-signal-safe. */
struct trace_stream *sampler_thread_stream(bool wait);

/* A thread may still be appending to its stream: sampler_stop() leaves them all open. */
void sampler_keep_streams(void);

/* A thread that must not be sampled (a helper thread of the collector) says so before its first CPU time. */
void sampler_thread_ignore(void);

/* Whether the calling thread is the sampler's own or is just starting such a thread: a collector that interposes
 * pthread_create leaves those alone. */
bool sampler_thread_is_internal(void);

/* Whether the program, as far as known, has one thread, to which the sampler has added its own. */
bool sampler_has_one_thread(void);

/* Writes everything so far, so that the file is complete; sampling continues. */
int sampler_seal(void);

/*
 * For the end of a process that may come in a signal handler (async-signal-safe): stops the clocks and completes the
 * trace, in the scanning thread, for which this waits; or waits for another thread that is stopping the sampler. False
 * if it took longer.
 */
bool sampler_seal_from_handler(unsigned timeout_ms);

/* Stops the clocks and finishes the trace. Idempotent, any thread, not from a signal handler. Returns 0 or errno. */
int sampler_stop(void);

/*
 * Before an exec in this process: seals, and stops the clocks whose signals would otherwise meet a program without a
 * handler and end it. *recorded is the value for SAMPLER_RECORDED_ENVIRONMENT in the new program's environment ("" if
 * this process has no trace), so that it does not count CPU time from before the exec as lost.
 */
void sampler_before_exec(char *recorded, size_t size);
void sampler_exec_failed(void);

/* Around a fork, for pthread_atfork; every signal is blocked from the first to the second. The child forgets
 * the parent's sampler and starts one of its own, with a trace of its own, if it `may`. In a child of vfork (recognised
 * by its process id) all calls do nothing. */
void sampler_before_fork(void);
void sampler_after_fork_in_parent(void);
void sampler_after_fork_in_child(bool may);

/*
 * sigaction(signal, action, before) for the program: the sampler keeps the signal of its clocks, SIGTRAP if it watches,
 * and others that its agent has put into the chain (chain.h), and passes on what is not its own. Async-signal-safe.
 * False if the sampler does not use the signal: then the caller proceeds as usual.
 */
typedef bool sampler_chain_function(int signal, const struct sigaction *action, struct sigaction *before);
sampler_chain_function sampler_chain;

/* Whether this is a handler of the sampler. Async-signal-safe. */
bool sampler_has_handler(uintptr_t handler);

/* The program needs this signal. If the clocks send it, they take the highest real-time signal from now on that nobody
 * handles and that is not `wanted` either (one bit each). False if they did not need to, or could not.
 * Async-signal-safe. */
bool sampler_yield_signal(int signal, unsigned long wanted);

/* The signals of the sampler that a handler of the program can put off until it returns: one bit each. */
unsigned long sampler_signals(void);

/* For what follows the return addresses of the calling thread: puts the real ones back where the sampler waits for
 * returns, with `hold` in no new place either until the next call of the second function; that waits again, but not in
 * the frames of [low, high), which are left. Async-signal-safe. */
void sampler_put_back(bool hold);
void sampler_put_again(uint64_t low, uint64_t high);

/* No thread is stepped from now on; the recorder prints `why`, a sentence about the process, unless none would have
 * been. Async-signal-safe. */
void sampler_no_steps(const char *why);

/* An unwinder is at work in the calling thread, with its frames above this place: the same until it has been left, or
 * sampler_put_again(). Async-signal-safe. */
void sampler_unwind(uint64_t stack);

/* Returns of the calling thread make no system calls until its next tick. Async-signal-safe. */
void sampler_listen_no_more(void);

/* sigaltstack(stack, before) for the program, which does not see the sampler's. Async-signal-safe. */
int sampler_alternate_stack(const stack_t *stack, stack_t *before);

#endif
