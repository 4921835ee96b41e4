/*
 * What a probe costs: an empty method that is entered and left, many times, here and now.
 */
#include <math.h>

#include "collect/methods/thread.h"

enum { BATCHES = 31, PAIRS = 400, WARM_UP = 50 };
_Static_assert(2 * (2 + EVENT_COUNTERS_MAX) * PAIRS < RING_RECORDS - RING_SLACK, "nobody empties this ring");

/* From an enter's own time to its exit's: what a method that does nothing seems to take. */
static double inner_ns(const struct methods_thread *thread, uint64_t from, uint64_t to)
{
    uint64_t sum = 0, count = 0, entered = 0;
    for (uint64_t i = from; i < to; i++) {
        const struct record *record = &thread->ring[i];
        uint64_t mark = record->code >> CODE_BITS;
        if (mark == MARK_EXIT && entered) {
            sum += record->ticks - entered;
            count++;
        }
        if (mark == MARK_ENTER || mark == MARK_EXIT)
            entered = mark == MARK_ENTER ? record->ticks : 0;
    }
    return count ? (double)time_length_ns(sum) / (double)count : 0;
}

/* Student's t, 95 %, of 30 batches: 29 degrees of freedom. */
static const double QUANTILE = 2.0452296421327034;

static void empty_ring(struct methods_thread *thread)
{
    thread->reserved = 0;
    atomic_store(&thread->head, 0);
}

bool cost_measure(struct cost *cost)
{
    struct methods_thread *thread = probe_thread_new(0);
    double pairs[BATCHES], mean = 0, inner = 0, squares = 0;
    if (!thread)
        return false;
    struct methods_thread *before = probe_self();
    probe_set_self(thread);
    atomic_store(&methods.active, true);
    for (unsigned i = 0; i < WARM_UP; i++) { /* pages, caches, and what compiles as it runs */
        empty_ring(thread);
        methods.hooks.pairs(PAIRS);
    }
    for (unsigned batch = 0; batch < BATCHES - 1; batch++) {
        empty_ring(thread);
        uint64_t from = thread->reserved, begin = time_ticks();
        methods.hooks.pairs(PAIRS);
        pairs[batch] = (double)time_length_ns(time_ticks() - begin) / PAIRS;
        mean += pairs[batch] / (BATCHES - 1);
        inner += inner_ns(thread, from, thread->reserved) / (BATCHES - 1);
    }
    for (unsigned batch = 0; batch < BATCHES - 1; batch++)
        squares += (pairs[batch] - mean) * (pairs[batch] - mean);
    atomic_store(&methods.active, false);
    probe_set_self(before);
    probe_thread_free(thread);
    double half = QUANTILE * sqrt(squares / (BATCHES - 2) / (BATCHES - 1));
    /* What lies between the two readings of the clock is the enter's end and the exit's beginning. */
    *cost = (struct cost){mean - inner, inner, mean, mean - half, mean + half};
    return true;
}
