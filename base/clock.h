/*
 * clock.h - what a clock of the kernel says.
 */
#ifndef ASSAY_BASE_CLOCK_H
#define ASSAY_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* The clock's time in ns; 0 if the kernel does not have it, as that of a thread that is gone. Async-signal-safe. Costs
 * about 20 ns for CLOCK_MONOTONIC, and a system call for a clock of CPU time. */
static inline uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    return clock_gettime(clock, &now) == 0 ? (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec : 0;
}

#endif
