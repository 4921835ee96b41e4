/*
 * pmu.h - hardware events: from names (libpfm4) to the arguments of perf_event_open().
 */
#ifndef ASSAY_RECORD_START_PMU_H
#define ASSAY_RECORD_START_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error_text.h"

struct pmu_event {
    const char *name; /* as requested; borrowed */
    uint32_t type;    /* of perf_event_attr, as are all that follow */
    uint64_t config, config1, config2;
    unsigned precise;
};

/*
 * The events that can drive a sampling clock, best first, NULL at the end: reference cycles (constant rate), then
 * cycles. pmu_encode() and perf_event_open() determine which of them a machine has.
 */
const char *const *pmu_clock_events(void);

/*
 * The same for samples of memory accesses: instructions retired. A fixed number of instructions is searched after a
 * sample, so samples that are spread evenly over instructions make every access equally likely.
 */
const char *const *pmu_instruction_events(void);

/*
 * Encodes an event of this machine's PMU (or of the one that LIBPFM_FORCE_PMU names) by name, with libpfm4's umasks
 * and modifiers: "UNHALTED_REFERENCE_CYCLES", "perf::CYCLES:u". Returns 0, or STATUS_BAD with a message
 * and *event untouched.
 */
int pmu_encode(const char *name, struct pmu_event *event, struct error_text *message);

/* The rate at which an event counts while the calling thread spins. */
struct pmu_rate {
    double events_per_ns; /* relative to the time during which it was counted: the median over rounds */
    double counted;       /* share of the thread's time during which it was counted: less than 1 if others use the
                             counters too */
};

enum { PMU_ROUNDS = 7 };

/* Whether a processor can have that many cycles or instructions per nanosecond. */
bool pmu_rate_is_possible(double events_per_ns);

/*
 * Measures the rate in PMU_ROUNDS rounds of 3 ms of CPU time each, by the event's own time_running, so that neither a
 * slow ioctl nor sharing a counter matters. Returns 0, or an errno value of perf_event_open() or read(); ENODATA if it
 * never counted; ERANGE if most rounds were impossible, with their result in *rate.
 */
int pmu_calibrate(const struct pmu_event *event, struct pmu_rate *rate);

#endif
