/*
 * helper.h - the sampler's own threads: every signal is blocked in them, and they are not sampled.
 */
#ifndef ASSAY_SAMPLE_HELPER_H
#define ASSAY_SAMPLE_HELPER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct helper {
    pthread_t thread;
    sem_t wake, known;
    void *(*run)(void *);
    const char *name;
    _Atomic pid_t tid;
    _Atomic bool stop; /* run() returns when this is set */
    bool running;
};

/* Starts run(helper), unless it runs already, and waits until helper->tid is known. 0 or an errno value. */
int helper_spawn(struct helper *helper, void *(*run)(void *), const char *name);
void helper_join(struct helper *helper);                    /* called in that thread itself: only tells it to stop */
void helper_wait(struct helper *helper, uint64_t until_ns); /* CLOCK_MONOTONIC; returns early when woken */

/* Marks the calling thread as internal, permanently or while it starts a helper. Returns the previous state. */
bool helper_mark(bool internal);

#endif
