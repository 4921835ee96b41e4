/*
 * loops.h - the loops of a program, as a plan goes through them: which loads are looked at in which loop, and how many
 * iterations ahead they are prefetched.
 */
#ifndef ASSAY_STRIDES_LOOPS_H
#define ASSAY_STRIDES_LOOPS_H

#include "analyze/strides/strides.h"

/* Whether a row is looked at in its loop: it is its innermost one, or those within have few iterations. */
bool loops_includes_row(const struct strides *strides, const struct loads_row *row);

/* Instructions of all traces; where they are not counted, those that their accesses stand for. */
uint64_t loops_instructions(const struct strides *strides);

/* The distance for the loop at this location: as many iterations as take the latency of memory, but no more than half
 * of those that an entry has. At least 1. */
uint64_t loops_distance(const struct strides *strides, uint32_t location);

/* A row that is looked at, in the order of the loops: inner ones first (the postorder of §3). */
struct loops_row {
    uint32_t row, loop;
    unsigned depth;
};

/* Fills `ranked`, which has capacity for all rows: their number. O(n log n). */
uint32_t loops_rank(const struct strides *strides, struct loops_row *ranked);

#endif
