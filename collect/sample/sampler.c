#include "collect/sample/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"
#include "collect/sample/chain.h"
#include "collect/sample/clock_event.h"
#include "collect/sample/host.h"
#include "collect/sample/outside.h"
#include "collect/sample/stack.h"
#include "collect/sample/state.h"
#include "collect/sample/task.h"

enum { SUFFIX_MAX = 1000000, EVENTS_LEVEL = 1 };
static const uint64_t LAZY_NS = UINT64_C(50000000), LAZY_CPU_NS = UINT64_C(10000000);

struct sampler sampler = {.life = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};

void sampler_lock(struct sampler_guard *guard)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel_state);
    signals_block(&guard->mask);
    pthread_mutex_lock(&sampler.lock);
}

bool sampler_try_lock(struct sampler_guard *guard)
{
    signals_block(&guard->mask);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel_state);
    if (pthread_mutex_trylock(&sampler.lock) == 0)
        return true;
    signals_restore(&guard->mask);
    pthread_setcancelstate(guard->cancel_state, NULL);
    return false;
}

void sampler_unlock(const struct sampler_guard *guard)
{
    pthread_mutex_unlock(&sampler.lock);
    signals_restore(&guard->mask);
    pthread_setcancelstate(guard->cancel_state, NULL);
}

bool sampler_try_lock_in_handler(struct sampler_guard *guard)
{
    signals_block(&guard->mask);
    if (pthread_mutex_trylock(&sampler.lock) == 0)
        return true;
    signals_restore(&guard->mask);
    return false;
}

void sampler_unlock_in_handler(const struct sampler_guard *guard)
{
    pthread_mutex_unlock(&sampler.lock);
    signals_restore(&guard->mask);
}

static bool sampler_is_running(void)
{
    return atomic_load(&sampler.state) == SAMPLER_RUNNING;
}

static bool sampler_counts_events(void)
{
    return sampler.source == SOURCE_PMU;
}

bool sampler_active(void)
{
    return atomic_load(&sampler.state) == SAMPLER_RUNNING && task_process() == sampler.process;
}

/* ---------------------------------------------------------------------------- begin -- */

void sampler_describe_source(json_t *metadata, enum sampler_source wanted, enum sampler_source source, int error)
{
    char reason[160];
    snprintf(reason, sizeof reason, "%s: perf_event_open: %s", sampler_source_name(wanted), strerrordesc_np(error));
    if (error)
        json_object_set_new(metadata, "source_reason", json_string(reason));
    json_object_set_new(metadata, "source", json_string(sampler_source_name(source)));
    if (source != SOURCE_EXTERNAL)
        json_object_set_new(metadata, "interval_clock", json_string(source == SOURCE_TIMER_THREAD ? "wall" : "cpu"));
}

/* The first free name: a process that has executed another program finds its earlier trace there. */
static unsigned sampler_find_free_path(void)
{
    unsigned suffix = 0;
    do {
        int length = snprintf(sampler.path, sizeof sampler.path, "%s/%s-%d", sampler.config.directory,
                              sampler.config.prefix, (int)sampler.process);
        snprintf(sampler.path + length, sizeof sampler.path - (size_t)length, suffix ? ".%u.trace" : ".trace", suffix);
    } while (access(sampler.path, F_OK) == 0 && ++suffix < SUFFIX_MAX);
    return suffix;
}

/* The process that writes traces of native programs may find late what this process was before an exec. */
static const char *sampler_next_path(void *nothing)
{
    (void)nothing;
    sampler_find_free_path();
    return sampler.path;
}

static json_t *sampler_describe(void)
{
    json_t *metadata = json_copy(sampler.config.metadata);
    if (!metadata)
        metadata = json_object();
    json_object_set_new(metadata, "collector", json_string(sampler.hooks.collector));
    host_describe(metadata);
    sampler_describe_source(metadata, sampler.config.source, sampler.source, sampler.source_error);
    if (sampler.config.watch.wanted)
        json_object_set_new(metadata, "kernel_accesses", json_string(watch_kernel_name(watch_kernel())));
    if (sampler.extra)
        json_object_update(metadata, sampler.extra);
    return metadata;
}

static void sampler_on_writer_start(void *user)
{
    sampler_thread_ignore();
    sem_post(&sampler.writer_known);
    if (sampler.hooks.on_start)
        sampler.hooks.on_start(user);
}

