/*
 * pairs.h - how often one context's accesses followed another's, in bytes and events, and how many were wasted; and the
 * totals of all accesses.
 */
#ifndef ASSAY_VALGRIND_PAIRS_H
#define ASSAY_VALGRIND_PAIRS_H

#include <valgrind/pub_tool_basics.h>

#include "collect/valgrind/context.h"

/* What was counted since the last pairs_drain(). For loads `silent` alone has a meaning. */
struct pair {
    UInt first, second; /* handles */
    UInt object;
    UInt events, silent_events, dead_events;
    ULong bytes, silent_bytes, dead_bytes;
    Addr scope;
    Bool scope_known;
};

struct pair_total {
    ULong events, bytes;
};

void pairs_init(void);

/* The pair, made if need be. The pointer holds until the next call. O(1) amortised. */
struct pair *pairs_at(UInt first, UInt second, UInt object);

/* Adds what the context's slot in context_hot has counted to its pair, and empties it. */
void pairs_take_hot(UInt second, const struct context_slot *slot);

/* The total of a thread (from 1), stores or loads, exact or floating-point values. */
struct pair_total *pairs_total(UInt thread, UInt store, Bool approximate);

/* Takes every context_hot, gives what is not 0 to the callbacks, and sets it to 0. */
void pairs_drain(void (*pair)(const struct pair *), void (*total)(UInt thread, UInt store, Bool approximate,
                                                                  const struct pair_total *));

#endif
