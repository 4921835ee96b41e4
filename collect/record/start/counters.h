/*
 * counters.h - hardware events for the probes of mode methods: whether this machine has them, and the cost of a
 * reading.
 */
#ifndef ASSAY_RECORD_START_COUNTERS_H
#define ASSAY_RECORD_START_COUNTERS_H

#include <jansson.h>

#include "collect/record/record.h"

/* A more expensive reading is useless in a probe: interesting methods are often that short. */
enum { COUNTERS_DEAREST_NS = 1000 };

/*
 * A hardware event in the array `counters` is {name, type, config, config1, config2}, from counters_event(). Each is
 * opened and read a number of times here: usable ones get `read_ns` and `rdpmc` (whether that is the cheaper way), the
 * others are replaced by cpu-time, unless that is there already, and reported in *why, one line for all ("": all are
 * usable). Takes some milliseconds.
 */
void counters_try(json_t *counters, char why[RECORD_WHY_MAX]);

/* Whether any is a simulated one, one of misses, one of branches (METHODS_SIMULATED). */
bool counters_any_simulated(const json_t *counters);
bool counters_want_caches(const json_t *counters);
bool counters_want_branches(const json_t *counters);

/* Replaces the simulated ones likewise, for this reason. */
void counters_drop_simulated(json_t *counters, const char *reason, char why[RECORD_WHY_MAX]);

/* The event of this name, a new reference; NULL with *why (static) if this machine's PMU has none. */
json_t *counters_event(const char *name, const char **why);

#endif
