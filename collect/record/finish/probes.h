/*
 * probes.h - the part of a thread's CPU time that the probes of mode methods took: the number of events in its trace
 * times the cost of one, which each process measured when it started (metadata `probe`).
 */
#ifndef ASSAY_RECORD_FINISH_PROBES_H
#define ASSAY_RECORD_FINISH_PROBES_H

#include <jansson.h>

#include "collect/trace/trace.h"

/*
 * The thread in which probes took the largest share: {"tid", "thread": its name if that is UTF-8, "events", "cpu_ns":
 * of the thread from its first event to its last, "share"}, a new reference. NULL if the trace has no such cost, has
 * the time of a simulation, or has no thread with 10 ms of CPU time, below which a share says little; or without
 * memory. Cost: O(chunks).
 */
json_t *probes_largest(const struct trace *trace);

#endif
