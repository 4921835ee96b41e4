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

/* If the call executes /proc/self/exe, or by whatever path that of another recorded process: the path of the program,
 * in memory of the program's; otherwise 0. (The kernel would take this for Valgrind.) Costs a stat(2) or two. */
Addr execute_path(const struct call *call);

/* Before the program's first instruction: the name that it is called by, and that of its thread. */
void execute_init(void);

/* Whether the user wants this program recorded: --assay-only and --assay-skip. */
Bool execute_wants_program(void);

#endif
