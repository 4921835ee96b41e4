/* resample.h - random indices: splitmix64 (Steele, Lea, Flood 2014, doi:10.1145/2714064.2660195), with any seed. */
#ifndef ASSAY_STATS_ESTIMATES_RESAMPLE_H
#define ASSAY_STATS_ESTIMATES_RESAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* Uniform in [0, n), with a bias below n/2^64. n ≥ 1. O(1). */
static inline size_t resample_index(uint64_t *state, size_t n)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (size_t)((unsigned __int128)(z ^ z >> 31) * n >> 64);
}

#endif
