/*
 * time.h - the clock of records, which is the same in all processes of a machine.
 */
#ifndef ASSAY_METHODS_TIME_H
#define ASSAY_METHODS_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/* Whether it is the time stamp counter; if not, ticks are ns of CLOCK_MONOTONIC. To be called once. Takes 2 ms. */
bool time_prepare(void);
extern bool time_is_tsc;
static inline uint64_t time_ticks(void)
{
    return time_is_tsc ? __builtin_ia32_rdtsc() : clock_ns(CLOCK_MONOTONIC);
}

/* What a reader knows of the clock: two moments at which both were read. */
struct time_moment {
    uint64_t ticks, ns;
};
struct time_line {
    struct time_moment before, latest;
    double ns_per_tick;
};

/* As time_prepare() has found it. */
struct time_line time_begin(void);

/* To be called before ticks are converted, up to those that it returns. */
uint64_t time_synchronize(struct time_line *line);
uint64_t time_ns_of(const struct time_line *line, uint64_t ticks);     /* CLOCK_MONOTONIC at these ticks */
uint64_t time_length_ns(const struct time_line *line, uint64_t ticks); /* how long so many ticks last */

#endif
