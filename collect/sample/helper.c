#include "collect/sample/helper.h"

#include <sys/prctl.h>
#include <time.h>

#include "base/signals.h"
#include "collect/sample/sampler.h"
#include "collect/sample/task.h"

static _Thread_local bool is_internal;

bool helper_mark(bool internal)
{
    bool before = is_internal;
    is_internal = internal;
    return before;
}

static void *helper_run_thread(void *argument)
{
    struct helper *helper = argument;
    helper_mark(true);
    prctl(PR_SET_NAME, helper->name); /* pthread_setname_np() of another thread opens a file */
    atomic_store(&helper->tid, task_self());
    sem_post(&helper->known);
    return helper->run(helper);
}

int helper_spawn(struct helper *helper, void *(*run)(void *), const char *name)
{
    sigset_t before;
    if (helper->running)
        return 0;
    sem_init(&helper->wake, 0, 0);
    sem_init(&helper->known, 0, 0);
    helper->run = run;
    helper->name = name;
    atomic_store(&helper->stop, false);
    signals_block(&before);
    bool was = helper_mark(true);
    int error = pthread_create(&helper->thread, NULL, helper_run_thread, helper);
    helper_mark(was);
    signals_restore(&before);
    helper->running = error == 0;
    if (error)
        return error;
    while (sem_wait(&helper->known) != 0) /* a signal of the program's came */
        ;
    return 0;
}

void helper_join(struct helper *helper)
{
    if (!helper->running)
        return;
    atomic_store(&helper->stop, true);
    sem_post(&helper->wake);
    if (!pthread_equal(helper->thread, pthread_self()))
        pthread_join(helper->thread, NULL);
    helper->running = false;
}

void helper_wait(struct helper *helper, uint64_t until_ns)
{
    struct timespec at = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};
    sem_clockwait(&helper->wake, CLOCK_MONOTONIC, &at);
}

bool sampler_thread_is_internal(void)
{
    return is_internal;
}
