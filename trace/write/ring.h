/*
 * ring.h - a ring of 64-bit words between one producer (the measured thread, including its signal handlers) and one
 * consumer (the writer, in a thread of the same process or in another process). The producer takes no lock, allocates
 * nothing and makes no system call.
 *
 * A record is a head word, then the values, then two words per stack frame.
 */
#ifndef ASSAY_TRACE_WRITE_RING_H
#define ASSAY_TRACE_WRITE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* The words follow it in memory. */
struct ring {
    size_t mask;           /* capacity in words − 1 */
    _Atomic uint64_t head; /* words ever written; only the producer stores it */
    _Atomic uint64_t tail; /* words ever read; only the consumer stores it */
    _Atomic bool busy;     /* an append is in progress: a nested one is refused */
};

struct ring_record {
    unsigned kind;
    size_t value_count;
    uint64_t values[TRACE_COLUMNS_MAX];
    size_t depth[TRACE_STACKS_MAX], context_column[TRACE_STACKS_MAX]; /* depth 0: no such stack */
    struct trace_raw_frame frames[TRACE_STACKS_MAX][TRACE_STACK_MAX]; /* [depth] */
};

/* Capacity in words: at least `bytes`, rounded up to a power of two, and enough for two of the deepest records. */
size_t ring_words(size_t bytes);

/* The ring needs sizeof *ring and as many words behind it; all zero. */
void ring_init(struct ring *ring, size_t words);

/* Releases the memory of the words, but not their addresses: they are zero from then on. Private memory only. */
void ring_give_back(struct ring *ring, size_t words);

/* False if there is no capacity, or if this append interrupts another of the same thread. count ≤ TRACE_STACKS_MAX. */
bool ring_push(struct ring *ring, unsigned kind, const uint64_t *values, size_t n, const struct trace_stack *stacks,
               size_t count);

/* The oldest record. `words` is the ring's capacity as the consumer knows it: what the producer's process may have
 * damaged is skipped up to its end, and counted in *damaged. False if there is none. */
bool ring_pop(struct ring *ring, size_t words, struct ring_record *record, uint64_t *damaged);

/* Words in use; any thread. */
size_t ring_used(const struct ring *ring);

#endif
