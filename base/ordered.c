#include "base/ordered.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *ordered_take(struct ordered *ordered, void *part)
{
    pthread_mutex_lock(&ordered->taking);
    pthread_mutex_lock(&ordered->lock);
    while (!ordered->stopped && ordered->next >= ordered->joined + ordered->ahead)
        pthread_cond_wait(&ordered->joined_more, &ordered->lock);
    bool any = !ordered->stopped;
    pthread_mutex_unlock(&ordered->lock);
    any = any && ordered->take(ordered->user, part);
    void *result = any ? ordered->results + ordered->next++ % ordered->ahead * ordered->result_bytes : NULL;
    pthread_mutex_unlock(&ordered->taking);
    return result;
}

void ordered_done(struct ordered *ordered, const void *result)
{
    assert((const char *)result >= ordered->results);
    pthread_mutex_lock(&ordered->lock);
    ordered->ready[(size_t)((const char *)result - ordered->results) / ordered->result_bytes] = true;
    for (size_t i; ordered->ready[i = ordered->joined % ordered->ahead]; ordered->joined++) {
        char *next = ordered->results + i * ordered->result_bytes;
        ordered->stopped |= !ordered->join(ordered->user, next);
        memset(next, 0, ordered->result_bytes);
        ordered->ready[i] = false;
    }
    pthread_cond_broadcast(&ordered->joined_more);
    pthread_mutex_unlock(&ordered->lock);
}

int ordered_run(struct ordered *ordered, size_t threads)
{
    size_t started = 0;
    assert(ordered->ahead >= 1 && ordered->result_bytes > 0);
    pthread_t *others = calloc(threads + 1, sizeof *others);
    ordered->results = calloc(ordered->ahead, ordered->result_bytes);
    ordered->ready = calloc(ordered->ahead, sizeof *ordered->ready);
    int error = others && ordered->results && ordered->ready ? 0 : ENOMEM;
    pthread_mutex_init(&ordered->taking, NULL);
    pthread_mutex_init(&ordered->lock, NULL);
    pthread_cond_init(&ordered->joined_more, NULL);
    while (!error && started + 1 < threads && pthread_create(&others[started], NULL, ordered->work, ordered->user) == 0)
        started++;
    if (!error)
        ordered->work(ordered->user);
    while (started > 0)
        pthread_join(others[--started], NULL);
    pthread_mutex_destroy(&ordered->taking);
    pthread_mutex_destroy(&ordered->lock);
    pthread_cond_destroy(&ordered->joined_more);
    free(others);
    free(ordered->results);
    free(ordered->ready);
    return error;
}
