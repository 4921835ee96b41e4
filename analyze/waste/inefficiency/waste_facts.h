/*
 * waste_facts.h - the facts about each line of a ranking that show which kind of inefficiency it looks like.
 *
 * A pair of accesses shows where the earlier and the later one were, and the outermost loop that iterated between them.
 * The loop is in the line's own function, or in one of its callers. A loop within an iteration of that one is known
 * either by pairs of the line that have it as their loop, or because the line has many more accesses than the line that
 * calls its function from the loop, or that begins the loop. A sampled pair has no loop: only names of functions,
 * silent stores and the stack count.
 */
#ifndef ASSAY_WASTE_WASTE_FACTS_H
#define ASSAY_WASTE_WASTE_FACTS_H

#include "analyze/waste/inefficiency/waste_inefficiency.h"
#include "analyze/waste/ranking/waste_ranking.h"

/* The pair that contributed most to a count: nodes, and where the loop is. */
struct waste_witness {
    uint32_t first, second, scope;
    uint32_t partner;  /* the line of the other access, or of the call of the library that made it */
    uint32_t called;   /* the node of the library function that the line called, or 0 */
    uint32_t caller;   /* the node of the call in the function with the loop, 0: the loop is the line's own */
    uint64_t accesses; /* wasted */
    double times;      /* accesses of the line for each at the line of the loop or of the call; NaN: unknown */
    bool several;      /* not all pairs of the count have this loop, and this function of the library */
};

struct waste_line_facts {
    struct waste_facts facts;
    struct waste_witness witnesses[WASTE_FACTS];
};

/* [line]: by the index of the line's site. `kind` as for waste_rank(). 0 or ENOMEM; to be freed with free() in either
 * case. O(pairs × depth + nodes). */
int waste_gather_facts(struct waste *waste, const struct waste_ranking *ranking, unsigned kind,
                       struct waste_line_facts **lines);

#endif
