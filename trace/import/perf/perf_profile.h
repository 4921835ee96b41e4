/*
 * perf_profile.h - the profiles of perf's events. Each event is a profile of samples that count as one; their periods,
 * if the file states them, are a further weight. In the profile EVENT/period, if that is wanted, they are the first.
 */
#ifndef ASSAY_TRACE_IMPORT_PERF_PERF_PROFILE_H
#define ASSAY_TRACE_IMPORT_PERF_PERF_PROFILE_H

#include "trace/import/reading.h"

/* Whether the profile EVENT/period is wanted: then the period of a sample is its weight. */
bool perf_wants_periods(const struct reading *reading, const char *event);

/* The sink's profile of an event. `stated`: the file states periods; `unknown`: as in struct sink_profile. */
unsigned perf_open_profile(const struct reading *reading, const char *event, bool stated, unsigned unknown);

#endif
