/*
 * turns.h - which iteration of which loop a trace's accesses are in.
 *
 * The trace says when a loop's header is executed (docs/trace-format.md, kind 33). A loop begins anew where the loop
 * around it has iterated since, and after a gap between bursts it is unknown where it is until it iterates again.
 */
#ifndef ASSAY_STRIDES_TURNS_H
#define ASSAY_STRIDES_TURNS_H

#include <stdint.h>

#include "trace/trace.h"

/* A loop, as the accesses so far left it. Serial numbers count the executions of its header in the whole trace. */
struct turns_loop {
    uint64_t serial; /* of the iteration that it is in */
    uint64_t entry;  /* of the first one since it began anew */
    uint64_t outer;  /* of the loop around it, when this one last iterated */
    uint64_t since;  /* number of accesses of the trace before this iteration */
    uint64_t entries;
    uint64_t spans, accesses; /* iterations that another one of the same entry followed, and accesses of the process in
                                 them */
    uint32_t burst;           /* in which it last iterated */
};

/* An executed header that waits for the accesses before it. */
struct turns_step {
    uint64_t accesses, count;
    uint32_t loop;
};

struct turns {
    const struct trace_names *names;
    struct turns_loop *loops; /* [names->loop_count] */
    struct turns_step *steps; /* [next, count) wait */
    size_t next, count, capacity;
    uint32_t burst;
    uint64_t gaps, skipped; /* and the instructions that were executed in them */
};

int turns_init(struct turns *turns, const struct trace_names *names); /* 0 or ENOMEM */
void turns_free(struct turns *turns);

/* Takes a chunk of kind iteration. 0 or ENOMEM. */
int turns_add(struct turns *turns, const struct trace_batch *batch);
/* Executes all headers that come before the access of this number, from 0. */
void turns_advance(struct turns *turns, uint64_t access);

/* The loop, if it is known in which iteration it is; else NULL. */
static inline const struct turns_loop *turns_find_loop(const struct turns *turns, uint32_t loop)
{
    const struct turns_loop *found = &turns->loops[loop];
    return found->serial > 0 && found->burst == turns->burst ? found : NULL;
}

#endif
