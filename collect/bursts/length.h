/*
 * length.h - how long bursts and the gaps between them are: as given, or chosen from what the bursts could not see,
 * between bursts. In instructions or accesses, whichever the collector counts. Needs no library, since Valgrind's tools
 * have none.
 *
 * Chosen ones begin with the lengths given. The length of a burst doubles, and that of the period, when the program has
 * executed 15 periods of the doubled length, and what the last ones could not see, u of what they counted, is more than
 * 1 %, and more than 4 standard errors of the wasted share of all bursts so far. The interval's width is u + 4 s: twice
 * the length makes s larger by the square root of 2, and u smaller by an amount that programs differ in; if it is 0.6
 * u, that is a gain from u = 4 s on. All bursts have the same share of what is around them, so their sums are added
 * without weights.
 */
#ifndef ASSAY_BURSTS_LENGTH_H
#define ASSAY_BURSTS_LENGTH_H

#include <stdbool.h>
#include <stdint.h>

struct burst_lengths {
    uint64_t on, off; /* of a burst, and of a gap in the mean */
    bool chosen;      /* these are only the first ones */
    uint64_t seed;    /* of the gaps */
};
void burst_length_init(const struct burst_lengths *lengths);

/* The halves of a burst, and the gap before it, whose length is random. */
uint64_t burst_length_first(void);
uint64_t burst_length_second(void);
uint64_t burst_length_gap(void);

/* What a burst has counted of a kind of waste, below BURST_KINDS: bytes. */
enum { BURST_KINDS = 4 };
void burst_length_learn(unsigned kind, uint64_t bytes, uint64_t wasted, uint64_t unseen);

#endif
