/*
 * calls.h - the program's system calls, before Valgrind's core makes them: those that the core would not answer as the
 * kernel does are answered here. calls.c asks the others in turn.
 */
#ifndef ASSAY_EXACT_TOOL_PROCESS_CALLS_H
#define ASSAY_EXACT_TOOL_PROCESS_CALLS_H

#include <valgrind/pub_tool_basics.h>

struct call {
    UWord number, arguments[6];
    UWord next; /* the address of the instruction after the call */
};

enum { CALLS_INSTRUCTION_BYTES = 2 }; /* of `syscall` */

/* The call has this result (negative: an errno value), and the core does not make it. */
void calls_set_result(ThreadId tid, Long result);

/* The core makes this call instead. */
void calls_replace(ThreadId tid, UInt trc, UWord number, UWord first);

/* The core blocks signals while the program's code runs, and asks for them now and then. Delivers those up to this
 * number (but not SIGSYS) that the program would have got before this call, which is made again after their handlers.
 * False if there are none. */
Bool calls_take_signals(ThreadId tid, const struct call *call, Int most);

#endif
