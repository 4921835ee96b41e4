#include "collect/engine/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "collect/engine/engine.h"
#include "collect/engine/host.h"
#include "collect/engine/perf.h"
#include "collect/engine/task.h"

enum { SUFFIX_MAX = 1000000 };
static const uint64_t LAZY_NS = UINT64_C(50000000);

struct engine engine = {.life = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};

/* Threads of the engine's own, and threads while they start one: for collectors that interpose pthread_create. */
static _Thread_local bool internal;

/* ---------------------------------------------------------------------------- helpers -- */

void engine_lock(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    pthread_mutex_lock(&engine.lock);
}

void engine_unlock(const sigset_t *before)
{
    pthread_mutex_unlock(&engine.lock);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

int engine_spawn(struct helper *helper, void *(*run)(void *), const char *name)
{
    sigset_t all, before;
    if (helper->running)
        return 0;
    sem_init(&helper->wake, 0, 0);
    atomic_store(&helper->stop, false);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool was = internal;
    internal = true;
    int error = pthread_create(&helper->thread, NULL, run, helper);
    internal = was;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    helper->running = error == 0;
    if (!error)
        pthread_setname_np(helper->thread, name);
    return error;
}

void engine_join(struct helper *helper)
{
    if (!helper->running)
        return;
    atomic_store(&helper->stop, true);
    sem_post(&helper->wake);
    pthread_join(helper->thread, NULL);
    helper->running = false;
}

void engine_wait(struct helper *helper, uint64_t until_ns)
{
    struct timespec at = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};
    sem_clockwait(&helper->wake, CLOCK_MONOTONIC, &at);
}

bool sampler_thread_is_internal(void)
{
    return internal;
}

/* ---------------------------------------------------------------------------- begin -- */

/* In the clock's own unit. */
static void set_pace(void)
{
    const struct sampler_config *config = &engine.config;
    engine.period = config->period_ns;
    engine.spread = config->spread_ns;
    if (engine.source != SOURCE_PMU || config->pmu_events_per_ns <= 0)
        return;
    double period = (double)config->period_ns * config->pmu_events_per_ns;
    engine.period = period < 1 ? 1 : (uint64_t)period;
    engine.spread = (uint64_t)((double)config->spread_ns * config->pmu_events_per_ns);
    if (engine.spread >= engine.period)
        engine.spread = engine.period - 1;
}

static void explain_fallback(json_t *metadata, int error)
{
    char reason[160];
    snprintf(reason, sizeof reason, "%s: perf_event_open: %s", sampler_source_name(engine.config.source),
             strerrordesc_np(error));
    json_object_set_new(metadata, "source_reason", json_string(reason));
}

static void choose_source(json_t *metadata)
{
    int error = sampler_probe(&engine.config);
    engine.source = error ? SOURCE_TIMER_THREAD : engine.config.source;
    if (error)
        explain_fallback(metadata, error);
    json_object_set_new(metadata, "source", json_string(sampler_source_name(engine.source)));
    if (engine.source != SOURCE_EXTERNAL)
        json_object_set_new(metadata, "interval_clock",
                            json_string(engine.source == SOURCE_TIMER_THREAD ? "wall" : "cpu"));
    set_pace();
}

/* A process that is not the command itself must not repeat the command's draws: a script's short children would all
 * be looked at in the same places. */
static uint64_t process_seed(unsigned suffix)
{
    uint64_t key = engine.config.recorder_pid && getppid() == engine.config.recorder_pid ? 0 : (uint64_t)engine.process;
    return draw_mix(draw_mix(engine.config.seed, key), suffix);
}

/* The first free name: a process that has executed another program finds its earlier trace there. */
static unsigned free_path(void)
{
    unsigned suffix = 0;
    do {
        int length = snprintf(engine.path, sizeof engine.path, "%s/%s-%d", engine.config.directory,
                              engine.config.prefix, (int)engine.process);
        snprintf(engine.path + length, sizeof engine.path - (size_t)length, suffix ? ".%u.trace" : ".trace", suffix);
    } while (access(engine.path, F_OK) == 0 && ++suffix < SUFFIX_MAX);
    return suffix;
}

/* What the program that this process ran before has used and recorded: "PID:NS". */
static uint64_t recorded_before(void)
{
    const char *text = getenv(SAMPLER_RECORDED_ENVIRONMENT);
    char *end;
    if (!text || strtol(text, &end, 10) != (long)engine.process || *end != ':')
        return 0;
    return strtoull(end + 1, NULL, 10);
}

