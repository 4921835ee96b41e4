/*
 * Beginning and end of the recording in a process.
 */
#include "collect/methods/methods.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/system_call.h"
#include "collect/methods/collection.h"
#include "collect/methods/thread.h"
#include "collect/pool/pool.h"
#include "collect/sample/sampler.h"
#include "collect/sample/task.h"

/* What makes events of the records if no other process does; the lock is held meanwhile. */
static struct collection *collection;
static pthread_mutex_t collecting = PTHREAD_MUTEX_INITIALIZER;

/* What methods_begin() got, as text; also for the children of forks. */
static char described[ABOUT_TEXT_BYTES];
static size_t described_bytes;

bool methods_wanted(const json_t *configuration)
{
    const char *mode = json_string_value(json_object_get(configuration, "mode"));
    return mode && strcmp(mode, "methods") == 0;
}

/* ---------------------------------------------------------------------------- begin -- */

static bool methods_is_chosen(void *nothing, uint64_t method)
{
    (void)nothing;
    return methods.hooks.chosen(method);
}

static void methods_give_up(void *nothing, uint64_t method)
{
    (void)nothing;
    methods.hooks.given_up(method);
}

static void methods_report(void *nothing, const char *text)
{
    (void)nothing;
    sampler_report("%s", text);
}

static void methods_thread_end(void *nothing, const struct collected *thread, uint64_t *ns, uint64_t *cpu_ns)
{
    (void)nothing;
    if (task_cpu_ns(thread->tid, cpu_ns))
        *ns = clock_ns(CLOCK_MONOTONIC);
}

/* Probes only add to the beginning of the list. */
static void methods_forget_thread(void *nothing, struct collected *gone)
{
    struct methods_thread *thread = gone->user, *head = thread;
    (void)nothing;
    if (!atomic_compare_exchange_strong(&methods.threads, &head, thread->next)) {
        while (head->next != thread)
            head = head->next;
        head->next = thread->next;
    }
    probe_thread_free(thread);
}

json_t *methods_prepare(const struct methods_hooks *hooks, const json_t *configuration)
{
    struct cost cost;
    assert(hooks->role && hooks->pairs);
    methods.hooks = *hooks;
    bool steady = time_prepare();
    json_t *wanted = json_object_get(json_object_get(configuration, "methods"), "counters");
    json_t *extra =
        json_pack("{s:o, s:s}", "counters", counters_prepare(wanted), "event_clock", steady ? "tsc" : "monotonic");
    if (methods.simulated)
        json_object_set_new(extra, "simulated", counters_simulated());
    bool measured = cost_measure(&cost);
    methods.about.pair_ns = measured ? cost.time.pair : 0;
    methods.about.inner_ns = measured ? (uint64_t)(cost.time.exit + 0.5) : 0;
    methods.about.exact_places = hooks->exact_places;
    methods.about.takes_out = hooks->given_up || hooks->passed;
    if (measured) {
        json_t *counters = json_array();
        for (size_t i = 0; i < methods.about.counter_count; i++) {
            const struct cost_of *of = &cost.counters[methods.about.counters[i]];
            /* CPU time and wall time have no cost of their own: it is the time's. */
            bool is_time = methods.about.counters[i] == COUNTER_CPU || methods.about.counters[i] == COUNTER_WALL;
            json_array_append_new(counters, is_time ? json_null()
                                                    : json_pack("{s:f, s:f, s:f, s:f}", "pair", of->pair, "exit",
                                                                of->exit, "lo", of->low, "hi", of->high));
        }
        json_object_set_new(extra, "probe",
                            json_pack("{s:f, s:f, s:f, s:f, s:f, s:o}", "enter_ns", cost.time.pair - cost.time.exit,
                                      "exit_ns", cost.time.exit, "pair_ns", cost.time.pair, "lo_ns", cost.time.low,
                                      "hi_ns", cost.time.high, "counters", counters));
    }
    const struct collection_hooks collection_hooks = {.role = hooks->role,
                                                      .chosen = hooks->chosen ? methods_is_chosen : NULL,
                                                      .given_up = hooks->given_up ? methods_give_up : NULL,
                                                      .report = methods_report,
                                                      .end_of = methods_thread_end,
                                                      .forget = methods_forget_thread};
    collection = collection_new(&collection_hooks, methods.tables, &methods.about, configuration);
    methods.prepared = collection != NULL;
    return extra;
}

