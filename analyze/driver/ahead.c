#include "analyze/driver/ahead.h"

#include <pthread.h>
#include <stdlib.h>

enum { SLOTS = 8 };

struct ahead {
    struct ahead_wish wish;
    struct ahead_chunk slots[SLOTS]; /* chunk i is in slot i % SLOTS */
    bool decoded[SLOTS];
    bool threaded, stopped;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t begun, taken; /* chunks; the reader still uses the last one taken */
};

/* Decodes the next chunk that nobody has begun, without the lock, which is held otherwise. */
static void ahead_decode_chunk(struct ahead *ahead)
{
    const struct ahead_wish *wish = &ahead->wish;
    size_t i = ahead->begun++;
    struct ahead_chunk *slot = &ahead->slots[i % SLOTS];
    ahead->decoded[i % SLOTS] = false;
    pthread_mutex_unlock(&ahead->lock);
    slot->header = trace_chunk_at(wish->trace, wish->chunks[i]);
    slot->status = trace_read(wish->trace, wish->chunks[i], wish->columns_of(wish->user, slot->header->kind),
                              &slot->batch, &slot->problem);
    pthread_mutex_lock(&ahead->lock);
    ahead->decoded[i % SLOTS] = true;
}

/* Once all slots are full, the decoder waits until half of them are free: the reader need not wake it for each. */
static void *ahead_run_decoder(void *argument)
{
    struct ahead *ahead = argument;
    pthread_mutex_lock(&ahead->lock);
    while (!ahead->stopped && ahead->begun < ahead->wish.count) {
        if (ahead->begun < ahead->taken + SLOTS - 1) {
            ahead_decode_chunk(ahead);
            pthread_cond_signal(&ahead->changed);
        } else {
            while (!ahead->stopped && ahead->begun > ahead->taken + SLOTS / 2)
                pthread_cond_wait(&ahead->changed, &ahead->lock);
        }
    }
    pthread_mutex_unlock(&ahead->lock);
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

/* While the next chunk is not ready, the reader decodes, too, rather than wait. */
struct ahead_chunk *ahead_next(struct ahead *ahead)
{
    size_t i = ahead->taken;
    if (i == ahead->wish.count)
        return NULL;
    pthread_mutex_lock(&ahead->lock);
    while (i >= ahead->begun || !ahead->decoded[i % SLOTS])
        if (ahead->begun < ahead->wish.count && ahead->begun < i + SLOTS - 1)
            ahead_decode_chunk(ahead);
        else
            pthread_cond_wait(&ahead->changed, &ahead->lock);
    ahead->taken = i + 1;
    if (ahead->begun <= ahead->taken + SLOTS / 2)
        pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
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
