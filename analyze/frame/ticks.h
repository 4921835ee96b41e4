/*
 * ticks.h - whether the ticks of a recording are those that were asked for. A sampler that ticks too often, too seldom
 * or mostly in vain gives a table like any other, so the frame says so beside each table, whatever the analyzer.
 */
#ifndef ASSAY_FRAME_TICKS_H
#define ASSAY_FRAME_TICKS_H

#include <stdbool.h>

#include "collect/trace/trace.h"

enum { TICKS_TEXT_MAX = 320 };

struct ticks {
    double due;          /* that the CPU time of the threads allows, by the interval asked for; 0: not known */
    uint64_t came, lost; /* samples (of watched accesses: searches); counted as lost, for any cause */
    uint64_t changes[CLOCK_CHANGE_COUNT]; /* records of kind clock */
    char doubt[TICKS_TEXT_MAX];           /* why what comes of these samples must not be believed; or "" */
    char change[TICKS_TEXT_MAX];          /* what happened to a clock, the first time; or "" */
};

/*
 * Of a trace and its names. In doubt are recordings whose ticks, with those lost, are more than a fifth more or fewer
 * than due (beyond what chance and time that the host took explain), and those with more than half lost. Traces that
 * are sampled by no clock in time are never in doubt. Cost: O(chunks), and reads those of kind clock.
 */
void ticks_count(const struct trace *trace, const struct trace_names *names, const struct trace_loss *loss,
                 struct ticks *ticks);

#endif