static json_t *describe(void)
{
    json_t *metadata = json_copy(engine.config.metadata);
    if (!metadata)
        metadata = json_object();
    json_object_set_new(metadata, "collector", json_string(engine.hooks.collector));
    host_describe(metadata);
    choose_source(metadata);
    if (engine.extra)
        json_object_update(metadata, engine.extra);
    return metadata;
}

static void on_writer_start(void *user)
{
    sampler_thread_ignore();
    if (engine.hooks.on_start)
        engine.hooks.on_start(user);
}

static int create_trace(void)
{
    json_t *metadata = describe();
    unsigned suffix = free_path();
    engine.seed = process_seed(suffix);
    char seed[32];
    snprintf(seed, sizeof seed, "0x%016llx", (unsigned long long)engine.seed);
    json_object_set_new(metadata, "process_seed", json_string(seed));
    struct trace_writer_options options = {
        .describe = engine.hooks.describe,
        .on_start = on_writer_start,
        .on_end = engine.hooks.on_end,
        .user = engine.hooks.user,
        .lazy_ns = engine.config.source == SOURCE_EXTERNAL ? 0 : LAZY_NS,
    };
    internal = true;
    int error = trace_create(engine.path, metadata, &options, &engine.writer);
    internal = false;
    json_decref(metadata);
    return error;
}

static int start_clocks(void)
{
    if (engine.source == SOURCE_EXTERNAL) {
        atomic_store(&engine.state, ENGINE_RUNNING);
        return 0;
    }
    int error = engine_install_handler();
    if (error)
        return error;
    sigset_t before;
    engine_lock(&before);
    atomic_store(&engine.state, ENGINE_RUNNING);
    if (!slots_of_tid(task_self()))
        engine_attach(task_self());
    engine_unlock(&before);
    return engine_start_scanner();
}

/* With engine.config, hooks and extra in place. */
static int begin(void)
{
    engine.process = task_process();
    engine.thread_count = engine.late_ns = 0;
    engine.paused = engine.fallback_told = false;
    engine.cpu_recorded_ns = recorded_before();
    int error = create_trace();
    if (error) {
        fprintf(stderr, "assay: %s: %s; this process is not recorded\n", engine.path, strerrordesc_np(error));
        engine.writer = NULL;
        return error;
    }
    error = start_clocks();
    if (error) {
        fprintf(stderr, "assay: no sampling thread or signal: %s; this process is not sampled\n",
                strerrordesc_np(error));
        sampler_stop();
    }
    return error;
}

int sampler_start(const struct sampler_config *config, const struct sampler_hooks *hooks, const json_t *extra)
{
    if (atomic_load(&engine.state) != ENGINE_IDLE)
        return EBUSY;
    engine.config = *config;
    engine.config.metadata = json_deep_copy(config->metadata);
    engine.hooks = *hooks;
    engine.extra = json_deep_copy(extra);
    return begin();
}

struct trace_writer *sampler_writer(void)
{
    return engine.writer;
}

/* ---------------------------------------------------------------------------- threads -- */

/* In a vfork child all of this memory is its parent's. */
static bool active(void)
{
    return atomic_load(&engine.state) == ENGINE_RUNNING && task_process() == engine.process;
}

void sampler_thread_begin(void)
{
    if (!active() || engine.source == SOURCE_EXTERNAL || internal)
        return;
    sigset_t before;
    engine_lock(&before);
    struct slot *slot = slots_of_tid(task_self());
    if (slot && atomic_load(&slot->ended)) { /* of a thread before, whose number this one has got */
        slots_release(slot);
        slot = NULL;
    }
    if (!slot && atomic_load(&engine.state) == ENGINE_RUNNING)
        engine_attach(task_self());
    engine_unlock(&before);
}

void sampler_thread_end(void)
{
    sigset_t before;
    if (!active() || internal)
        return;
    engine_lock(&before);
    struct slot *slot = slots_of_tid(task_self());
    if (slot && atomic_load(&engine.state) == ENGINE_RUNNING)
        engine_detach(slot);
    engine_unlock(&before);
}

void sampler_thread_ignore(void)
{
    sigset_t before;
    internal = true;
    engine_lock(&before);
    engine_ignore(task_self());
    engine_unlock(&before);
}

/* ---------------------------------------------------------------------------- seal and stop -- */

static void refresh(struct slot *slot, void *user)
{
    (void)user;
    engine_refresh(slot, true);
}

