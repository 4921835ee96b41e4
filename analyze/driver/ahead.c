#include "analyze/driver/ahead.h"

#include <pthread.h>
#include <stdlib.h>

enum { SLOTS = 6 };

struct ahead {
    struct ahead_wish wish;
    struct ahead_chunk slots[SLOTS]; /* chunk i is in slot i % SLOTS */
    bool threaded, stopped;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t decoded, taken; /* chunks; the reader still uses the last one taken */
};

static void ahead_decode_chunk(struct ahead *ahead, size_t i)
{
    const struct ahead_wish *wish = &ahead->wish;
    struct ahead_chunk *slot = &ahead->slots[i % SLOTS];
    slot->header = trace_chunk_at(wish->trace, wish->chunks[i]);
    slot->status = trace_read(wish->trace, wish->chunks[i], wish->columns_of(wish->user, slot->header->kind),
                              &slot->batch, &slot->problem);
}

static void *ahead_run_decoder(void *argument)
{
    struct ahead *ahead = argument;
    for (size_t i = 0; i < ahead->wish.count; i++) {
        pthread_mutex_lock(&ahead->lock);
        while (!ahead->stopped && i >= ahead->taken + SLOTS - 1)
            pthread_cond_wait(&ahead->changed, &ahead->lock);
        bool stopped = ahead->stopped;
        pthread_mutex_unlock(&ahead->lock);
        if (stopped)
            break;
        ahead_decode_chunk(ahead, i);
        pthread_mutex_lock(&ahead->lock);
        ahead->decoded++;
        pthread_cond_signal(&ahead->changed);
        pthread_mutex_unlock(&ahead->lock);
    }
    return NULL;
}

struct ahead *ahead_start(const struct ahead_wish *wish, bool threaded)
{
    struct ahead *ahead = calloc(1, sizeof *ahead);
    if (!ahead)
        return NULL;
    ahead->wish = *wish;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    ahead->threaded = threaded && pthread_create(&ahead->thread, NULL, ahead_run_decoder, ahead) == 0;
    return ahead;
}

struct ahead_chunk *ahead_next(struct ahead *ahead)
{
    size_t i = ahead->taken;
    if (i == ahead->wish.count)
        return NULL;
    if (ahead->threaded) {
        pthread_mutex_lock(&ahead->lock);
        while (ahead->decoded <= i)
            pthread_cond_wait(&ahead->changed, &ahead->lock);
        ahead->taken = i + 1;
        pthread_cond_signal(&ahead->changed);
        pthread_mutex_unlock(&ahead->lock);
    } else {
        ahead_decode_chunk(ahead, i);
        ahead->taken = i + 1;
    }
    return &ahead->slots[i % SLOTS];
}

void ahead_stop(struct ahead *ahead)
{
    if (!ahead)
        return;
    if (ahead->threaded) {
        pthread_mutex_lock(&ahead->lock);
        ahead->stopped = true;
        pthread_cond_signal(&ahead->changed);
        pthread_mutex_unlock(&ahead->lock);
        pthread_join(ahead->thread, NULL);
    }
    for (size_t i = 0; i < SLOTS; i++)
        trace_batch_free(&ahead->slots[i].batch);
    pthread_mutex_destroy(&ahead->lock);
    pthread_cond_destroy(&ahead->changed);
    free(ahead);
}
