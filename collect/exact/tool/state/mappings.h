/*
 * mappings.h - which addresses belong to an object that the program has mapped: disjoint ranges, in order.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_MAPPINGS_H
#define ASSAY_EXACT_TOOL_STATE_MAPPINGS_H

#include <valgrind/pub_tool_basics.h>

struct mapping {
    Addr start, end; /* end: the first address after it */
    UInt object;
};

/* The range that contains the address, valid until the next call; NULL: there is none. O(log ranges). */
const struct mapping *mappings_at(Addr a);

/* Adds a range, in which there must be none yet. O(ranges). */
void mappings_add(Addr start, Addr end, UInt object);

/* Takes these addresses out. `gone` is called with each object that has no other address left. O(ranges), for each
 * range that is taken out. */
void mappings_cut(Addr start, Addr end, void (*gone)(UInt object));

/* The ranges there have copies elsewhere, where there must be none yet. O(ranges), for each. */
void mappings_copy(Addr from, Addr to, SizeT size);

#endif