static int sampler_create_trace(void)
{
    /* The file itself is created later: errors must be reported now. */
    if (access(sampler.config.directory, W_OK | X_OK) != 0) {
        snprintf(sampler.path, sizeof sampler.path, "%s", sampler.config.directory);
        return errno;
    }
    json_t *metadata = sampler_describe();
    unsigned suffix = sampler_find_free_path();
    /* A process other than the command itself must not repeat the command's draws: a script's short children would all
     * be sampled at the same places. */
    uint64_t key =
        sampler.config.recorder_pid && getppid() == sampler.config.recorder_pid ? 0 : (uint64_t)sampler.process;
    sampler.seed = rng_mix(rng_mix(sampler.config.seed, key), suffix);
    char seed[32];
    snprintf(seed, sizeof seed, "0x%016llx", (unsigned long long)sampler.seed);
    json_object_set_new(metadata, "process_seed", json_string(seed));
    struct trace_writer_options options = {
        .describe = sampler.hooks.describe,
        .on_start = sampler_on_writer_start,
        .on_end = sampler.hooks.on_end,
        .on_cycle = sampler.hooks.on_cycle,
        .next_path = sampler_next_path,
        .user = sampler.hooks.user,
        .lazy_ns = sampler.hooks.events_only                  ? UINT64_MAX
                   : sampler.config.source == SOURCE_EXTERNAL ? 0
                                                              : LAZY_NS,
        .lazy_cpu_ns = sampler.hooks.events_only ? 0 : LAZY_CPU_NS,
        /* Times of events are barely repetitive: a third of the work of level 3 gives 5 % more bytes. */
        .level = sampler.hooks.events_only ? EVENTS_LEVEL : 0,
    };
    sem_init(&sampler.writer_known, 0, 0);
    bool before = helper_mark(true);
    int error = trace_create(sampler.path, metadata, &options, &sampler.writer);
    helper_mark(before);
    json_decref(metadata);
    return error;
}

static int sampler_start_clocks(void)
{
    if (sampler.source == SOURCE_EXTERNAL) {
        atomic_store(&sampler.state, SAMPLER_RUNNING);
        return 0;
    }
    int error = handler_install();
    if (error)
        return error;
    struct sampler_guard guard;
    sampler_lock(&guard);
    atomic_store(&sampler.state, SAMPLER_RUNNING);
    if (!sampler.board)
        task_prepare();
    error = sampler.board ? 0 : scanner_start();
    /* Last, so that as little as possible of this counts as the program's. */
    attach_thread(task_self());
    sampler_unlock(&guard);
    return error;
}

int sampler_begin(void)
{
    /* The CPU time that the previous program of this process has used and recorded: "PID:NS". */
    const char *recorded = getenv(SAMPLER_RECORDED_ENVIRONMENT);
    char *end;
    sampler.process = task_process();
    sampler.thread_count = sampler.late_ns = 0;
    sampler.paused = sampler.fallback_reported = false;
    sampler.cpu_recorded_ns = 0;
    if (recorded && strtol(recorded, &end, 10) == (long)sampler.process && *end == ':')
        sampler.cpu_recorded_ns = strtoull(end + 1, NULL, 10);
    atomic_store(&sampler.stretch, 1);
    atomic_store(&sampler.units_per_ns, sampler.config.pmu_events_per_ns);
    int error = *sampler.config.pool && sampler.hooks.outside ? outside_begin() : ENOENT;
    if (error)
        error = sampler_create_trace();
    if (error) {
        sampler_report("%s: %s; this process is not recorded", sampler.path, strerrordesc_np(error));
        sampler.writer = NULL;
        return error;
    }
    error = sampler_start_clocks();
    if (error) {
        sampler_report("no sampling thread or signal: %s; this process is not sampled", strerrordesc_np(error));
        sampler_stop();
    }
    return error;
}

int sampler_start(const struct sampler_config *config, const struct sampler_hooks *hooks, const json_t *extra)
{
    if (atomic_load(&sampler.state) != SAMPLER_IDLE)
        return EBUSY;
    sampler.config = *config;
    sampler.config.metadata = json_deep_copy(config->metadata);
    sampler.hooks = *hooks;
    watch_host = (struct watch_host){&sampler.config.watch, hooks->walk,        hooks->function,   hooks->frame,
                                     sampler_counts_events, sampler_is_running, chain_has_handler, handler_traps};
    const json_t *calls = json_object_get(config->metadata, "calls");
    if (config->calls)
        json_decref(meter_prepare(json_object_get(calls, "counters")));
    calls_host = (struct calls_host){
        .walk = hooks->walk,
        .frame = hooks->frame,
        .function = hooks->function,
        .is_own = hooks->is_own,
        .running = sampler_active,
        .traps = handler_traps,
        .returned = handler_returned,
        .arguments = json_is_true(json_object_get(calls, "arguments")),
        .stubs = config->call_stubs,
        .event = config->call_event,
    };
    stubs_report(true);
    bool refused = calls_host.stubs && hooks->no_stubs;
    if (refused)
        handler_never_step();
    sampler.extra = json_deep_copy(extra);
    sampler.source_error = sampler_probe(&sampler.config);
    sampler.source = sampler.source_error ? SOURCE_TIMER_THREAD : sampler.config.source;
    int error = sampler_begin();
    if (refused && !error)
        sampler_note(hooks->no_stubs);
    return error;
}

