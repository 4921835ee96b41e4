/*
 * perf_counters.h - the JVM's own counters (which jcmd PID PerfCounter.print prints), by name. It keeps them in a file
 * that it has mapped, unless it runs with -XX:-UsePerfData.
 */
#ifndef ASSAY_AGENTS_JVM_PERF_COUNTERS_H
#define ASSAY_AGENTS_JVM_PERF_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds counters of one 64-bit number: values[count] are where they are, NULL for those that this JVM does not keep
 * (yet: some are created only after it is live). Returns the unit of its times in ns; 0: it keeps no counters. Cost:
 * reading /proc/self/maps, and O(all counters). */
double perf_counters_find(const char *const *names, size_t count, const char **values);

/* The number that is there now. */
int64_t perf_counters_value(const char *value);

/* A counter of time in ns; false: there is none with this name. */
bool perf_counters_ns(const char *name, uint64_t *ns);

#endif