static int methods_begin_process(void)
{
    enum { TABLES_BYTES = (sizeof(struct methods_tables) + SHARED_PAGE - 1) / SHARED_PAGE * SHARED_PAGE };
    bool fits = described_bytes < sizeof described;
    methods.process = getpid();
    if (sampler_board() && fits) {
        /* The tables come behind this process's own part of the pool, and the children of forks have them, too, since
         * probes read them: also in a child that nothing has seen. */
        struct methods_tables *tables = (void *)((char *)sampler_board() + POOL_PROCESS_BYTES);
        pool_hand_to_children(tables, TABLES_BYTES);
        memcpy(tables->text, described, described_bytes);
        tables->about = methods.about;
        methods.tables = tables;
        methods.outside = true;
    }
    int error = sampler_board() && !fits ? EMSGSIZE : 0;
    atomic_store(&methods.active, error == 0);
    return error;
}

int methods_begin(const json_t *metadata, uint64_t start_ns)
{
    if (!methods.prepared)
        return ENOMEM;
    methods.about.start_ns = start_ns;
    described_bytes = json_dumpb(metadata, described, sizeof described, JSON_COMPACT);
    return methods_begin_process();
}

void methods_show(void)
{
    if (methods.outside)
        sampler_show_process();
}

bool methods_recording(void)
{
    return atomic_load_explicit(&methods.active, memory_order_relaxed);
}

bool methods_are_outside(void)
{
    return methods.outside;
}

struct methods_tables *methods_tables(void)
{
    return methods.tables;
}

bool methods_lacks_allocated(void)
{
    return methods.about.lacks_allocated;
}

bool methods_given_up(uint64_t method)
{
    return giveup_slot(&methods.tables->giveup, method) >= 0;
}

/* ---------------------------------------------------------------------------- the reader -- */

bool methods_has_recorded(void)
{
    return collection && collection_has_events(collection);
}

static void methods_add_threads(void)
{
    for (struct methods_thread *thread = atomic_load(&methods.threads); thread; thread = thread->next)
        if (!thread->reader)
            thread->reader = collection_add(collection, &(struct collected){.ring = thread->ring,
                                                                            .user = thread,
                                                                            .process = methods.process,
                                                                            .tid = thread->tid,
                                                                            .own_tid = (uint64_t)thread->tid,
                                                                            .began_ns = thread->began_ns});
}

bool methods_collect(void)
{
    if (!methods.prepared || !sampler_writer())
        return false;
    if (methods.simulated)
        methods.simulated->paused = 1; /* for ever: this thread does not belong to the program */
    pthread_mutex_lock(&collecting);
    bool last = atomic_exchange(&methods.ending, false);
    methods_add_threads();
    assert(collection);
    collection_set_writer(collection, sampler_writer());
    collection_collect(collection, last);
    pthread_mutex_unlock(&collecting);
    return last;
}

void methods_report_cost(struct trace_stream *stream, uint64_t start_ns)
{
    collection_report_cost(stream, start_ns, VM_WRITER);
}

void methods_forget(void)
{
    collection_forget(collection);
}

void methods_wait_for_reader(void)
{
    enum { CYCLES = 2, PATIENCE_NS = 1000000000 }; /* the first may have been under way */
    struct methods_tables *tables = methods.tables;
    uint64_t wanted = atomic_load(&tables->cycles) + CYCLES, until = 0, before = 0, now;
    int saved = errno;
    if (!atomic_load(&methods.threads)) /* nor has the reader anything to read */
        return;
    while (atomic_load(&tables->cycles) < wanted && methods_has_reader() && getpid() == methods.process) {
        uint64_t progress = atomic_load(&tables->cycles) + atomic_load(&tables->taken);
        now = clock_ns(CLOCK_MONOTONIC);
        if (until == 0 || progress != before)
            until = now + PATIENCE_NS;
        before = progress;
        if (now >= until) {
            atomic_fetch_add(&tables->hasty, 1);
            break;
        }
        methods_wake();
        system_call(SYS_nanosleep, (long)&(struct timespec){.tv_nsec = 50000}, 0, 0, 0, 0, 0);
    }
    errno = saved;
}

/* ---------------------------------------------------------------------------- end and exec -- */

/* When the recording of each thread ends, for a reader that comes later. `over` false: it goes on after all. */
static void methods_note_ends(bool over)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC), cpu;
    for (struct methods_thread *thread = atomic_load(&methods.threads); thread; thread = thread->next)
        if (thread->part && (!over || task_cpu_ns(thread->tid, &cpu))) {
            atomic_store(&thread->part->last_cpu_ns, over ? cpu : 0);
            atomic_store(&thread->part->last_ns, over ? now : 0);
        }
}

