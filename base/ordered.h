/*
 * ordered.h - parts of a work, done by several threads at once and joined in order.
 *
 * Threads take parts in order, and whoever finishes the part that is next to be joined joins all that are ready. They
 * may run ahead of the joining by so many parts only, which bounds the results in memory.
 */
#ifndef ASSAY_BASE_ORDERED_H
#define ASSAY_BASE_ORDERED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ordered {
    /* To be set. take() gives the next part, join() takes what a part gave, in order; each is called by one thread at a
     * time. False: there is no other part, or none is wanted any more; those that were taken are joined. work() is a
     * thread's: ordered_take() and ordered_done() by turns, until there is nothing to take. */
    bool (*take)(void *user, void *part);
    bool (*join)(void *user, void *result);
    void *(*work)(void *user);
    void *user;
    size_t result_bytes;
    uint64_t ahead; /* parts, ≥ 1 */
    /* Its own. */
    pthread_mutex_t taking; /* of next; never taken by who holds `lock` */
    pthread_mutex_t lock;   /* of all below */
    pthread_cond_t joined_more;
    char *results; /* of part p: [p % ahead] */
    bool *ready;   /* likewise */
    uint64_t next, joined;
    bool stopped;
};

/* Runs work() in so many threads, of which the caller's is one. 0, or ENOMEM with nothing done. */
int ordered_run(struct ordered *ordered, size_t threads);

/* Waits until there is room for one more result, and takes a part: the place of its result, zeros; NULL: no more. */
void *ordered_take(struct ordered *ordered, void *part);

/* The result is there. */
void ordered_done(struct ordered *ordered, const void *result);

#endif
