#include "collect/sample/carriers.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collect/sample/sampler.h"

enum { ENVIRONMENT_MAX = 1 << 20 };

struct carriers {
    char block[ENVIRONMENT_MAX + 1];
};

struct carriers *carriers_new(void)
{
    return malloc(sizeof(struct carriers));
}

void carriers_free(struct carriers *carriers)
{
    free(carriers);
}

/* The environment of a process: its size; 0 if there is none, or it is not readable. */
static size_t carriers_read_environment(pid_t pid, char *block)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t size = 0;
    for (ssize_t got; fd >= 0 && size < ENVIRONMENT_MAX && (got = read(fd, block + size, ENVIRONMENT_MAX - size)) > 0;)
        size += (size_t)got;
    if (fd >= 0)
        close(fd);
    return size;
}

bool carriers_has(struct carriers *carriers, pid_t pid, const char *const *keys, size_t count)
{
    enum { TRIES = 20 };
    static const char NAME[] = SAMPLER_ENVIRONMENT "=";
    size_t size = carriers_read_environment(pid, carriers->block);
    /* While it executes another program, a process has no environment for a moment. Kernel threads and zombies execute
     * nothing. */
    char path[64], target[8];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    for (int i = 0; size == 0 && i < TRIES && readlink(path, target, sizeof target) > 0; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        size = carriers_read_environment(pid, carriers->block);
    }
    carriers->block[size] = '\0';
    /* The value of ASSAY_RECORD in a block of NUL-terminated NAME=VALUE strings. */
    const char *record = NULL;
    for (const char *at = carriers->block; !record && at < carriers->block + size; at += strlen(at) + 1)
        if (strncmp(at, NAME, sizeof NAME - 1) == 0)
            record = at + sizeof NAME - 1;
    for (size_t i = 0; record && i < count; i++)
        if (!strstr(record, keys[i]))
            return false;
    return record;
}

void carriers_each(struct carriers *carriers, const char *const *keys, size_t count,
                   bool (*visit)(void *user, pid_t pid), void *user)
{
    DIR *processes = opendir("/proc");
    bool more = true;
    for (const struct dirent *entry; more && processes && (entry = readdir(processes));) {
        pid_t pid = isdigit((unsigned char)entry->d_name[0]) ? (pid_t)strtol(entry->d_name, NULL, 10) : 0;
        if (pid > 0 && carriers_has(carriers, pid, keys, count))
            more = visit(user, pid);
    }
    if (processes)
        closedir(processes);
}
