/* draw.h - random numbers for simulations: splitmix64 (Steele, Lea, Flood 2014), the same in every run. */
#ifndef ASSAY_TESTS_DRAW_H
#define ASSAY_TESTS_DRAW_H

#include <stdint.h>

static uint64_t draw_state = 88172645463325252u;

/* Uniform in [0, 1), 53 bits. */
static inline double draw_uniform(void)
{
    uint64_t z = draw_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

#endif
