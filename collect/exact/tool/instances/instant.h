/* instant.h - the time of each call, which must not cost a system call. */
#ifndef ASSAY_EXACT_TOOL_INSTANCES_INSTANT_H
#define ASSAY_EXACT_TOOL_INSTANCES_INSTANT_H

#include <valgrind/pub_tool_basics.h>

/* Asks the kernel; to be called about a thousand times a second. */
void instant_read_clock(void);

/* CLOCK_MONOTONIC by the processor's counter since then, in ns; it never runs backwards. */
ULong instant_ns(void);

#endif
