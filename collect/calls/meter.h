/*
 * meter.h - what the program has used in a thread so far, without the recorder's own signal handlers.
 *
 * A handler reads the counters first and last; what they advance in between is its own. What a trap costs outside of
 * its handler (the exception, the delivery of the signal, the return from it) is measured again and again, since it
 * changes within tens of milliseconds, and the median of the last measurements is subtracted for each.
 */
#ifndef ASSAY_CALLS_METER_H
#define ASSAY_CALLS_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "collect/perf/hardware.h"
#include "trace/trace.h"

/* Values: wall time, CPU time, and how long the program was stopped, in ns; then the counters of the configuration. */
enum { METER_WALL, METER_CPU, METER_STOPPED, METER_COUNTERS, METER_VALUES = METER_COUNTERS + EVENT_COUNTERS_MAX };

/* The counters beside hardware events, by their names in the configuration and in the trace. */
#define METER_OPTIONS "cpu-time", "page-faults", "context-switches", "allocated"
#define METER_NAMES "thread-cpu-ns", "page-faults", "context-switches", "allocated-bytes"
enum { METER_COSTS = 5 };
enum meter_counter {
    METER_COUNT_CPU,
    METER_COUNT_FAULTS,
    METER_COUNT_SWITCHES,
    METER_COUNT_ALLOCATED, /* only where the host knows */
    METER_NAMED
};

/* The wall time as a counter, where instances exclude the time for which the program was stopped. */
#define METER_WALL_NAME "wall-ns"

/* What only the program's runtime knows; NULL: it knows nothing of it. Async-signal-safe. */
struct meter_host {
    uint64_t (*allocated)(void); /* bytes that the calling thread has allocated */
    uint64_t (*stopped)(void);   /* ns for which the runtime has stopped the program so far */
};
extern struct meter_host meter_host; /* set once, before meter_prepare() */

/* What reaches a handler: a signal of a debug register or a step, or the probe of a call that is chosen; a return stub;
 * or a tick. */
enum meter_way { METER_TRAP, METER_RETURN, METER_WAYS, METER_TICK = METER_WAYS };

/* What reaching a handler and going back costs outside of it, of each value: in all, and before the handler. */
struct meter_cost {
    uint64_t whole[METER_VALUES], before[METER_VALUES];
};

struct meter {
    uint64_t entered[METER_VALUES]; /* readings at the beginning of this handler */
    uint64_t own[METER_VALUES];     /* what handlers took */
    /* What the program has used until this handler, of each value. What is subtracted for a trap is known to a
     * microsecond or so: it may run backwards by that. */
    int64_t program[METER_VALUES];
    struct meter_cost cost[METER_WAYS];               /* which is subtracted: medians */
    struct meter_cost costs[METER_WAYS][METER_COSTS]; /* as measured last, in no order */
    unsigned cost_count[METER_WAYS];                  /* measured so far */
    struct hardware hardware;
};

/* Takes an array of names of counters, or of objects for hardware_add(); at most EVENT_COUNTERS_MAX. Returns the names
 * of those that there are, an array for the metadata (a new reference); where the host knows when the program is
 * stopped, the wall time is added as long as there is room. To be called once, before the rest. */
json_t *meter_prepare(const json_t *counters);
size_t meter_count(void); /* of counters */

/* Reads all values of the calling thread. */
void meter_read(const struct meter *meter, uint64_t values[METER_VALUES]);

/* Begins for the calling thread. */
void meter_open(struct meter *meter);
void meter_close(struct meter *meter);

/* The first and the last thing in a handler; the delivery of a tick is `delivery_ns`, 0 otherwise. */
void meter_enter(struct meter *meter, enum meter_way way);
void meter_leave(struct meter *meter, enum meter_way way, uint64_t delivery_ns);

/*
 * Measures what a handler costs outside of it: `touch` makes one run, which enters and leaves `scratch`, that
 * meter_measure() makes of the thread's meter; meter_measure_before() goes on with it. meter_learn() adds a measurement
 * to those that meter->cost has the medians of; a thread begins with what the process knows.
 */
void meter_measure(const struct meter *meter, struct meter *scratch, void (*touch)(void *user), void *user,
                   uint64_t whole[METER_VALUES]);
void meter_measure_before(struct meter *scratch, void (*touch)(void *user), void *user, uint64_t before[METER_VALUES]);
void meter_learn(struct meter *meter, enum meter_way way, const struct meter_cost *cost);

/* How well the CPU time of a trap is known, ns: the range of the middle half of those measurements. */
uint64_t meter_doubt(const struct meter *meter);

#endif
