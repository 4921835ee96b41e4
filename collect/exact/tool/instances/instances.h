/*
 * instances.h - mode calls: every call of the functions that the user named, from the call to the return of that same
 * instance, with its context and what the simulated processor counted in between.
 *
 * An instance begins where the function begins, however it got there: by a call, by a jump of a function that returns
 * with it (a tail call), from the dynamic linker, as a signal handler. It has the frame (frames.h) at whose return
 * address the stack pointer is; a function that jumps to its own beginning in that frame goes on. It has returned if a
 * return instruction takes that address from there, with no call in between still open; if its frame ends in any other
 * way it was left. Instances are written as they begin and end, so memory grows only with the depth of calls.
 */
#ifndef ASSAY_EXACT_TOOL_INSTANCES_INSTANCES_H
#define ASSAY_EXACT_TOOL_INSTANCES_INSTANCES_H

#include <valgrind/libvex_ir.h>
#include <valgrind/pub_tool_basics.h>

/* Registers what it needs with the core. False, with a message: the configuration is wrong. */
Bool instances_init(void);

/* The superblock with code that counts its execution, and calls of the functions. */
IRSB *instances_translate(IRSB *in);

/* The thread now runs. */
void instances_switch(ThreadId tid);

/* It ends: its open instances are unfinished. */
void instances_forget(ThreadId tid);

/* In the child of a fork, which has only this thread, before anything else: open instances are the parent's. */
void instances_open_child(ThreadId tid);

/* Before a flush that may be the last: writes which names were found, and what threads have taken so far. */
void instances_report(void);

#endif
