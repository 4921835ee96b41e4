/*
 * reservoir.h - assigns debug registers to sampled accesses.
 *
 * Each register α has a count i of the samples offered since it was free last; an occupied one takes the next sample
 * with probability 1/i. A sample takes a free register if there is one; otherwise it tries all, in random order, until
 * one takes it. So every sample since then has the same chance to be watched, however long ago it was. Source: JXPerf,
 * ESEC/FSE 2019, §5.2; Vitter 1985, doi:10.1145/3147.3165.
 *
 * A place that is accessed again soon is watched to its end more often than one that must survive many samples. Each
 * register therefore carries the weight of its sample: one over the probability, given what the registers held when it
 * was offered, that a sample is armed and still there (Horvitz and Thompson 1952, doi:10.1080/01621459.1952.10483446).
 * Sums of weights over traps are unbiased for sums over all sampled accesses.
 */
#ifndef ASSAY_WATCH_RESERVOIR_H
#define ASSAY_WATCH_RESERVOIR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/rng.h"

enum { RESERVOIR_MAX = 4, RESERVOIR_NONE = -1 };

enum reservoir_policy {
    RESERVOIR_UNIFORM,       /* as above */
    RESERVOIR_REPLACE_OLDEST /* the new sample always replaces the oldest, for comparison. Weights are 1 */
};

struct reservoir {
    size_t count; /* of registers, 1 … RESERVOIR_MAX */
    enum reservoir_policy policy;
    bool busy[RESERVOIR_MAX];
    uint64_t offered[RESERVOIR_MAX]; /* i: samples since the register was free, including the one that took it */
    uint64_t age[RESERVOIR_MAX];     /* number of the sample that it holds */
    double weight[RESERVOIR_MAX];    /* ≥ 1; of what it holds */
    uint64_t samples;
};

void reservoir_init(struct reservoir *reservoir, size_t count, enum reservoir_policy policy);

/* A new sample: the register that takes it, whose earlier occupant (if *replaced) is lost, or RESERVOIR_NONE. */
int reservoir_offer(struct reservoir *reservoir, struct rng *rng, bool *replaced);

/* The register's watchpoint is finished: it is free, and its count restarts. Returns the weight it had. */
double reservoir_release(struct reservoir *reservoir, int index);

#endif
