#include "collect/sample/task.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collect/sample/peek.h"

enum { TASK_COMM_LEN = 16 }; /* the kernel's */

static struct reserved_fd tasks = {.fd = -1}; /* /proc/self/task */

pid_t task_self(void)
{
    return (pid_t)syscall(SYS_gettid);
}

pid_t task_process(void)
{
    return (pid_t)syscall(SYS_getpid);
}

bool task_cpu_ns(pid_t tid, uint64_t *out)
{
    /* The kernel's encoding of "scheduler clock of one thread"; see pthread_getcpuclockid(3), which wants a pthread_t.
     */
    clockid_t clock = (clockid_t)(~(unsigned)tid << 3 | 6u);
    struct timespec now;
    if (clock_gettime(clock, &now) != 0)
        return false;
    *out = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    return true;
}

void task_prepare(void)
{
    if (reserved_fd_valid(&tasks))
        return;
    reserved_fd_close(&tasks);
    tasks = reserved_fd_open("/proc/self/task", O_RDONLY | O_DIRECTORY);
}

bool task_each(void (*visit)(pid_t tid, void *user), void *user)
{
    _Alignas(struct dirent64) char buffer[8192];
    task_prepare();
    if (tasks.fd < 0 || lseek(tasks.fd, 0, SEEK_SET) != 0)
        return false;
    ssize_t size;
    while ((size = getdents64(tasks.fd, buffer, sizeof buffer)) > 0)
        for (ssize_t at = 0; at < size;) {
            const struct dirent64 *entry = (const void *)(buffer + at);
            at += entry->d_reclen;
            if (entry->d_name[0] != '.')
                visit((pid_t)strtol(entry->d_name, NULL, 10), user);
        }
    return size == 0;
}

static size_t task_read_file(pid_t tid, const char *name, char *out, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)tid, name);
    return peek_file(path, out, size);
}

void task_name(pid_t tid, char *out, size_t size)
{
    char own[TASK_COMM_LEN] = "";
    if (tid == task_self()) {
        prctl(PR_GET_NAME, own);
        snprintf(out, size, "%s", own);
        return;
    }
    task_read_file(tid, "comm", out, size);
    out[strcspn(out, "\n")] = '\0';
}

bool task_wait_ns(pid_t tid, uint64_t *out)
{
    char text[128], *wait, *end;
    if (task_read_file(tid, "schedstat", text, sizeof text) == 0)
        return false;
    strtoull(text, &wait, 10);
    *out = strtoull(wait, &end, 10);
    return end != wait;
}

bool task_faults(pid_t tid, uint64_t *out)
{
    char text[512] = "";
    unsigned long long minor, major;
    task_read_file(tid, "stat", text, sizeof text);
    /* Fields 10 and 12: they follow the name in parentheses, which may hold anything, and the state. */
    const char *rest = strrchr(text, ')');
    if (!rest || sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu", &minor, &major) != 2)
        return false;
    *out = minor + major;
    return true;
}

bool task_switches(pid_t tid, uint64_t *out)
{
    char text[4096] = "";
    task_read_file(tid, "status", text, sizeof text);
    static const char *const keys[] = {"\nvoluntary_ctxt_switches:", "\nnonvoluntary_ctxt_switches:"};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *found = strstr(text, keys[i]);
        if (!found)
            return false;
        sum += strtoull(found + strlen(keys[i]), NULL, 10);
    }
    *out = sum;
    return true;
}

struct reserved_fd task_open_stat(pid_t tid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    return reserved_fd_open(path, O_RDONLY);
}

/* The letter after the name, which may hold anything. */
static char task_state_in(const char *stat)
{
    const char *name_end = strrchr(stat, ')');
    return name_end && name_end[1] == ' ' ? name_end[2] : 0;
}

char task_state(const struct reserved_fd *stat)
{
    char text[512];
    ssize_t length = pread(stat->fd, text, sizeof text - 1, 0);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    return task_state_in(text);
}

char task_state_of(pid_t tid)
{
    char text[512];
    return task_read_file(tid, "stat", text, sizeof text) > 0 ? task_state_in(text) : 0;
}

void task_forget(void)
{
    reserved_fd_close(&tasks);
}
