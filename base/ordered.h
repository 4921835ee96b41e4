/*
 * ordered.h - parts of a job that several threads work on at once, and whose results are joined in order.
 *
 * Threads take parts in order, and the one that finishes the next part to be joined joins all that are ready. They may
 * run ahead of the joining only by `ahead` parts, which bounds the results in memory.
 */
#ifndef ASSAY_BASE_ORDERED_H
#define ASSAY_BASE_ORDERED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ordered {
    /* The caller sets these. take() gives the next part, and join() takes the result of one, in order; each is called
     * by one thread at a time. They return false where there is no other part, or none is wanted any more; parts that
     * were taken are still joined. work() runs in each thread: it calls ordered_take() and ordered_done() by turns,
     * until there is nothing to take. */
    bool (*take)(void *user, void *part);
    bool (*join)(void *user, void *result);
    void *(*work)(void *user);
    void *user;
    size_t result_bytes;
    uint64_t ahead; /* parts, ≥ 1 */
    /* The rest is private. */
    pthread_mutex_t taking; /* guards next; never taken while `lock` is held */
    pthread_mutex_t lock;   /* guards all below */
    pthread_cond_t joined_more;
    char *results; /* of part p: [p % ahead] */
    bool *ready;   /* likewise */
    uint64_t next, joined;
    bool stopped;
};

/* Runs work() in `threads` threads, the caller's included. Returns 0, or ENOMEM with nothing done. */
int ordered_run(struct ordered *ordered, size_t threads);

/* Waits until there is capacity for one more result, and takes a part. Returns the place of its result, filled with
 * zeros; NULL if there are no more parts. */
void *ordered_take(struct ordered *ordered, void *part);

/* The result is complete: joins it, and those that waited for it, or leaves that to the thread that it waits for. */
void ordered_done(struct ordered *ordered, const void *result);

#endif
