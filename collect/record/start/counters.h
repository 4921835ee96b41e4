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
 * others are replaced by cpu-time, unless that is there already, and *left_out is one line about all of them ("": all
 * are usable). Takes some milliseconds.
 */
void counters_try(json_t *counters, struct error_text *left_out);

/* Whether any is a simulated one, one of misses, one of branches (METHODS_SIMULATED). */
bool counters_any_simulated(const json_t *counters);
bool counters_want_caches(const json_t *counters);
bool counters_want_branches(const json_t *counters);

/* Replaces the simulated ones likewise, for this reason, which is appended to *left_out. */
void counters_drop_simulated(json_t *counters, const char *reason, struct error_text *left_out);

/* More than EVENT_COUNTERS_MAX of the array `counters` take turns over the runs of a series. Counters that others are
 * related to (cpu-time, cycles, instructions, simulated-instructions) are in every run, up to three of them, and the
 * others are divided evenly. The number of different runs, at least 1. */
enum { COUNTERS_ROTATED_MAX = 32 };
size_t counters_turns(const json_t *counters);

/* Returns what the run with this number counts, from 1 on: a new array of up to EVENT_COUNTERS_MAX; NULL without
 * memory. */
json_t *counters_of_run(const json_t *counters, uint64_t number);

/* The event of this name, a new reference in *event; STATUS_BAD with a message if this machine's PMU has none. */
int counters_event(const char *name, json_t **event, struct error_text *message);

#endif
