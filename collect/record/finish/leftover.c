#include "collect/record/finish/leftover.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collect/record/run_files.h"
#include "collect/sample/sampler.h"

enum { ENVIRONMENT_MAX = 1 << 20 };

/* The value of ASSAY_RECORD in a block of NUL-terminated NAME=VALUE strings, or NULL. */
static const char *find_record(const char *block, size_t size)
{
    static const char NAME[] = SAMPLER_ENVIRONMENT "=";
    for (const char *at = block; at < block + size; at += strlen(at) + 1)
        if (strncmp(at, NAME, sizeof NAME - 1) == 0)
            return at + sizeof NAME - 1;
    return NULL;
}

/* The environment of a process: its size; 0 if there is none, or it is not readable. */
static size_t read_environment(const char *pid, char *block)
{
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t size = 0;
    for (ssize_t got; fd >= 0 && size < ENVIRONMENT_MAX && (got = read(fd, block + size, ENVIRONMENT_MAX - size)) > 0;)
        size += (size_t)got;
    if (fd >= 0)
        close(fd);
    return size;
}

/* Kernel threads and zombies execute nothing. */
static bool executes(const char *pid)
{
    char path[300], target[8];
    snprintf(path, sizeof path, "/proc/%s/exe", pid);
    return readlink(path, target, sizeof target) > 0;
}

static bool belongs(const char *pid, char *block, const char *series, const char *prefix)
{
    enum { TRIES = 20 };
    size_t size = read_environment(pid, block);
    /* While it executes another program, a process has no environment for a moment. */
    for (int i = 0; size == 0 && i < TRIES && executes(pid); i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        size = read_environment(pid, block);
    }
    block[size] = '\0';
    const char *record = find_record(block, size);
    return record && strstr(record, series) && strstr(record, prefix);
}

/* An ordinary user can't list a zombie's descriptors, as if it were another user's process. */
static bool is_zombie(pid_t pid)
{
    char path[64], target[8];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    return readlink(path, target, sizeof target) < 0 && errno == ENOENT;
}

bool leftover_has_open(pid_t pid, const char *path)
{
    struct stat wanted, found;
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/fd", (int)pid);
    DIR *descriptors = stat(path, &wanted) == 0 ? opendir(name) : NULL;
    if (!descriptors)
        return errno == EACCES && kill(pid, 0) == 0 && !is_zombie(pid);
    bool open = false;
    for (const struct dirent *entry; !open && (entry = readdir(descriptors));)
        open = entry->d_name[0] != '.' && fstatat(dirfd(descriptors), entry->d_name, &found, 0) == 0 &&
               found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino;
    closedir(descriptors);
    return open;
}

enum seen { SEEN_NONE, SEEN_ENDED, SEEN_RUNNING };

/* A process has a trace for each program that it has executed: only the last one can be running. */
static enum seen seen_of(pid_t pid, const json_t *traces)
{
    enum seen seen = SEEN_NONE;
    const json_t *trace;
    size_t i;
    json_array_foreach(traces, i, trace)
    {
        if (run_files_pid(json_string_value(json_object_get(trace, "file"))) != pid)
            continue;
        if (strcmp(json_string_value(json_object_get(trace, "state")), "running") == 0)
            return SEEN_RUNNING;
        seen = SEEN_ENDED;
    }
    return seen;
}

/*
 * Whether the process runs without a trace in progress. One whose trace has ended is either exiting, which takes a
 * moment, or between two programs: *patience is the remaining number of milliseconds to wait for all of them.
 */
static bool lacks_trace(const char *pid, const json_t *traces, char *block, const char *series, const char *prefix,
                        int *patience)
{
    if (!belongs(pid, block, series, prefix))
        return false;
    enum seen seen = seen_of((pid_t)strtol(pid, NULL, 10), traces);
    bool lacks = seen != SEEN_RUNNING;
    for (; seen == SEEN_ENDED && lacks && *patience > 0; --*patience) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        lacks = belongs(pid, block, series, prefix);
    }
    return lacks;
}

size_t leftover_count(const char *series, const char *prefix, const json_t *traces, pid_t *one)
{
    char series_key[64], prefix_key[128], *block = malloc(ENVIRONMENT_MAX + 1);
    DIR *processes = block ? opendir("/proc") : NULL;
    size_t count = 0;
    int patience = 200;
    snprintf(series_key, sizeof series_key, "\"series\":\"%s\"", series);
    snprintf(prefix_key, sizeof prefix_key, "\"prefix\":\"%s\"", prefix);
    for (const struct dirent *entry; processes && (entry = readdir(processes));) {
        if (!isdigit((unsigned char)entry->d_name[0]) ||
            !lacks_trace(entry->d_name, traces, block, series_key, prefix_key, &patience))
            continue;
        count++;
        *one = (pid_t)strtol(entry->d_name, NULL, 10);
    }
    if (processes)
        closedir(processes);
    free(block);
    return count;
}
