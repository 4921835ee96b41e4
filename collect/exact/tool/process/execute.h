/*
 * execute.h - programs that the program's processes execute. Those that Valgrind can't run, or that would not be the
 * same under it, run without it, as they would alone; the recorder prints which and why. The others get from the tool
 * of the process that executes them what the kernel would have passed on: the name that they are called by, and filters
 * of system calls.
 */
#ifndef ASSAY_EXACT_TOOL_PROCESS_EXECUTE_H
#define ASSAY_EXACT_TOOL_PROCESS_EXECUTE_H

#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/process/calls.h"

/* Handles an option that the tool of another process has passed on: True if it is one. */
Bool execute_option(const HChar *argument);

/*
 * If the call is about the program's own file (own_file.h), or executes a file by its descriptor, which may have no
 * path: changes it into one that the core makes as the kernel would have made the other, and returns True. What it
 * points to lies in memory of the program's. Where it returns, execute_returned() must follow.
 */
Bool execute_rewrite(struct call *call);
void execute_returned(void);

/* Whether the user wants this program recorded: --assay-only and --assay-skip. */
Bool execute_wants_program(void);

#endif
