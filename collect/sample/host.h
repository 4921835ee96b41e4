/* host.h - metadata of a trace about the process and the machine. */
#ifndef ASSAY_SAMPLE_HOST_H
#define ASSAY_SAMPLE_HOST_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Sets pid, exe, arguments, host, kernel, cpu, cpu_count, governor, turbo, clock_resolution_ns, start_realtime,
 * start_monotonic_ns, perf_event_paranoid in *metadata. What can't be read is left out. */
void host_describe(json_t *metadata);

/* The parts of it, also for another process: its number, program (""; unknown) and arguments, each with its NUL, … */
void host_describe_process(json_t *metadata, pid_t pid, const char *exe, const char *arguments, size_t bytes);
/* … host, kernel, processors, perf_event_paranoid, … */
void host_describe_machine(json_t *metadata);
/* … when it began, and the clock's resolution. */
void host_describe_start(json_t *metadata, uint64_t monotonic_ns, struct timespec realtime);

#endif
