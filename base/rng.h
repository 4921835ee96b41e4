/*
 * rng.h - random numbers, and the random intervals of a sampling clock, in the clock's own unit (ns or events).
 *
 * This runs inside the measured process, in signal handlers too, so the generator is ours: GSL's must be allocated, and
 * the process is not to load GSL.
 */
#ifndef ASSAY_BASE_RNG_H
#define ASSAY_BASE_RNG_H

#include <stdint.h>

/* A splitmix64 generator (Steele, Lea, Flood 2014, doi:10.1145/2714064.2660195): one word of state, any seed works.
 */
struct rng {
    uint64_t state;
};

/* Independent sequences for different (seed, order). */
void rng_init(struct rng *rng, uint64_t seed, uint64_t order);

/* The next number of the sequence: 64 random bits. */
uint64_t rng_next(struct rng *rng);

/* Uniform in [0, n), without modulo bias (Lemire 2019, doi:10.1145/3230636). n ≥ 1. */
uint64_t rng_below(struct rng *rng, uint64_t n);

/* n · part / whole, rounded up or down at random so that its mean is exact. whole ≥ 1, part ≤ whole or n = 1. */
uint64_t rng_share(struct rng *rng, uint64_t n, uint64_t part, uint64_t whole);

/* Uniform in [period − spread, period + spread]; spread < period. */
uint64_t rng_interval(struct rng *rng, uint64_t period, uint64_t spread);

/*
 * The wait for the first tick: from a random moment to the next tick of a clock that has always been running.
 * Drawing a whole interval instead would never sample threads that live less than the shortest interval.
 */
uint64_t rng_first(struct rng *rng, uint64_t period, uint64_t spread);

/*
 * How many trials fail before the first one that succeeds, if each succeeds with probability 1/one_of: geometrically
 * distributed, by inversion (Devroye 1986, ch. X.2). one_of ≥ 1. Needs no libm. Cost: about 0.1 us.
 */
uint64_t rng_failures(struct rng *rng, double one_of);

/* Mixes two words into one; for seeds. */
uint64_t rng_mix(uint64_t a, uint64_t b);

#endif
