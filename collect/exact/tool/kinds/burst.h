/* burst.h - bursty sampling: alternately a number of instructions is watched and a number is skipped (Su, dissertation
 * 2020, §3.4.5). */
#ifndef ASSAY_EXACT_TOOL_KINDS_BURST_H
#define ASSAY_EXACT_TOOL_KINDS_BURST_H

#include <valgrind/pub_tool_basics.h>

extern Long burst_left;     /* instructions until the next switch; translated code counts it down */
extern UInt burst_watching; /* 0: accesses are ignored */

void burst_init(void);

/* From translated code, when burst_left is negative. What was seen in an earlier burst is forgotten when one begins,
 * since the accesses in between are unknown. */
void burst_switch(void);

#endif
