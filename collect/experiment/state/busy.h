/*
 * busy.h - whether the machine was too busy for wall times.
 */
#ifndef ASSAY_EXPERIMENT_BUSY_H
#define ASSAY_EXPERIMENT_BUSY_H

#include "collect/experiment/state/experiment.h"

/*
 * A sentence with figures, if a quarter of the runs or more waited for a processor: the load average before the start
 * was above the number of cores, and the run's wall time was 1.2 times its CPU time or more. NULL if not. A program
 * with many threads makes a load of its own, but has more CPU time than wall time. Failed runs, and those of audits and
 * injections, don't count. Lives in the experiment's memory. O(runs · starts).
 */
const char *busy_describe(struct experiment *experiment);

#endif
