/*
 * simulate.h - mode methods: counts the program's execution on a simulated processor, for probes inside the program to
 * read (simulated.h). No access is kept, and nothing is written.
 */
#ifndef ASSAY_EXACT_TOOL_SIMULATE_SIMULATE_H
#define ASSAY_EXACT_TOOL_SIMULATE_SIMULATE_H

#include <valgrind/libvex_ir.h>
#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/simulate/simulated.h"

extern struct simulated simulated; /* of the running thread */

/* Sets up the caches from the configuration, and registers with the core. False, with a message, if such caches can't
 * exist. */
Bool simulate_init(void);

IRSB *simulate_instrument(const IRSB *in);

#endif
