/*
 * begin.h - what the program finds as it begins. The kernel would have laid out its name, its environment and its
 * auxiliary vector for it alone; the core has laid them out for a program under Valgrind, and is corrected here.
 */
#ifndef ASSAY_EXACT_TOOL_PROCESS_BEGIN_H
#define ASSAY_EXACT_TOOL_PROCESS_BEGIN_H

#include <valgrind/pub_tool_basics.h>

/* A program without a path of its own is executed as this with a number, a descriptor that was opened for that alone
 * and is closed before the program begins. No program would spell the path of a descriptor of its own like that. */
#define BEGIN_LENT "/proc/self/./fd/"

/* The word by which the program is called (argv[0]), if it is not its path. It must live as long as the process. */
void begin_set_name(const HChar *name);
const HChar *begin_name(void);

/* Before the program's first instruction. */
void begin_init(void);

#endif
