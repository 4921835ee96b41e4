#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/keep/state.h"

static const uint64_t SCAN_NS = UINT64_C(20000000), REFRESH_NS = UINT64_C(1000000000);
enum {
    CALM_SCANS = 10, /* after this many scans without a new thread the next ones come half as often, … */
    CALM_MOST = 2,   /* twice: a program that creates threads creates more of them */
    STRANGERS_MAX = 1024,
};

/* Threads that have no clock, as far as known: one that has just begun may be about to get one. */
struct strangers {
    size_t count;
    struct stranger {
        pid_t tid;
        unsigned scans;
    } list[STRANGERS_MAX];
};

/* ---------------------------------------------------------------------------- /proc -- */

static size_t tasks_read_file(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

/* The number of a process in its own namespace: the last one of the line NSpid. */
static pid_t tasks_own_pid(pid_t pid)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (tasks_read_file(path, text, sizeof text) == 0)
        return 0;
    char *line = strstr(text, "\nNSpid:");
    if (!line)
        return 0;
    line[1 + strcspn(line + 1, "\n")] = '\0';
    return (pid_t)strtol(strrchr(line, '\t') ? strrchr(line, '\t') : line, NULL, 10);
}

pid_t tasks_pid(const struct pool_process *board)
{
    char path[64];
    struct stat status;
    if (board->namespace == keeper.namespace || board->namespace == 0)
        return board->pid;
    DIR *processes = opendir("/proc");
    pid_t found = 0;
    for (const struct dirent *entry; !found && processes && (entry = readdir(processes));) {
        pid_t pid = isdigit((unsigned char)entry->d_name[0]) ? (pid_t)strtol(entry->d_name, NULL, 10) : 0;
        snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
        uint64_t namespace = pid > 0 && stat(path, &status) == 0 ? status.st_ino : 0;
        if (pid > 0 && namespace == board->namespace && tasks_own_pid(pid) == board->pid)
            found = pid;
    }
    if (processes)
        closedir(processes);
    return found;
}

pid_t tasks_tid(const struct process *process, pid_t own)
{
    char path[64];
    if (process->namespace == keeper.namespace || process->namespace == 0)
        return own;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process->pid);
    DIR *tasks = opendir(path);
    pid_t found = 0;
    for (const struct dirent *entry; !found && tasks && (entry = readdir(tasks));) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid > 0 && tasks_own_pid(tid) == own)
            found = tid;
    }
    if (tasks)
        closedir(tasks);
    return found;
}

/* ---------------------------------------------------------------------------- threads -- */

static bool tasks_thread_is_living(const struct thread *thread)
{
    return !atomic_load(&thread->shared->released) && !atomic_load(&thread->shared->gone);
}

static int tasks_compare_tids(const void *one, const void *other)
{
    pid_t a = *(const pid_t *)one, b = *(const pid_t *)other;
    return (a > b) - (a < b);
}

/* The handler of a thread that begins asks by itself for a clock: only one that has been met before has none. */
static void tasks_ask_stranger(struct process *process, struct strangers *before, pid_t tid)
{
    enum { PATIENCE = 2, MOST = 8 };
    struct strangers *now = process->strangers;
    unsigned scans = 1;
    for (size_t i = 0; i < before->count; i++)
        if (before->list[i].tid == tid)
            scans += before->list[i].scans;
    if (now->count < STRANGERS_MAX)
        now->list[now->count++] = (struct stranger){tid, scans};
    assert(now->count <= STRANGERS_MAX && scans > 0);
    if (scans >= PATIENCE && scans < PATIENCE + MOST)
        loop_send(process, tid, process->board->token);
}

static void tasks_compare_threads(struct process *process, DIR *tasks)
{
    if (!process->strangers && !(process->strangers = calloc(1, sizeof *process->strangers)))
        return;
    /* The threads that have a clock, sorted. */
    size_t capacity = 1, count = 0;
    for (const struct thread *thread = process->threads; thread; thread = thread->next)
        capacity++;
    pid_t *known = malloc(capacity * sizeof *known);
    for (const struct thread *thread = process->threads; known && thread; thread = thread->next)
        if (tasks_thread_is_living(thread))
            known[count++] = thread->tid;
    assert(count < capacity);
    if (known)
        qsort(known, count, sizeof *known, tasks_compare_tids);
    struct strangers before = *process->strangers;
    process->strangers->count = 0;
    for (const struct dirent *entry; known && (entry = readdir(tasks));) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid > 0 && !bsearch(&tid, known, count, sizeof tid, tasks_compare_tids))
            tasks_ask_stranger(process, &before, tid);
    }
    free(known);
    process->calm_scans = process->strangers->count > before.count ? 0 : process->calm_scans + 1;
    char path[64];
    for (struct thread *thread = process->threads; thread; thread = thread->next) {
        struct pool_thread *shared = thread->shared;
        if (!tasks_thread_is_living(thread))
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%d", (int)process->pid, (int)thread->tid);
        if (access(path, F_OK) == 0)
            continue;
        atomic_store(&shared->gone, 1);
        trace_stream_close((struct trace_stream *)(void *)shared->stream);
        atomic_fetch_add(&process->board->gone, 1);
    }
}

