/*
 * What a probe costs: an empty method that is entered and left, many times, here and now. The median of batches, since
 * a thread that is taken off its processor makes one batch take a hundred times as long; its interval is that of
 * order statistics, which needs no distribution.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "collect/methods/thread.h"

enum { BATCHES = 30, PAIRS = 400, FEW_PAIRS = 8, WARM_UP = 50 };
_Static_assert(2 * (2 + EVENT_COUNTERS_MAX) * PAIRS < RING_RECORDS - RING_SLACK, "nobody empties this ring");

/* What a batch shows: of pairs, what one takes from enter to enter, and what of it is between enter and exit: what a
 * method that does nothing seems to take. */
struct sample {
    double pair[1 + COUNTER_KINDS], exit[1 + COUNTER_KINDS]; /* [0]: ns; [1 + kind]: of a counter */
};

static double cost_ticks_to_ns(uint64_t ticks)
{
    const struct time_line line = time_begin();
    return (double)time_length_ns(&line, ticks);
}

/* Finds in the records of a batch what an empty method seems to take, and how much each counter rose by. `counted`: as
 * they stood before. */
static void cost_read_batch(const struct methods_thread *thread, const uint64_t counted[COUNTER_KINDS],
                            struct sample *sample)
{
    uint64_t now[COUNTER_KINDS], first[COUNTER_KINDS] = {0}, entered[COUNTER_KINDS] = {0}, inner[COUNTER_KINDS] = {0};
    uint64_t ticks = 0, pairs = 0, entered_ticks = 0;
    assert(thread->reserved <= RING_RECORDS);
    memcpy(now, counted, sizeof now);
    unsigned enters = 0;
    for (uint64_t i = 0; i < thread->reserved; i++) {
        const struct record *record = &thread->ring->records[i];
        uint64_t mark = record->code >> CODE_BITS, which = record->code & ((UINT64_C(1) << CODE_BITS) - 1);
        if (mark == MARK_EXIT && entered_ticks) {
            ticks += record->ticks - entered_ticks;
            pairs++;
        }
        if (mark == MARK_ENTER || mark == MARK_EXIT)
            entered_ticks = mark == MARK_ENTER ? record->ticks : 0;
        if (mark == MARK_COUNTER)
            now[which] = record->location;
        if (mark == MARK_ENTER)
            memcpy(enters++ ? entered : first, now, sizeof now);
        if (mark == MARK_EXIT && enters > 1)
            for (size_t k = 0; k < COUNTER_KINDS; k++)
                inner[k] += now[k] - entered[k];
    }
    sample->exit[0] = pairs ? cost_ticks_to_ns(ticks) / (double)pairs : 0;
    for (size_t k = 0; k < COUNTER_KINDS && enters > 1; k++) {
        sample->pair[1 + k] = (double)(int64_t)(entered[k] - first[k]) / (enters - 1);
        sample->exit[1 + k] = (double)(int64_t)inner[k] / (enters - 1);
    }
}

/* Of 30 values, counted from 0: the median lies between these two in 95.7 % of cases (binomial, n = 30, p = 1/2). */
enum { LOW_RANK = 9, HIGH_RANK = 20 };
_Static_assert(BATCHES == 30, "the ranks hold for 30");

static int cost_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double cost_sort_median(double sorted[BATCHES])
{
    qsort(sorted, BATCHES, sizeof *sorted, cost_compare_doubles);
    return (sorted[BATCHES / 2 - 1] + sorted[BATCHES / 2]) / 2;
}

static void cost_empty_ring(struct methods_thread *thread)
{
    thread->reserved = 0;
    atomic_store(&thread->ring->head, 0);
}

/* Returns the medians of pair and exit of value `which` over the samples, and the interval of the first. */
static struct cost_of cost_summarize(const struct sample samples[BATCHES], size_t which)
{
    assert(which <= COUNTER_KINDS);
    double pairs[BATCHES], exits[BATCHES];
    for (size_t i = 0; i < BATCHES; i++) {
        pairs[i] = samples[i].pair[which];
        exits[i] = samples[i].exit[which];
    }
    double whole = cost_sort_median(pairs), inner = cost_sort_median(exits);
    return (struct cost_of){whole, inner < whole ? inner : whole, pairs[LOW_RANK], pairs[HIGH_RANK]};
}

bool cost_measure(struct cost *cost)
{
    static const uint64_t LONG_NS = 2000000;
    enum { SLOW_BATCHES = 3 };
    struct methods_thread *thread = probe_thread_new(0);
    struct sample samples[BATCHES];
    if (!thread)
        return false;
    struct methods_thread *before = probe_self();
    probe_set_self(thread);
    atomic_store(&methods.active, true);
    /* Warms up pages, caches, and what compiles as it runs, in the background. A batch has few pairs where another
     * process stops this one at each system call, so that the first batches all take a thousand times as long. */
    unsigned pairs = PAIRS, slow = 0;
    uint64_t started = clock_ns(CLOCK_MONOTONIC), until = started + methods.hooks.warm_up_ns;
    for (unsigned i = 0; i < WARM_UP || clock_ns(CLOCK_MONOTONIC) < until; i++) {
        uint64_t begin = clock_ns(CLOCK_MONOTONIC);
        cost_empty_ring(thread);
        methods.hooks.pairs(pairs);
        slow += clock_ns(CLOCK_MONOTONIC) - begin > LONG_NS;
        if (i + 1 == SLOW_BATCHES && slow == SLOW_BATCHES)
            pairs = FEW_PAIRS;
        if (pairs == FEW_PAIRS && clock_ns(CLOCK_MONOTONIC) - started > 10 * LONG_NS)
            break;
    }
    memset(samples, 0, sizeof samples);
    for (unsigned i = 0; i < BATCHES; i++) {
        uint64_t counted[COUNTER_KINDS];
        memcpy(counted, thread->counted, sizeof counted);
        cost_empty_ring(thread);
        uint64_t begin = time_ticks();
        methods.hooks.pairs(pairs);
        samples[i].pair[0] = cost_ticks_to_ns(time_ticks() - begin) / pairs;
        cost_read_batch(thread, counted, &samples[i]);
    }
    atomic_store(&methods.active, false);
    probe_set_self(before);
    probe_thread_free(thread);
    /* What lies between the two readings of the clock is the enter's end and the exit's beginning. */
    cost->time = cost_summarize(samples, 0);
    for (size_t k = 0; k < COUNTER_KINDS; k++)
        cost->counters[k] = cost_summarize(samples, 1 + k);
    return true;
}
