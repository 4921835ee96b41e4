/*
 * ring.h - a ring of 64-bit words between one producer (the measured thread, including its signal handlers) and one
 * consumer (the writer's thread). The producer takes no lock, allocates nothing and makes no system call.
 *
 * A record is a head word, then the values, then two words per stack frame.
 */
#ifndef ASSAY_TRACE_WRITER_RING_H
#define ASSAY_TRACE_WRITER_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/trace/trace.h"

struct ring {
    uint64_t *words;
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

/* Capacity: at least `bytes`, rounded up to a power of two, and enough for two of the deepest records. 0 or ENOMEM. */
int ring_init(struct ring *ring, size_t bytes);
/* Releases the memory, but not the addresses, so that a late producer does no harm. */
void ring_give_back(struct ring *ring);
void ring_free(struct ring *ring);

/* False if there is no room, or if this append interrupts another of the same thread. count ≤ TRACE_STACKS_MAX. */
bool ring_push(struct ring *ring, unsigned kind, const uint64_t *values, size_t n, const struct trace_stack *stacks,
               size_t count);

/* The oldest record; false if there is none. */
bool ring_pop(struct ring *ring, struct ring_record *record);

/* Words in use; any thread. */
size_t ring_used(const struct ring *ring);

#endif
