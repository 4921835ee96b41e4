/*
 * counters.h - hardware events that are to be read in the probes of mode methods: whether this machine has them, and
 * what a reading costs.
 */
#ifndef ASSAY_RECORD_START_COUNTERS_H
#define ASSAY_RECORD_START_COUNTERS_H

#include <jansson.h>

#include "collect/record/record.h"

/* A reading that costs more is no use in a probe: the methods that are worth a look are often that short. */
enum { COUNTERS_DEAREST_NS = 1000 };

/*
 * What stands in the array `counters` for a hardware event is {name, type, config, config1, config2}, as
 * counters_event() makes it. Each is opened and read a number of times here: those that serve get `read_ns` and
 * `rdpmc` (whether that is the cheaper way), the others are replaced by cpu-time, unless that is there already, and
 * told in *why, one line for all ("": all serve). Takes some milliseconds.
 */
void counters_try(json_t *counters, char why[RECORD_WHY_MAX]);

/* Whether any is a simulated one, one of misses, one of branches (METHODS_SIMULATED). */
bool counters_any_simulated(const json_t *counters);
bool counters_want_caches(const json_t *counters);
bool counters_want_branches(const json_t *counters);

/* The simulated ones are replaced likewise, for this reason. */
void counters_drop_simulated(json_t *counters, const char *reason, char why[RECORD_WHY_MAX]);

/* The event of this name, a new reference; NULL with *why (static) if this machine's PMU has none. */
json_t *counters_event(const char *name, const char **why);

#endif
