/*
 * simulate.h - mode methods: what the program executes is counted as a simulated processor would, for probes inside of
 * the program to read (simulated.h). No access is kept, and nothing is written.
 */
#ifndef ASSAY_EXACT_TOOL_SIMULATE_SIMULATE_H
#define ASSAY_EXACT_TOOL_SIMULATE_SIMULATE_H

#include <valgrind/libvex_ir.h>
#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/simulate/simulated.h"

extern struct simulated simulated; /* of the thread that runs */

/* Takes the caches from the configuration, and tells the core what has to be told here. False, with a message, if there
 * can be no such caches. */
Bool simulate_init(void);

IRSB *simulate_instrument(const IRSB *in);

#endif
