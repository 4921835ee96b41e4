/*
 * clock_event.h - a perf event as the clock of one thread: it counts in the thread and sends it a signal at each
 * overflow.
 */
#ifndef ASSAY_SAMPLE_CLOCK_EVENT_H
#define ASSAY_SAMPLE_CLOCK_EVENT_H

#include <stdint.h>
#include <sys/types.h>

#include "collect/perf/event.h"
#include "collect/sample/sampler.h"

/*
 * Opens a clock of this source (cpu-clock or pmu) for thread `tid` of this process, stopped, to tick first after
 * `first` units. The descriptor is closed on exec and outside the low numbers. 0 and *fd, or an errno value (EMFILE
 * also when the clocks would take more than half of the descriptors that this process may have).
 */
int perf_open(const struct sampler_config *config, enum sampler_source source, pid_t tid, uint64_t first, int signal,
              int *fd);

#endif
