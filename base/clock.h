/*
 * clock.h - reading a kernel clock.
 */
#ifndef ASSAY_BASE_CLOCK_H
#define ASSAY_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* The clock's time in ns; 0 if it does not exist, such as that of a thread that has exited. Async-signal-safe. Cost:
 * about 20 ns for CLOCK_MONOTONIC, a system call for a CPU-time clock. */
static inline uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    return clock_gettime(clock, &now) == 0 ? (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec : 0;
}

#endif
