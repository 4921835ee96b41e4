/*
 * own_file.h - the program's own file. For the kernel the link /proc/PID/exe of a recorded process leads to Valgrind;
 * the core knows that of a few calls alone, and hands out one open file for all of them.
 */
#ifndef ASSAY_EXACT_TOOL_PROCESS_OWN_FILE_H
#define ASSAY_EXACT_TOOL_PROCESS_OWN_FILE_H

#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/process/calls.h"

/*
 * If the call reads, executes or asks about such a link, by its usual paths, or executes it by whatever path: changes
 * the call into one about the program's file, whose path lies in memory of the program's, and returns True. Costs a
 * stat(2) or two for such a path, and for every execution.
 */
Bool own_file_rewrite(struct call *call);

/* A page for a path, among the program's memory; NULL: there is none. The next call may write to it. */
HChar *own_file_page(void);
enum { OWN_FILE_PAGE_BYTES = 4096 };

#endif