int engine_seal(void)
{
    sigset_t before;
    engine_lock(&before);
    slots_each(refresh, NULL);
    engine_unlock(&before);
    return engine.writer ? trace_seal(engine.writer) : 0;
}

int sampler_seal(void)
{
    if (!active())
        return 0;
    pthread_mutex_lock(&engine.life);
    int error = engine_seal();
    pthread_mutex_unlock(&engine.life);
    return error;
}

bool sampler_seal_from_handler(unsigned timeout_ms)
{
    if (!active() || !engine.scanner.running)
        return false;
    uint64_t mine = atomic_fetch_add(&engine.seals_wanted, 1) + 1;
    sem_post(&engine.scanner.wake);
    for (unsigned waited = 0; waited < timeout_ms; waited++) {
        if (atomic_load(&engine.seals_done) >= mine)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return false;
}

static void detach(struct slot *slot, void *user)
{
    (void)user;
    engine_detach(slot);
    slots_release(slot);
}

/* Handlers at work in other threads finish in microseconds; one that does not (its thread is stopped by a debugger)
 * must not hold the process back. */
static bool wait_for_handlers(void)
{
    for (unsigned i = 0; i < 10000 && atomic_load(&engine.inside) > 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    return atomic_load(&engine.inside) == 0;
}

static int stop(void)
{
    engine_join(&engine.scanner);
    engine_join(&engine.ticker);
    bool quiet = wait_for_handlers();
    sigset_t before;
    engine_lock(&before);
    slots_each(detach, NULL);
    engine_unlock(&before);
    /* Without quiet the memory has to stay. */
    int error = !engine.writer ? 0 : quiet ? trace_finish(engine.writer) : trace_seal(engine.writer);
    engine.writer = NULL;
    return error;
}

int sampler_stop(void)
{
    if (!active())
        return 0;
    pthread_mutex_lock(&engine.life);
    int error = 0;
    if (atomic_load(&engine.state) == ENGINE_RUNNING) {
        atomic_store(&engine.state, ENGINE_STOPPING);
        error = stop();
        atomic_store(&engine.state, ENGINE_IDLE);
    }
    pthread_mutex_unlock(&engine.life);
    return error;
}

/* ---------------------------------------------------------------------------- exec and fork -- */

static void pause_clocks(bool pause)
{
    sigset_t before;
    engine_lock(&before);
    engine.paused = pause;
    struct slot *slot = slots_of_tid(task_self());
    int fd = slot ? atomic_load(&slot->fd) : -1;
    if (fd >= 0 && pause)
        perf_disable(fd);
    else if (fd >= 0)
        perf_enable(fd);
    engine_unlock(&before);
}

void sampler_before_exec(char *recorded, size_t size)
{
    if (size > 0)
        recorded[0] = '\0';
    if (!active())
        return;
    pause_clocks(true);
    sampler_seal();
    uint64_t cpu;
    if (access(engine.path, F_OK) == 0 && task_cpu_ns(engine.process, &cpu))
        snprintf(recorded, size, "%d:%llu", (int)engine.process, (unsigned long long)cpu);
}

void sampler_exec_failed(void)
{
    if (active())
        pause_clocks(false);
}

void sampler_before_fork(void)
{
    if (!active())
        return;
    pthread_mutex_lock(&engine.life);
    pthread_mutex_lock(&engine.lock);
}

void sampler_after_fork_in_parent(void)
{
    if (!active())
        return;
    pthread_mutex_unlock(&engine.lock);
    pthread_mutex_unlock(&engine.life);
}

static void forget(struct slot *slot, void *user)
{
    (void)user;
    int fd = atomic_load(&slot->fd);
    if (fd >= 0)
        perf_close(fd, atomic_load(&slot->tid));
    kept_close(&slot->stat);
}

void sampler_after_fork_in_child(void)
{
    if (atomic_load(&engine.state) == ENGINE_IDLE || !engine.writer)
        return;
    bool sampling = atomic_load(&engine.state) == ENGINE_RUNNING;
    atomic_store(&engine.state, ENGINE_IDLE);
    atomic_store(&engine.inside, 0);
    pthread_mutex_init(&engine.life, NULL);
    pthread_mutex_init(&engine.lock, NULL);
    engine.scanner.running = engine.ticker.running = false;
    atomic_store(&engine.seals_wanted, 0);
    atomic_store(&engine.seals_done, 0);
    slots_each(forget, NULL);
    slots_reset();
    task_forget();
    trace_abandon(engine.writer);
    engine.writer = NULL;
    if (sampling)
        begin();
}
