#include "collect/record/finish/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collect/record/run_files.h"
#include "collect/sample/carriers.h"

bool leftover_has_open(pid_t pid, const char *path)
{
    struct stat wanted, found;
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/fd", (int)pid);
    DIR *descriptors = stat(path, &wanted) == 0 ? opendir(name) : NULL;
    if (!descriptors) {
        /* An ordinary user can't list a zombie's descriptors, as if it were another user's process. */
        char target[8];
        bool refused = errno == EACCES && kill(pid, 0) == 0;
        snprintf(name, sizeof name, "/proc/%d/exe", (int)pid);
        return refused && !(readlink(name, target, sizeof target) < 0 && errno == ENOENT);
    }
    bool open = false;
    for (const struct dirent *entry; !open && (entry = readdir(descriptors));)
        open = entry->d_name[0] != '.' && fstatat(dirfd(descriptors), entry->d_name, &found, 0) == 0 &&
               found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino;
    closedir(descriptors);
    return open;
}

/* What is looked for, and how often it has been found. */
struct search {
    struct carriers *carriers;
    const char *const *keys;
    const json_t *traces;
    int patience; /* the remaining number of milliseconds to wait for all of them */
    size_t count;
    pid_t *one;
};

enum { KEYS = 2 };

/* Counts a process that runs without a trace in progress. One whose trace has ended is either exiting, which takes a
 * moment, or between two programs. */
static bool leftover_count_process(void *user, pid_t pid)
{
    struct search *search = user;
    /* A process has a trace for each program that it has executed: only the last one can be running. */
    bool ended = false, runs = false;
    const json_t *trace;
    size_t i;
    json_array_foreach(search->traces, i, trace)
    {
        if (run_files_pid(json_string_value(json_object_get(trace, "file"))) != pid)
            continue;
        ended = true;
        const char *state = json_string_value(json_object_get(trace, "state"));
        runs |= state && strcmp(state, "running") == 0;
    }
    bool lacks = !runs;
    for (; ended && lacks && search->patience > 0; --search->patience) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        lacks = carriers_has(search->carriers, pid, search->keys, KEYS);
    }
    if (lacks) {
        search->count++;
        *search->one = pid;
    }
    return true;
}

size_t leftover_count(const char *series, const char *prefix, const json_t *traces, pid_t *one)
{
    char series_key[64], prefix_key[128];
    const char *const keys[KEYS] = {series_key, prefix_key};
    struct search search = {.carriers = carriers_new(), .keys = keys, .traces = traces, .patience = 200, .one = one};
    snprintf(series_key, sizeof series_key, "\"series\":\"%s\"", series);
    snprintf(prefix_key, sizeof prefix_key, "\"prefix\":\"%s\"", prefix);
    if (search.carriers)
        carriers_each(search.carriers, keys, KEYS, leftover_count_process, &search);
    carriers_free(search.carriers);
    return search.count;
}