struct trace_writer *sampler_writer(void)
{
    return sampler.writer;
}

bool sampler_is_recording(void)
{
    return sampler.writer || sampler.board;
}

bool sampler_is_outside(void)
{
    return sampler.board != NULL;
}

/* ---------------------------------------------------------------------------- threads -- */

void sampler_listen_no_more(void)
{
    stubs_listen(NULL);
}

void sampler_thread_begin(void)
{
    if (!sampler_active() || sampler.source == SOURCE_EXTERNAL || sampler_thread_is_internal())
        return;
    struct sampler_guard guard;
    sampler_lock(&guard);
    struct slot *slot = slots_of_tid(task_self());
    if (slot && atomic_load(&slot->ended)) { /* of an earlier thread, whose number this one has reused */
        slots_release(slot);
        slot = NULL;
    }
    if (!slot && atomic_load(&sampler.state) == SAMPLER_RUNNING)
        attach_thread(task_self());
    sampler_unlock(&guard);
}

uint64_t sampler_seed(void)
{
    return sampler.seed;
}

struct trace_stream *sampler_thread_stream(bool wait)
{
    struct sampler_guard guard;
    if (!sampler_active() || sampler_thread_is_internal())
        return NULL;
    if (wait)
        sampler_lock(&guard);
    else if (!sampler_try_lock(&guard))
        return NULL;
    struct slot *slot = slots_of_tid(task_self());
    struct trace_stream *stream = slot ? atomic_load(&slot->stream) : NULL;
    sampler_unlock(&guard);
    return stream;
}

void sampler_keep_streams(void)
{
    atomic_fetch_add(&sampler.inside, 1);
}

void sampler_thread_end(void)
{
    struct sampler_guard guard;
    if (!sampler_active() || sampler_thread_is_internal())
        return;
    sampler_lock(&guard);
    sampler_put_back(true); /* a stub that stays is not used again */
    struct slot *slot = slots_of_tid(task_self());
    if (slot && atomic_load(&sampler.state) == SAMPLER_RUNNING)
        attach_end(slot);
    if (slot && sampler.board) { /* no scan will miss it */
        stack_withdraw();
        handler_forget_slot();
        slots_release(slot);
    }
    pthread_mutex_unlock(&sampler.lock);
    /* Signals stay blocked except for faults: a thread that unblocks them takes those that were sent to the process,
     * and that the kernel has just woken another thread for. */
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t open;
    sigemptyset(&open);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (sigismember(&guard.mask, faults[i]) == 0)
            sigaddset(&open, faults[i]);
    signals_mask(SIG_UNBLOCK, &open, NULL);
}

static void sampler_count_sampled(struct slot *slot, void *user)
{
    *(size_t *)user += atomic_load(&slot->stream) != NULL;
}

bool sampler_has_one_thread(void)
{
    struct sampler_guard guard;
    size_t count = 0;
    if (!sampler_active() || sampler.board)
        return false;
    if (sampler.source == SOURCE_EXTERNAL) {
        /* With source `external`, besides the writer's. A thread that has been joined remains there for a moment. */
        enum { TRIES = 20, NONE = 2, ALONE = NONE + 2 }; /* links of the directory */
        struct stat tasks;
        for (int i = 0; i < TRIES && stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink <= ALONE + 1; i++) {
            if (tasks.st_nlink <= ALONE)
                return true;
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        }
        return false;
    }
    sampler_lock(&guard);
    slots_each(sampler_count_sampled, &count);
    sampler_unlock(&guard);
    return count == 1;
}

void sampler_thread_ignore(void)
{
    struct sampler_guard guard;
    helper_mark(true);
    sampler_lock(&guard);
    attach_ignore(task_self());
    sampler_unlock(&guard);
}
