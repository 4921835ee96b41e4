/*
 * simulate.h - modes methods and calls: counts the program's execution on a simulated processor, for probes inside the
 * program to read (simulated.h), or for an observer in the tool. No access is kept, and nothing is written.
 */
#ifndef ASSAY_EXACT_TOOL_COUNTERS_SIMULATE_H
#define ASSAY_EXACT_TOOL_COUNTERS_SIMULATE_H

#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/code/translation.h"
#include "collect/exact/tool/counters/simulated.h"

extern struct simulated simulated; /* of the running thread */

/* Sets up the caches from the configuration, and registers with the core. False, with a message, if such caches can't
 * exist. */
Bool simulate_init(void);

/* The thread now runs: `simulated` is its own from now on. The core is told to call this, unless the caller of
 * simulate_init() then registers a function of its own that does. */
void simulate_switch(ThreadId tid, ULong blocks);

/* The counters of a thread. */
const uint64_t *simulate_counters(ThreadId tid);

/* The superblock with code that counts its execution. */
IRSB *simulate_translate(IRSB *in);

/* The same as a back end, which another mode may add to. */
struct translation_mode simulate_mode(void);

/* Emits the count of the instructions that are done, so that `simulated` is up to date. */
void simulate_emit_count(UInt done);

#endif
