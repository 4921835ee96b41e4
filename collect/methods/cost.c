/*
 * What a probe costs: an empty method that is entered and left, many times, here and now. The median of batches, since
 * a thread that is taken off its processor makes one batch take a hundred times as long; its interval is that of
 * order statistics, which needs no distribution.
 */
#include <stdlib.h>

#include "collect/methods/thread.h"

enum { BATCHES = 30, PAIRS = 400, WARM_UP = 50 };
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

/* Of 30 values, counted from 0: the median lies between these two in 95.7 % of cases (binomial, n = 30, p = 1/2). */
enum { LOW_RANK = 9, HIGH_RANK = 20 };
_Static_assert(BATCHES == 30, "the ranks hold for 30");

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double sorted[BATCHES])
{
    qsort(sorted, BATCHES, sizeof *sorted, compare);
    return (sorted[BATCHES / 2 - 1] + sorted[BATCHES / 2]) / 2;
}

static void empty_ring(struct methods_thread *thread)
{
    thread->reserved = 0;
    atomic_store(&thread->head, 0);
}

/* Pages, caches, and what compiles as it runs, in the background. */
static void warm_up(struct methods_thread *thread)
{
    uint64_t until = time_monotonic_ns() + methods.hooks.warm_up_ns;
    for (unsigned i = 0; i < WARM_UP || time_monotonic_ns() < until; i++) {
        empty_ring(thread);
        methods.hooks.pairs(PAIRS);
    }
}

bool cost_measure(struct cost *cost)
{
    struct methods_thread *thread = probe_thread_new(0);
    double pairs[BATCHES], inner[BATCHES];
    if (!thread)
        return false;
    struct methods_thread *before = probe_self();
    probe_set_self(thread);
    atomic_store(&methods.active, true);
    warm_up(thread);
    for (unsigned batch = 0; batch < BATCHES; batch++) {
        empty_ring(thread);
        uint64_t from = thread->reserved, begin = time_ticks();
        methods.hooks.pairs(PAIRS);
        pairs[batch] = (double)time_length_ns(time_ticks() - begin) / PAIRS;
        inner[batch] = inner_ns(thread, from, thread->reserved);
    }
    atomic_store(&methods.active, false);
    probe_set_self(before);
    probe_thread_free(thread);
    double pair = median(pairs), exit = median(inner);
    /* What lies between the two readings of the clock is the enter's end and the exit's beginning. */
    exit = exit < pair ? exit : pair;
    *cost = (struct cost){pair - exit, exit, pair, pairs[LOW_RANK], pairs[HIGH_RANK]};
    return true;
}
