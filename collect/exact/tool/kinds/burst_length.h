/*
 * burst_length.h - how long bursts and the gaps between them are: as given, or chosen from what the bursts could not
 * see, between bursts.
 *
 * Chosen ones begin with 2 million instructions of every 20 million. Their length doubles, and that of the period, when
 * 1 % or more of what the last ones counted was unseen, and the program has executed 15 periods of the doubled length:
 * what the edges of a burst hide then gets less, and there are still enough bursts for an interval. All have the same
 * share of the instructions around them, so their sums are added without weights.
 */
#ifndef ASSAY_EXACT_TOOL_KINDS_BURST_LENGTH_H
#define ASSAY_EXACT_TOOL_KINDS_BURST_LENGTH_H

#include <valgrind/pub_tool_basics.h>

void burst_length_init(void);

/* Instructions: of the halves of a burst, and of the gap before it, which is drawn anew. */
ULong burst_length_first(void);
ULong burst_length_second(void);
ULong burst_length_gap(void);

/* What a burst has counted of a kind of waste, and how much of that it could not see. */
enum { BURST_KINDS = 4 };
void burst_length_learn(UInt kind, ULong bytes, ULong unseen_bytes);

#endif
