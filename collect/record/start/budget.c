#include "collect/record/start/budget.h"

#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STACK_NEEDED = 8 << 20 }; /* libdw alone takes more than 100 KB */

static const enum __rlimit_resource RAISED[] = {RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_STACK,
                                                RLIMIT_AS,    RLIMIT_DATA,   RLIMIT_CPU};
enum { RAISED_COUNT = sizeof RAISED / sizeof *RAISED };

static struct {
    bool raised;
    struct rlimit limits[RAISED_COUNT];
    struct sigaction too_large; /* of SIGXFSZ */
} original;

struct task {
    int (*work)(void *argument);
    void *argument;
    int result;
};

static void *budget_run_on_own_stack(void *user)
{
    struct task *task = user;
    task->result = task->work(task->argument);
    return NULL;
}

int budget_run(int (*work)(void *argument), void *argument)
{
    assert(!original.raised);
    struct rlimit stack;
    struct task task = {work, argument, 0};
    pthread_t thread;
    pthread_attr_t attributes;
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    const struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
    for (size_t i = 0; i < RAISED_COUNT; i++) {
        struct rlimit *limit = &original.limits[i];
        if (getrlimit(RAISED[i], limit) != 0)
            continue;
        /* The hard limit, too, if the process is privileged. */
        struct rlimit allowed = {limit->rlim_max, limit->rlim_max};
        if (setrlimit(RAISED[i], &most) != 0)
            setrlimit(RAISED[i], &allowed);
    }
    sigaction(SIGXFSZ, &ignored, &original.too_large);
    original.raised = true;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= STACK_NEEDED)
        return work(argument);
    pthread_attr_init(&attributes);
    bool separate = pthread_attr_setstacksize(&attributes, STACK_NEEDED) == 0 &&
                    pthread_create(&thread, &attributes, budget_run_on_own_stack, &task) == 0;
    pthread_attr_destroy(&attributes);
    if (!separate)
        return work(argument);
    pthread_join(thread, NULL);
    return task.result;
}

void budget_give_back(bool memory)
{
    if (!original.raised)
        return;
    for (size_t i = 0; i < RAISED_COUNT; i++)
        if (memory || (RAISED[i] != RLIMIT_AS && RAISED[i] != RLIMIT_DATA))
            setrlimit(RAISED[i], &original.limits[i]);
    sigaction(SIGXFSZ, &original.too_large, NULL);
}

struct rlimit budget_of_command(enum __rlimit_resource resource)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(resource, &limit);
    for (size_t i = 0; original.raised && i < RAISED_COUNT; i++)
        if (RAISED[i] == resource)
            limit = original.limits[i];
    return limit;
}

bool budget_few_processes(unsigned long *left, unsigned long *limit)
{
    enum { FEW = 16 };
    struct rlimit processes;
    if (getuid() == 0 || getrlimit(RLIMIT_NPROC, &processes) != 0 || processes.rlim_cur == RLIM_INFINITY)
        return false;
    /* Each thread of this user counts as a process. */
    unsigned long used = 0;
    DIR *listed = opendir("/proc");
    for (struct dirent *entry; listed && (entry = readdir(listed));) {
        char path[sizeof entry->d_name + 16];
        struct stat status;
        snprintf(path, sizeof path, "/proc/%s/task", entry->d_name);
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && stat(path, &status) == 0 && status.st_uid == getuid())
            used += status.st_nlink - 2; /* a directory for each */
    }
    if (listed)
        closedir(listed);
    *limit = processes.rlim_cur;
    *left = used < *limit ? *limit - used : 0;
    return *left < FEW;
}