void methods_end(void)
{
    if (!methods.prepared || getpid() != methods.process || !atomic_exchange(&methods.active, false))
        return;
    if (methods.outside)
        methods_note_ends(true);
    else
        atomic_store(&methods.ending, true);
}

void methods_before_exec(void)
{
    if (!methods.outside)
        methods_end();
    else if (methods_recording() && getpid() == methods.process)
        methods_note_ends(true);
}

void methods_exec_failed(void)
{
    if (!methods.prepared || getpid() != methods.process)
        return;
    if (methods.outside) {
        methods_note_ends(false);
        return;
    }
    pthread_mutex_lock(&collecting);
    collection_reenter(collection);
    atomic_store(&methods.ending, false);
    atomic_store(&methods.active, true);
    pthread_mutex_unlock(&collecting);
}

bool methods_end_from_handler(unsigned timeout_ms)
{
    if (!methods.prepared || getpid() != methods.process || !methods_has_reader())
        return false;
    methods_end();
    if (methods.outside)
        return true;
    uint64_t asked = trace_ask_seal(sampler_writer()),
             until = clock_ns(CLOCK_MONOTONIC) + timeout_ms * UINT64_C(1000000);
    while (!trace_is_sealed(sampler_writer(), asked) && clock_ns(CLOCK_MONOTONIC) < until)
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 50000}, NULL);
    return trace_is_sealed(sampler_writer(), asked);
}

/* ---------------------------------------------------------------------------- fork -- */

/* Since methods_before_fork(). Where another process reads rings, the child has none of its parent's. */
static struct {
    bool held;
    bool outside, active;
    bool recorded;            /* by this thread, … */
    uint64_t mark;            /* … which has announced the fork by this number */
    struct hardware hardware; /* counts the parent's thread */
    unsigned count;           /* of forks */
} forking;

void methods_before_fork(bool (*take)(pthread_mutex_t *lock))
{
    forking.held = methods.prepared && !methods.outside && take(&collecting);
    forking.outside = methods.outside;
    forking.active = methods_recording();
    forking.recorded = false;
    if (methods.outside && sampler_board() && getpid() == methods.process) {
        struct methods_thread *thread = probe_self();
        forking.recorded = thread && thread->ring && methods_recording();
        forking.mark = 0;
        if (!forking.recorded)
            return;
        forking.hardware = thread->hardware;
        forking.mark = rng_mix(rng_mix(sampler_board()->start_ns, (uint64_t)methods.process), ++forking.count) | 1;
        methods_mark(MARK_FORK, 0, forking.mark);
        methods_wake(); /* the child's records wait for it */
    }
}

void methods_after_fork_in_parent(void)
{
    if (forking.held)
        pthread_mutex_unlock(&collecting);
}

void methods_after_fork_in_child(void)
{
    if (!methods.prepared)
        return;
    pthread_mutex_init(&collecting, NULL);
    if (methods.outside) {
        /* What the threads had is zero; the calling thread's is given back. */
        struct methods_thread *thread = probe_self();
        if (thread && thread != &probe_refused)
            munmap(thread, sizeof *thread);
        hardware_close(&forking.hardware);
        probe_set_self(NULL);
        atomic_store(&methods.threads, NULL);
        atomic_store(&methods.active, false);
        methods.tables = &methods_own_tables;
        methods.outside = false;
    } else if (forking.held) {
        /* The writer had its hands off what the child has inherited. */
        struct methods_thread *thread = probe_self();
        methods.process = getpid();
        atomic_store(&methods.tables->hasty, 0);
        atomic_store(&methods.threads, thread);
        if (thread && !thread->reader)
            methods_add_threads();
        collection_inherit(collection, thread ? thread->reader : NULL);
        if (thread) {
            memset(thread->counted, 0, sizeof thread->counted);
            hardware_close(&thread->hardware); /* they count the parent's thread */
            probe_open_hardware(thread);
            if (thread->rseq)
                thread->rseq->rseq_cs = 0; /* the child's CPU time begins at 0 */
            thread->tid = (pid_t)syscall(SYS_gettid);
            thread->next = NULL;
        }
    } else { /* the writer was at work on what is inherited */
        atomic_store(&methods.active, false);
        methods.prepared = false;
    }
}

void methods_begin_in_child(void)
{
    if (!methods.prepared || !forking.outside || !forking.active || !sampler_is_recording())
        return;
    methods.about.forked = true;
    methods.about.fork = forking.recorded ? forking.mark : 0;
    methods.about.start_ns = 0;
    if (methods_begin_process() == 0 && methods.outside && forking.recorded)
        probe_attach();
}
