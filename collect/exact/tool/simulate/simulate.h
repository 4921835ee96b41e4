/*
 * simulate.h - modes methods and calls: counts the program's execution on a simulated processor, for probes inside the
 * program to read (simulated.h), or for an observer in the tool. No access is kept, and nothing is written.
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

/* The thread now runs: `simulated` is its own from now on. The core is told to call this, unless the caller of
 * simulate_init() then registers a function of its own that does. */
void simulate_switch(ThreadId tid, ULong blocks);

/* The counters of a thread. */
const uint64_t *simulate_counters(ThreadId tid);

/* Adds code of its own to a block, in which `simulated` is up to date. */
struct simulate_observer {
    Bool (*wants)(Addr address); /* whether put_instruction() is to be called for the instruction here, which is next */
    void (*put_instruction)(void);
    void (*put_end)(const IRSB *in, Addr last); /* at the end of the block, whose last instruction is there */
};

/* Instruments a block; the observer may be NULL. */
IRSB *simulate_instrument(const IRSB *in, const struct simulate_observer *observer);

#endif
