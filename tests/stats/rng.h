/* rng.h - random numbers for simulations, the same in every run. */
#ifndef ASSAY_TESTS_STATS_RNG_H
#define ASSAY_TESTS_STATS_RNG_H

#include "base/rng.h"

static struct rng draw_state = {88172645463325252u};

/* Uniform in [0, 1), 53 bits. */
static inline double rng_uniform(void)
{
    return (double)(rng_next(&draw_state) >> 11) * 0x1p-53;
}

#endif
