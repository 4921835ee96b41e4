/*
 * try_clock.h - the cost of a sampling clock and whether it ticks, tried in a separate process before anything is
 * measured.
 */
#ifndef ASSAY_RECORD_START_TRY_CLOCK_H
#define ASSAY_RECORD_START_TRY_CLOCK_H

#include "collect/sample/sampler.h"

struct probe_clock {
    uint64_t open_ns; /* CPU time to open and start the clock of a thread: the median of three */
    uint64_t tick_ns; /* CPU time of a tick, interrupt, signal, reading and setting the clock again, but without what a
                         sampler does beyond: walk the stack, write the sample. The median … */
    uint64_t delivery_ns; /* … and the part of it outside the handler */
    unsigned ticks;       /* that came; 0: only open_ns is known */
    double asked;         /* ticks that came per requested one, by CPU time; 0: ticks cost too much to tell */
};

/*
 * Makes the clock of *config (its source and event) tick about 15 times, 1 ms apart, in a child process that is killed
 * after three seconds. Returns 0 and *probe; an errno value of perf_event_open(), or of fork(); ETIME if it was killed.
 */
int probe_clock(const struct sampler_config *config, struct probe_clock *probe);

#endif
