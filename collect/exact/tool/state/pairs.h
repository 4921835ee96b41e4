/*
 * pairs.h - how often one context's accesses followed another's, in bytes and events, and how many were wasted; and the
 * totals of all accesses.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_PAIRS_H
#define ASSAY_EXACT_TOOL_STATE_PAIRS_H

#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/state/context.h"

/* The counts since the last pairs_drain(). For loads only `silent` has a meaning. */
struct pair {
    UInt first, second; /* handles */
    UInt object;
    UInt next; /* internal: another pair of `second`; 0: none */
    ULong events, silent_events, dead_events;
    ULong bytes, silent_bytes, dead_bytes;
    Addr scope; /* PAIR_SCOPE_UNKNOWN: not looked for yet */
};
#define PAIR_SCOPE_UNKNOWN (~(Addr)0)

struct pair_total {
    ULong events, bytes;
};

/*
 * Whole accesses of the second context that followed the first, counted here until another pair takes the entry. A pair
 * is in the table before it is here.
 */
struct pair_recent {
    UInt first, second; /* 0: none */
    UInt events, silent;
};
enum { PAIRS_RECENT_BITS = 15 };
extern struct pair_recent pairs_recent[1 << PAIRS_RECENT_BITS];

/* Rarely used data, by the same index. */
struct pair_recent_more {
    UInt dead; /* stores among the events */
    UInt pair; /* its index in the table */
};
extern struct pair_recent_more pairs_recent_more[1 << PAIRS_RECENT_BITS];

/* The entry of the pair, if it is here. */
static inline struct pair_recent *pairs_recent_at(UInt first, UInt second)
{
    return &pairs_recent[(first * 0x9e3779b1u + second * 0x85ebca6bu) >> (32 - PAIRS_RECENT_BITS)];
}

/*
 * Whole accesses of a context that followed its most frequent predecessor: checked before pairs_recent, and stored next
 * to contexts that run close to it.
 */
struct pair_usual {
    UInt first; /* 0: none */
    UInt events, silent, dead;
};
extern struct pair_usual *pairs_usual; /* [handle] */

/* Moves these counts to the table; to be called before `events` could overflow. */
enum { PAIRS_USUAL_MOST = 1 << 30 };
void pairs_finalize_usual(struct pair_usual *usual, UInt second);

/* Counts a whole access in pairs_recent; False: the pair is not there. A frequent pair becomes the usual one. */
Bool pairs_count_recent(UInt first, UInt second, Bool silent, Bool dead);

/* Counts a whole access; False: the pair is not there. */
static inline Bool pairs_count(UInt first, UInt second, Bool silent, Bool dead)
{
    struct pair_usual *usual = &pairs_usual[second];
    if (UNLIKELY(usual->first != first))
        return pairs_count_recent(first, second, silent, dead);
    usual->events++;
    usual->silent += silent;
    usual->dead += dead;
    return True;
}

void pairs_init(void);

/* The pair's index in the table, from 1; the pair is created if needed. O(1) amortised. */
UInt pairs_at(UInt first, UInt second, UInt object);

/* The pair with this index. It stays where it is. */
struct pair *pairs_by_index(UInt index);

/* Counts the first whole access of a pair, which is in the table. */
void pairs_count_first(struct pair *pair, Bool silent, Bool dead);

/* The entry of the pair, which is in the table, in pairs_recent: its own from now on. */
struct pair_recent *pairs_take_recent(UInt index);

/*
 * Bytes of accesses that follow several others, or partly none: counted here until another pair takes the entry. A
 * pair is in the table before it is here.
 */
struct pair_pieces {
    UInt first, second; /* 0: none */
    UInt events, silent_events, dead_events;
    UInt bytes, silent_bytes, dead_bytes;
    UInt pair; /* its index in the table */
};

/* The entry of the pair, which is in the table: its own from now on. */
struct pair_pieces *pairs_take_pieces(UInt index);

/* The pair's entry; NULL: it is not there. */
struct pair_pieces *pairs_pieces_of(UInt first, UInt second);

/* Consecutive bytes of an access that follow the same one. */
struct pair_run {
    UInt first; /* 0: they follow none */
    UInt bytes;
};
enum { PAIRS_RUNS_MOST = 8 };

/*
 * Counts an access that consists of these runs, in this order; the first that follows one gets the event. False, with
 * nothing counted: one of the pairs is not there. The access itself must be counted by pairs_count_alone().
 */
Bool pairs_count_runs(const struct pair_run *runs, UInt run_count, UInt second, Bool silent, Bool dead);

/*
 * Accesses of the running thread that form no pair, or several: exact ones by their size, and approximate ones.
 * pairs_finalize_alone() moves them to the thread's totals.
 */
enum { PAIRS_ALONE_BYTES = 64 };
extern ULong pairs_alone[2][PAIRS_ALONE_BYTES + 1];  /* [store][size]: events */
extern struct pair_total pairs_alone_approximate[2]; /* [store] */
void pairs_finalize_alone(UInt thread);

static inline void pairs_count_alone(UInt store, UInt size, UInt lane)
{
    if (lane) {
        pairs_alone_approximate[store].events++;
        pairs_alone_approximate[store].bytes += size;
    } else {
        pairs_alone[store][size]++;
    }
}

/* The total of a thread (from 1), stores or loads, exact or floating-point values. */
struct pair_total *pairs_total(UInt thread, UInt store, Bool approximate);

/* Finalizes all counts (`thread` runs), passes counts other than 0 to the callbacks, and resets them. */
void pairs_drain(UInt thread, void (*pair)(const struct pair *),
                 void (*total)(UInt thread, UInt store, Bool approximate, const struct pair_total *));

#endif
