/*
 * burst_length.h - how long bursts and the gaps between them are: as given, or chosen from what the bursts could not
 * see, between bursts.
 *
 * Chosen ones begin with 2 million instructions of every 20 million. Their length doubles, and that of the period, when
 * the program has executed 15 periods of the doubled length, and what the last ones could not see, u of what they
 * counted, is more than 1 %, and more than 4 standard errors of the wasted share of all bursts so far. The interval's
 * width is u + 4 s: twice the length makes s larger by the square root of 2, and u smaller by an amount that programs
 * differ in; if it is 0.6 u, that is a gain from u = 4 s on. All bursts have the same share of the instructions around
 * them, so their sums are added without weights.
 */
#ifndef ASSAY_EXACT_TOOL_KINDS_BURST_LENGTH_H
#define ASSAY_EXACT_TOOL_KINDS_BURST_LENGTH_H

#include <valgrind/pub_tool_basics.h>

void burst_length_init(void);

/* Instructions: of the halves of a burst, and of the gap before it, which is drawn anew. */
ULong burst_length_first(void);
ULong burst_length_second(void);
ULong burst_length_gap(void);

/* What a burst has counted of a kind of waste. */
enum { BURST_KINDS = 4 };
struct raw_burst;
void burst_length_learn(UInt kind, const struct raw_burst *burst);

#endif
