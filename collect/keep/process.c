#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/keep/state.h"
#include "collect/sample/host.h"

enum { SUFFIX_MAX = 1000000 };
static const uint64_t LEAST_NS = UINT64_C(50000000), LEAST_CPU_NS = UINT64_C(10000000);

/* ---------------------------------------------------------------------------- which process it is -- */

bool process_is_over(const struct process *process)
{
    return atomic_load(&process->board->state) == POOL_ENDED;
}

/* In mode methods its threads may still be about to write into the pool, until there are none. */
bool process_has_ended(const struct process *process)
{
    bool gone = process->pidfd < 0 && (process->pid <= 0 || (kill(process->pid, 0) != 0 && errno == ESRCH));
    return process->died || process->superseded || gone ||
           (!process->events && !process->finished && process_is_over(process));
}

uint64_t process_cpu_ns(const struct process *process)
{
    clockid_t clock;
    struct timespec now;
    if (process->pid <= 0 || clock_getcpuclockid(process->pid, &clock) != 0 || clock_gettime(clock, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void process_free(struct process *process)
{
    assert(!process->threads && !process->writer);
    if (process->pidfd >= 0)
        close(process->pidfd);
    code_free(&process->code);
    events_free(process->events);
    tasks_forget(process);
    free(process->exe);
    free(process->called);
    free(process->path);
    free(process);
}

/* Programs that executed others, and CPU time that is in their traces: the next program of the process goes on there.
 */
enum { PAST_MAX = 256 };
static struct past {
    int32_t pid;
    uint64_t namespace, cpu_ns;
} past[PAST_MAX];

static struct past *process_past(const struct process *process)
{
    return &past[(uint32_t)process->own_pid % PAST_MAX];
}

/* What the process was before an exec. It may be found later than what it has become: false then, as this is over. */
static bool process_end_predecessor(struct process *process)
{
    struct process *other = keeper.processes;
    while (other && (other->superseded || other->own_pid != process->own_pid || other->namespace != process->namespace))
        other = other->next;
    if (other && other->start_ns > process->start_ns)
        return false;
    if (other && other->events)
        other->superseded = true;
    else if (other)
        process_end(other);
    struct past *known = process_past(process);
    if (known->pid == process->own_pid && known->namespace == process->namespace)
        process->recorded_ns = known->cpu_ns;
    known->pid = 0;
    return true;
}

struct process *process_begin(uint32_t number, struct pool_process *board)
{
    struct process *process = calloc(1, sizeof *process);
    if (!process)
        return NULL;
    assert(number > 0 && number < POOL_EXTENTS_MAX);
    process->number = number;
    process->board = board;
    process->pidfd = -1;
    /* What is in the pool can be changed by its process: what is read more than once is copied. */
    process->start_ns = board->start_ns;
    process->own_pid = board->pid;
    process->namespace = board->namespace;
    process->exe_device = board->exe_device;
    process->exe_inode = board->exe_inode;
    process->exe = strndup(board->exe, POOL_PATH_MAX - 1);
    process->called = strndup(board->arguments, POOL_ARGUMENTS_MAX - 1);
    if (!process->exe || !process->called || (keeper.methods && !(process->events = events_new(process)))) {
        process_free(process);
        return NULL;
    }
    bool newest = process_end_predecessor(process);
    process->pid = tasks_pid(board);
    struct epoll_event end = {.events = EPOLLIN, .data.ptr = process};
    process->pidfd = process->pid > 0 ? (int)syscall(SYS_pidfd_open, process->pid, 0) : -1;
    process->died = !newest || process->pid <= 0 || (process->pidfd < 0 && errno == ESRCH);
    if (process->pidfd >= 0 && epoll_ctl(keeper.ends, EPOLL_CTL_ADD, process->pidfd, &end) != 0) {
        close(process->pidfd);
        process->pidfd = -1;
    }
    pthread_mutex_lock(&keeper.lock);
    process->next = keeper.processes;
    keeper.processes = process;
    pthread_mutex_unlock(&keeper.lock);
    return process;
}

void process_add_thread(struct process *process, uint32_t number, struct pool_thread *shared)
{
    struct thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return;
    assert(number > 0 && !process->finished);
    thread->number = number;
    thread->shared = shared;
    thread->schedstat = thread->stat = -1;
    thread->tid = tasks_tid(process, shared->tid);
    /* In the order in which they began. */
    struct thread **link = &process->threads;
    while (*link && (*link)->shared->first_ns > shared->first_ns)
        link = &(*link)->next;
    pthread_mutex_lock(&keeper.lock);
    thread->next = *link;
    *link = thread;
    pthread_mutex_unlock(&keeper.lock);
}

/* ---------------------------------------------------------------------------- its trace -- */

static struct trace_stream *thread_stream(const struct thread *thread)
{
    return (struct trace_stream *)(void *)thread->shared->stream;
}

/* The thread's name and times, as it and /proc report them. now_ns 0: those of its end. */
static void thread_update_feed(struct thread *thread, uint64_t now_ns)
{
    char name[POOL_NAME_WORDS * sizeof(uint64_t) + 1] = "";
    struct pool_thread *shared = thread->shared;
    for (size_t i = 0; i < POOL_NAME_WORDS; i++) {
        uint64_t word = atomic_load(&shared->name[i]);
        memcpy(name + i * sizeof word, &word, sizeof word);
    }
    uint64_t cpu = atomic_load(&shared->last_cpu_ns), last = atomic_load(&shared->last_ns);
    if (thread->cpu_ns > cpu)
        cpu = thread->cpu_ns;
    if (last > thread->reported_ns)
        thread->reported_ns = last;
    if (now_ns > thread->reported_ns)
        thread->reported_ns = now_ns;
    assert(thread->feed && thread->reported_ns >= last);
    const struct trace_thread_update update = {
        name, ROLE_NATIVE, shared->first_ns, shared->first_cpu_ns, thread->reported_ns, cpu};
    trace_feed_update(thread->feed, &update);
}

/* A thread has ended, or its process has. */
static void process_update_last(void *user, struct trace_feed *feed)
{
    for (struct thread *thread = ((struct process *)user)->threads; thread; thread = thread->next)
        if (thread->feed == feed)
            thread_update_feed(thread, 0);
}

/* A process that has executed another program finds its earlier trace there. */
int process_create(struct process *process, struct trace_writer_options *options, const json_t *extra)
{
    const struct pool_process *board = process->board;
    char path[sizeof keeper.config.directory + 256], arguments[POOL_ARGUMENTS_MAX + 1], seed[32];
    assert(!process->writer && !process->path);
    json_t *metadata = json_deep_copy(keeper.metadata);
    if (!metadata)
        return ENOMEM;
    size_t bytes = board->arguments_bytes;
    bytes = bytes > POOL_ARGUMENTS_MAX ? POOL_ARGUMENTS_MAX : bytes;
    memcpy(arguments, board->arguments, bytes);
    arguments[bytes] = '\0';
    host_describe_process(metadata, process->own_pid, process->exe, arguments, bytes);
    host_describe_start(metadata, board->start_ns, board->start_realtime);
    unsigned source = board->source <= SOURCE_EXTERNAL ? board->source : SOURCE_TIMER_THREAD;
    sampler_describe_source(metadata, keeper.config.source, source, board->source_error);
    if (keeper.config.watch.wanted)
        json_object_set_new(metadata, "kernel_accesses", json_string(watch_kernel_name(board->kernel_accesses)));
    snprintf(seed, sizeof seed, "0x%016llx", (unsigned long long)board->seed);
    json_object_set_new(metadata, "process_seed", json_string(seed));
    if (extra)
        json_object_update(metadata, (json_t *)(uintptr_t)extra);
    int error = EEXIST;
    for (unsigned suffix = 0; error == EEXIST && suffix < SUFFIX_MAX; suffix++) {
        int length = snprintf(path, sizeof path, "%s/%s-%d", keeper.config.directory, keeper.config.prefix,
                              (int)process->own_pid);
        snprintf(path + length, sizeof path - (size_t)length, suffix ? ".%u.trace" : ".trace", suffix);
        /* Traces of processes with the same number in other namespaces may not be files yet. */
        bool reserved = false;
        for (const struct process *other = keeper.processes; other && !reserved; other = other->next)
            reserved = other->path && strcmp(other->path, path) == 0;
        if (!reserved && access(path, F_OK) != 0)
            error = trace_create(path, metadata, options, &process->writer);
    }
    json_decref(metadata);
    process->path = error ? NULL : strdup(path);
    return error;
}

/* The list begins with the newest. */
static void process_open_feeds(struct process *process, struct thread *thread)
{
    if (!thread)
        return;
    process_open_feeds(process, thread->next);
    if (thread->feed)
        return;
    if (trace_feed_open(process->writer, thread_stream(thread), POOL_RING_BYTES, (uint64_t)thread->shared->tid, "",
                        ROLE_NATIVE, &thread->feed) != 0)
        return;
    thread_update_feed(thread, 0);
    /* CPU time from before the thread had a clock, as the number of samples that it would have given. */
    assert(keeper.config.period_ns > 0);
    uint64_t before = thread->shared->first_cpu_ns, period = keeper.config.period_ns;
    bool continues = thread->shared->tid == process->own_pid && process->recorded_ns <= before;
    process->late_ns += before - (continues ? process->recorded_ns : 0);
    if (process->late_ns >= period)
        trace_feed_count_lost(thread->feed, LOST_LATE_ATTACH, process->late_ns / period);
    process->late_ns %= period;
}

/* A process that ends early without a sample leaves no trace. */
static bool process_wants_trace(const struct process *process, uint64_t now_ns)
{
    uint64_t ended = atomic_load(&process->board->ended_ns), until = ended ? ended : now_ns;
    for (const struct thread *thread = process->threads; thread; thread = thread->next)
        if (trace_stream_has_records(thread_stream(thread)))
            return true;
    if (until - process->board->start_ns >= LEAST_NS)
        return true;
    uint64_t cpu = ended ? 0 : process_cpu_ns(process), reported = 0;
    if (cpu > 0)
        return cpu >= LEAST_CPU_NS;
    /* The CPU time of a process that has ended, as far as its threads have reported it. */
    for (const struct thread *thread = process->threads; thread; thread = thread->next) {
        uint64_t last = atomic_load(&thread->shared->last_cpu_ns), first = thread->shared->first_cpu_ns;
        reported += last > first ? last - first : 0;
    }
    return reported >= LEAST_CPU_NS;
}

/* Frees threads from which nothing more will come, and whose process does not use what they have left behind. With
 * `all`, every one: their feeds may be gone with their writer. */
static void process_free_threads(struct process *process, bool all)
{
    for (struct thread **link = &process->threads, *thread; (thread = *link);) {
        bool taken = all               ? true
                     : process->events ? atomic_load(&thread->over)
                                       : thread->feed && trace_feed_is_retired(thread->feed);
        if (!taken || !(all || atomic_load(&thread->shared->released))) {
            link = &thread->next;
            continue;
        }
        pthread_mutex_lock(&keeper.lock);
        *link = thread->next;
        keep_timer_forget_thread(thread);
        pthread_mutex_unlock(&keeper.lock);
        loop_forget(thread->number);
        free(thread);
    }
}

void process_report(const struct process *process, const char *text)
{
    const char *name = *process->called ? process->called : process->exe, *slash = strrchr(name, '/');
    sampler_note_of(&keeper.config, process->own_pid, slash ? slash + 1 : name, text);
}

void process_report_incomplete(const struct process *process, int error)
{
    char text[128];
    snprintf(text, sizeof text, "its trace is not complete: %s", strerrordesc_np(error));
    process_report(process, text);
}

void process_step(struct process *process, uint64_t now_ns, bool all)
{
    if (process->finished)
        return;
    if (process->events) {
        events_step(process);
        process_free_threads(process, false);
        return;
    }
    process->waits = 0;
    for (struct thread *thread = process->threads; thread; thread = thread->next)
        if (!thread->called && atomic_load(&thread->shared->wants_ticks)) {
            thread->called = true;
            keep_timer_call();
        }
    code_take_log(process);
    if (!process->writer && process_wants_trace(process, now_ns)) {
        struct trace_writer_options options = {
            .manual = true, .describe = code_describe, .on_retire = process_update_last, .user = process};
        int error = process_create(process, &options, NULL);
        if (error && !process->reported_error)
            process_report_incomplete(process, error);
        process->reported_error |= error != 0;
    }
    if (!process->writer)
        return;
    process_open_feeds(process, process->threads);
    trace_drain(process->writer, all);
    process_free_threads(process, false);
}

void process_refresh(struct process *process, uint64_t now_ns)
{
    if (!process->writer)
        return;
    for (struct thread *thread = process->threads; thread; thread = thread->next)
        if (thread->feed && !trace_feed_is_retired(thread->feed) && !atomic_load(&thread->shared->released) &&
            !atomic_load(&thread->shared->gone))
            thread_update_feed(thread, now_ns);
}

void process_finish(struct process *process)
{
    if (process->finished)
        return;
    process_step(process, clock_ns(CLOCK_MONOTONIC), false);
    if (process->writer && atomic_load(&process->board->state) == POOL_EXECUTING)
        *process_past(process) =
            (struct past){process->own_pid, process->namespace, atomic_load(&process->board->executes_cpu_ns)};
    for (struct thread *thread = process->threads; thread; thread = thread->next)
        if (thread->feed && !trace_feed_is_retired(thread->feed))
            trace_stream_close(thread_stream(thread));
    int error = process->events ? events_finish(process) : process->writer ? trace_finish(process->writer) : 0;
    if (error)
        process_report_incomplete(process, error);
    process->writer = NULL;
    process->finished = true;
    process_free_threads(process, !process->events);
}

void process_end(struct process *process)
{
    process_finish(process);
    process_free_threads(process, true);
    pthread_mutex_lock(&keeper.lock);
    struct process **link = &keeper.processes;
    while (*link != process)
        link = &(*link)->next;
    *link = process->next;
    keep_timer_forget(process);
    pthread_mutex_unlock(&keeper.lock);
    loop_forget(process->number);
    process_free(process);
}
