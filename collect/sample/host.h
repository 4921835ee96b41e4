/* host.h - metadata of a trace about the process and the machine. */
#ifndef ASSAY_SAMPLE_HOST_H
#define ASSAY_SAMPLE_HOST_H

#include <jansson.h>

/* Sets pid, exe, arguments, host, kernel, cpu, cpu_count, governor, turbo, clock_resolution_ns, start_realtime,
 * start_monotonic_ns, perf_event_paranoid in *metadata. What can't be read is left out. */
void host_describe(json_t *metadata);

#endif