static void tasks_scan(struct process *process, uint64_t now_ns)
{
    enum { COST_SHARE = 50, LINKS = 2 /* . and .. */ };
    static const uint64_t LOOK_NS = UINT64_C(60000000);
    char path[64];
    struct stat status;
    assert(process->pid > 0);
    snprintf(path, sizeof path, "/proc/%d/task", (int)process->pid);
    if (stat(path, &status) != 0)
        return;
    /* Threads may have ended and others begun: their number is the same then. A look at all of them costs at most a
     * fiftieth of one processor. */
    size_t known = 0;
    for (const struct thread *thread = process->threads; thread; thread = thread->next)
        known += tasks_thread_is_living(thread);
    if (status.st_nlink == known + LINKS && now_ns < process->next_look_ns) {
        process->calm_scans++;
        return;
    }
    DIR *tasks = opendir(path);
    if (tasks)
        tasks_compare_threads(process, tasks);
    if (tasks)
        closedir(tasks);
    uint64_t cost = COST_SHARE * (clock_ns(CLOCK_MONOTONIC) - now_ns);
    process->next_look_ns = now_ns + (cost > LOOK_NS ? cost : LOOK_NS);
}

/* ---------------------------------------------------------------------------- times -- */

bool tasks_has_executed(const struct process *process)
{
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)process->pid);
    return process->exe_inode && stat(path, &status) == 0 &&
           (status.st_ino != process->exe_inode || status.st_dev != process->exe_device);
}

bool tasks_has_become_another(const struct process *process)
{
    return atomic_load(&process->board->state) == POOL_EXECUTING && tasks_has_executed(process) &&
           atomic_load(&process->board->state) == POOL_EXECUTING;
}

/* A thread that has used much CPU time without a sample looks after its clock. */
static void tasks_check_clock(struct process *process, struct thread *thread)
{
    enum { INTERVALS = 8, PATIENCE = 2 };
    static const uint64_t LEAST_NS = UINT64_C(200000000);
    /* Whether the clock must have expired by now. Others do not count in the kernel, or count events. */
    bool counts_cpu_time = process->board->source == SOURCE_CPU_CLOCK && !keeper.config.watch.wanted;
    uint64_t heard = atomic_load(&thread->shared->last_cpu_ns);
    uint64_t quiet = INTERVALS * atomic_load(&thread->shared->interval_ns);
    if (thread->stopped_cpu_ns) {
        uint64_t expiries = (thread->cpu_ns - thread->stopped_cpu_ns) / keeper.config.period_ns;
        if (expiries > 0)
            trace_feed_count_lost(thread->feed, LOST_NOT_DELIVERED, expiries);
        thread->stopped_cpu_ns += expiries * keeper.config.period_ns;
    } else if (atomic_load(&thread->shared->wants_ticks) ||
               thread->cpu_ns < heard + (quiet > LEAST_NS ? quiet : LEAST_NS)) {
        thread->asked = 0;
    } else if (thread->asked++ < PATIENCE || !counts_cpu_time) {
        loop_send(process, thread->tid, process->board->token);
    } else {
        /* The signals reach a handler that the program has installed past the C library, and that does not expect them.
         */
        uint64_t id;
        int fd = (int)syscall(SYS_pidfd_getfd, process->pidfd, atomic_load(&thread->shared->clock), 0);
        bool stopped = fd >= 0 && ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0 &&
                       id == atomic_load(&thread->shared->clock_id) && ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) == 0;
        if (fd >= 0)
            close(fd);
        thread->stopped_cpu_ns = thread->cpu_ns;
        if (!process->reported_stop)
            process_report(process, stopped
                                        ? "its ticks did not come, perhaps since it handles their signal past the C "
                                          "library: they were stopped"
                                        : "its ticks do not come, perhaps since it handles their signal past the C "
                                          "library, and could not be stopped");
        process->reported_stop = true;
    }
}

void tasks_look(struct process *process, uint64_t now_ns)
{
    if (process->pid <= 0 || process->finished || atomic_load(&process->board->state) != POOL_RUNNING)
        return;
    if (now_ns >= process->next_scan_ns && !process->events) {
        unsigned calm = process->calm_scans / CALM_SCANS;
        uint64_t cpu_ns = process_cpu_ns(process);
        if (cpu_ns != process->scanned_cpu_ns) /* starting threads uses CPU time */
            tasks_scan(process, clock_ns(CLOCK_MONOTONIC));
        process->scanned_cpu_ns = cpu_ns;
        process->next_scan_ns = now_ns + (SCAN_NS << (calm < CALM_MOST ? calm : CALM_MOST));
    }
    if (now_ns - process->refreshed_ns < REFRESH_NS)
        return;
    bool first = process->refreshed_ns == 0;
    process->refreshed_ns = now_ns;
    if (first || tasks_has_executed(process))
        return;
    for (struct thread *thread = process->threads; thread; thread = thread->next) {
        if (!(thread->feed || process->events) || !tasks_thread_is_living(thread))
            continue;
        char path[64], text[128];
        snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)process->pid, (int)thread->tid);
        if (tasks_read_file(path, text, sizeof text) > 0)
            thread->cpu_ns = strtoull(text, NULL, 10);
        if (!process->events)
            tasks_check_clock(process, thread);
    }
    if (!process->events)
        process_refresh(process, now_ns);
}

void tasks_forget(struct process *process)
{
    free(process->strangers);
}
