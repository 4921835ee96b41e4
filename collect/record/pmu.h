/*
 * pmu.h - hardware events: their names (libpfm4) turned into what perf_event_open() takes.
 */
#ifndef ASSAY_PMU_H
#define ASSAY_PMU_H

#include <stdint.h>

struct pmu_event {
    const char *name; /* as asked for; borrowed */
    uint32_t type;    /* of perf_event_attr, as are all that follow */
    uint64_t config, config1, config2;
    unsigned precise;
};

/*
 * The events that can drive a sampling clock, best first, NULL at the end: reference cycles (constant rate), then
 * cycles. Which of them a machine has is for pmu_encode() and perf_event_open() to find out.
 */
const char *const *pmu_clock_events(void);

/*
 * The same for samples of memory accesses: instructions retired. What is searched after a tick is a number of
 * instructions, so ticks that are spread evenly over instructions make every access equally likely.
 */
const char *const *pmu_instruction_events(void);

/*
 * Encodes an event of this machine's PMU (or of the one that LIBPFM_FORCE_PMU names) by name, with libpfm4's umasks
 * and modifiers: "UNHALTED_REFERENCE_CYCLES", "perf::CYCLES:u". Returns 0, or -1 with *why (static) and *event
 * untouched.
 */
int pmu_encode(const char *name, struct pmu_event *event, const char **why);

/*
 * How often the event happens in a nanosecond of CPU time, measured on the calling thread while it spins for 20 ms of
 * CPU time. Returns 0, or an errno value of perf_event_open() or read(); ENODATA if it never happened.
 */
int pmu_measure(const struct pmu_event *event, double *events_per_ns);

#endif
