/*
 * Threads report when they begin and end, so that the sampler need not search for them.
 */
#include "collect/native/native.h"
#include "collect/native/patch.h"

#include <pthread.h>
#include <stdlib.h>

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

struct beginning {
    void *(*run)(void *);
    void *argument;
    unsigned long kept; /* the signal mask that its creator believes it has */
};

static pthread_key_t ending;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void end_thread(void *value)
{
    (void)value;
    methods_mark(MARK_END, 0, 0);
    shadow_end_thread();
    sampler_thread_end();
}

static void make_key(void)
{
    pthread_key_create(&ending, end_thread);
}

static void *begin_thread(void *beginning)
{
    struct beginning here = *(struct beginning *)beginning;
    free(beginning);
    pthread_setspecific(ending, &ending); /* its destructor runs however the thread ends */
    mask_open_inherited(here.kept);
    if (methods_recording())
        shadow_begin_thread();
    sampler_thread_begin();
    return here.run(here.argument);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    static create_function *_Atomic next;
    if (!next)
        next = (create_function *)interpose_next("pthread_create");
    struct beginning *beginning = NULL;
    if (sampler_is_recording() && !sampler_thread_is_internal())
        beginning = malloc(sizeof *beginning);
    if (!beginning)
        return next(thread, attributes, run, argument);
    *beginning = (struct beginning){run, argument, mask_kept()};
    pthread_once(&once, make_key);
    int error = next(thread, attributes, begin_thread, beginning);
    if (error)
        free(beginning);
    return error;
}
