/*
 * perf.h - a perf event as the clock of one thread: it counts in the thread and sends it SIGPROF at each overflow.
 */
#ifndef ASSAY_PERF_H
#define ASSAY_PERF_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/sample/sampler.h"

/* Any event of a thread of this process, at a high number that is kept (kept.h). −1 with errno. */
int perf_keep(const struct perf_event_attr *attr, pid_t tid);

/*
 * Opens a clock of this source (cpu-clock or pmu) for thread `tid` of this process, stopped, to tick first after
 * `first` units. The descriptor is closed on exec and kept out of the low numbers. 0 and *fd, or an errno value (EMFILE
 * also when the clocks would take more than half of the descriptors that this process may have).
 */
int perf_open(const struct sampler_config *config, enum sampler_source source, pid_t tid, uint64_t first, int *fd);

void perf_enable(int fd); /* async-signal-safe, as are the next three */
void perf_disable(int fd);
void perf_rearm(int fd, uint64_t units); /* the next tick comes so many units from now */
uint64_t perf_count(int fd);             /* units so far; 0 if it can't be read */

/* Whether fd still is the clock of this thread: a program may close all descriptors it can find. */
bool perf_owned(int fd, pid_t tid);

/* Closes it, if it is still that. */
void perf_close(int fd, pid_t tid);

#endif
