/*
 * times.h - the clock of the scopes: the time is the number of loop headers passed so far (context_time). Only the
 * order of accesses and passes matters, so when the numbers are used up, the latest pass of each loop is numbered anew
 * by its rank, and each access by the rank of the pass before it: no comparison changes its result.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_TIMES_H
#define ASSAY_EXACT_TOOL_STATE_TIMES_H

#include <valgrind/pub_tool_basics.h>

/*
 * Numbers all times anew if the program has used most of them: to be called before it runs on, at least once in
 * 100,000 blocks. Rare: O(bytes of shadow memory and loops, log loops).
 */
void times_check(void);

#endif
