/*
 * Threads report when they begin and end, so that the sampler need not search for them.
 */
#include "collect/agents/native/chosen.h"
#include "collect/agents/native/native.h"
#include "collect/agents/native/patch.h"

#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

struct beginning {
    void *(*run)(void *);
    thrd_start_t run_c11; /* or this */
    void *argument;
    unsigned long kept; /* the signal mask that its creator believes it has */
};

static pthread_key_t ending;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void thread_on_end(void *value)
{
    (void)value;
    methods_mark(MARK_END, 0, 0);
    if (chosen_active)
        chooser_end_thread();
    shadow_end_thread();
    sampler_thread_end();
}

static void thread_create_key(void)
{
    pthread_key_create(&ending, thread_on_end);
}

static struct beginning thread_begin_recording(void *beginning)
{
    struct beginning here = *(struct beginning *)beginning;
    free(beginning);
    pthread_setspecific(ending, &ending); /* its destructor runs however the thread ends */
    mask_open_inherited(here.kept);
    if (methods_recording() || chosen_active)
        shadow_begin_thread();
    sampler_thread_begin();
    if (chosen_active)
        chooser_begin_thread();
    return here;
}

static void *thread_run_posix(void *beginning)
{
    struct beginning here = thread_begin_recording(beginning);
    return here.run(here.argument);
}

static int thread_run_c11(void *beginning)
{
    struct beginning here = thread_begin_recording(beginning);
    return here.run_c11(here.argument);
}

/* NULL: the thread is not one that is recorded, or there is no memory. */
static struct beginning *thread_prepare_beginning(struct beginning here)
{
    struct beginning *beginning = NULL;
    if (sampler_is_recording() && !sampler_thread_is_internal())
        beginning = malloc(sizeof *beginning);
    if (!beginning)
        return NULL;
    *beginning = here;
    beginning->kept = mask_kept();
    pthread_once(&once, thread_create_key);
    return beginning;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    static create_function *_Atomic next;
    if (!next)
        next = (create_function *)interpose_next("pthread_create");
    struct beginning *beginning = thread_prepare_beginning((struct beginning){.run = run, .argument = argument});
    if (!beginning)
        return next(thread, attributes, run, argument);
    int error = next(thread, attributes, thread_run_posix, beginning);
    if (error)
        free(beginning);
    return error;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
    int (*next)(thrd_t *, thrd_start_t, void *) =
        (int (*)(thrd_t *, thrd_start_t, void *))interpose_next("thrd_create");
    struct beginning *beginning = thread_prepare_beginning((struct beginning){.run_c11 = run, .argument = argument});
    if (!beginning)
        return next(thread, run, argument);
    int result = next(thread, thread_run_c11, beginning);
    if (result != thrd_success)
        free(beginning);
    return result;
}
