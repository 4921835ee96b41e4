/* system.h - the effects of the program's system calls, signals, threads and forks on the tool. */
#ifndef ASSAY_EXACT_TOOL_SYSTEM_H
#define ASSAY_EXACT_TOOL_SYSTEM_H

#include <valgrind/pub_tool_basics.h>

/* Handle of the system call instruction that the running thread has executed last. */
extern UInt system_context;

/* The program has exited, with this status. */
extern Bool system_exited;
extern UInt system_status;

void system_init(void);

#endif
