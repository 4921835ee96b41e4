/*
 * replay.h - the accesses of a trace of mode memory in the order of the process, the gaps between its bursts and, if
 * the trace has them, the instruction fetches.
 *
 * Gaps and fetches stand in chunks before the accesses that follow them. What waits for its access is kept: the rows of
 * a chunk, and all code.
 */
#ifndef ASSAY_CACHE_REPLAY_H
#define ASSAY_CACHE_REPLAY_H

#include "trace/trace.h"

struct replay_access {
    uint64_t site, address;
    uint64_t instructions; /* executed so far, including its own; 0: not counted */
};

struct replay_fetch {
    uint64_t address, bytes;
    uint64_t instructions; /* executed so far, including this one, which rep may repeat */
};

/* What is replayed. An instruction is fetched before it accesses memory. */
struct replay_events {
    void (*access)(void *user, const struct replay_access *access);
    void (*fetch)(void *user, const struct replay_fetch *fetch); /* NULL: fetches are not wanted */
    void (*gap)(void *user, uint64_t instructions);              /* executed in it; 0: unknown */
    void *user;
};

/* A gap (code 0), or an execution of a run of instructions: `accesses` of the trace come before it. */
struct replay_item {
    uint64_t accesses, code, instructions, count; /* as the columns of TRACE_FETCH */
};

/* An instruction of a run. */
struct replay_instruction {
    uint64_t address;
    uint32_t bytes, instructions;
};

struct replay {
    struct replay_events events;
    const struct trace *trace;
    size_t next_chunk; /* of the trace: behind the latest batch */
    bool fetches;      /* the trace has them, and they are wanted */
    uint64_t accesses; /* so far */
    uint64_t unknown;  /* executions of runs that are not defined: left out */
    struct replay_item *items;
    size_t item_count, item_next, item_capacity;
    struct replay_instruction *instructions;
    size_t instruction_count, instruction_capacity;
    size_t *codes; /* [id]: behind the last of its instructions; [0] is 0 */
    size_t code_count, code_capacity;
    /* The run that is being executed: its instructions up to `end`, of which `next` is to be fetched, and the number of
     * instructions before it. */
    const struct replay_instruction *next, *end;
    uint64_t before;
};

/* Which records of stream 0 replay_feed() needs, and which for fetches; a list of inputs ends with one of kind 0. */
#define REPLAY_INPUTS                                                                                                  \
    {TRACE_ACCESS, TRACE_COLUMN(ACCESS_SITE) | TRACE_COLUMN(ACCESS_INSTRUCTIONS) | TRACE_COLUMN(ACCESS_ADDRESS)},      \
    {                                                                                                                  \
        TRACE_ITERATION, TRACE_ALL_COLUMNS                                                                             \
    }
#define REPLAY_FETCH_INPUTS                                                                                            \
    {TRACE_CODE, TRACE_ALL_COLUMNS},                                                                                   \
    {                                                                                                                  \
        TRACE_FETCH, TRACE_ALL_COLUMNS                                                                                 \
    }

void replay_begin(struct replay *replay, const struct trace *trace, const struct replay_events *events);
/* Takes the batches in the order of the file: those that are left out are damaged. 0 or ENOMEM. */
int replay_feed(struct replay *replay, const struct trace_batch *batch);
/* After the last batch: what is left. */
void replay_end(struct replay *replay);
void replay_free(struct replay *replay);

#endif
