/*
 * maps.h - which mappings are data objects: those that the program makes itself. Not the allocator's (its blocks are
 * objects), nor the dynamic loader's (whose static objects have symbols), nor stacks, nor code.
 */
#ifndef ASSAY_EXACT_TOOL_MAPS_H
#define ASSAY_EXACT_TOOL_MAPS_H

#include <valgrind/pub_tool_basics.h>

/* A system call that succeeded: `node` has made it. */
void maps_called(ThreadId tid, UInt number, const UWord *arguments, UWord result, UInt node);

/* A new thread is about to execute its first instruction. */
void maps_thread_begins(ThreadId tid);

#endif
