/*
 * replay.h - the accesses of a trace of mode memory in the order of the process, and the gaps between its bursts.
 *
 * Iterations, gaps among them, stand in chunks before the accesses that follow them. What waits for its access is kept:
 * the gaps of a chunk.
 */
#ifndef ASSAY_CACHE_REPLAY_H
#define ASSAY_CACHE_REPLAY_H

#include "collect/trace/trace.h"

struct replay_access {
    uint64_t site, address;
    uint64_t instructions; /* executed so far, including its own; 0: not counted */
};

/* What is replayed. */
struct replay_events {
    void (*access)(void *user, const struct replay_access *access);
    void (*gap)(void *user, uint64_t instructions); /* executed in it; 0: unknown */
    void *user;
};

/* What waits for an access: `accesses` of the trace come before it. */
struct replay_gap {
    uint64_t accesses, instructions;
};

struct replay {
    struct replay_events events;
    uint64_t accesses; /* so far */
    struct replay_gap *gaps;
    size_t gap_count, gap_next, gap_capacity;
};

/* Which records of stream 0 replay_feed() needs; the list has a last entry of kind 0. */
#define REPLAY_INPUTS                                                                                                  \
    {TRACE_ACCESS, TRACE_COLUMN(ACCESS_SITE) | TRACE_COLUMN(ACCESS_INSTRUCTIONS) | TRACE_COLUMN(ACCESS_ADDRESS)},      \
    {                                                                                                                  \
        TRACE_ITERATION,                                                                                               \
            TRACE_COLUMN(ITERATION_ACCESSES) | TRACE_COLUMN(ITERATION_LOOP) | TRACE_COLUMN(ITERATION_COUNT)            \
    }

/* Start with {0}, except for the events. replay_feed() takes the batches in the order of the file; 0 or ENOMEM. */
int replay_feed(struct replay *replay, const struct trace_batch *batch);
/* After the last batch: what is left. */
void replay_end(struct replay *replay);
void replay_free(struct replay *replay);

#endif
