/*
 * times.h - the clock of the scopes: the time (context_time) grows by one with each pass of a loop header. Only the
 * order of accesses and passes matters, so when the numbers are used up, the latest pass of each loop is numbered anew
 * by its rank, and each access by the rank of the pass before it: no comparison changes its result.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_TIMES_H
#define ASSAY_EXACT_TOOL_STATE_TIMES_H

#include <valgrind/pub_tool_basics.h>

/*
 * Numbers all times anew if the program has used most of them: to be called between blocks, at least every
 * 100,000. Rare: O(bytes of shadow memory and loops, log loops).
 */
void times_check(void);

#endif
