/*
 * waste_gatherer.h - what waste_facts.c and waste_loops.c know of the nodes of a state.
 */
#ifndef ASSAY_WASTE_WASTE_GATHERER_H
#define ASSAY_WASTE_WASTE_GATHERER_H

#include "analyze/waste/inefficiency/waste_facts.h"

/* A loop that some pair has as its scope. */
struct waste_loop {
    uint32_t function, line; /* the key: texts */
    uint64_t position;
};

/* The accesses of a line itself, without those of what it calls, that follow others in an earlier iteration of a loop.
 */
struct waste_loop_line {
    uint32_t node, scope; /* the key: of the line; text */
    uint64_t loads, stores, exact, close;
};

/* A loop contains a line, which calls or makes one of the accesses of a pair that has the loop as its scope. */
struct waste_body {
    uint32_t line, loop; /* the key: texts */
    uint32_t function;   /* with the loop: text; */
    uint64_t position;   /* and where the loop begins */
};

/* The loads of a line in one context of its function, and those that another call has just loaded. */
struct waste_calls {
    uint32_t line, around; /* the key: index, node */
    uint64_t loads, repeated;
};

/* A line number, or with this bit an address. */
#define WASTE_ADDRESS (UINT64_C(1) << 63)

struct waste_gatherer {
    struct waste *waste;
    const struct waste_ranking *ranking;
    struct waste_line_facts *lines;
    uint32_t *own, *functions, *called; /* [node]: own as in a ranking; text of the function; library function or 0 */
    uint64_t *positions;                /* [node] */
    uint32_t *sites;                    /* [node]: index of the line of an own node, KEYED_FULL: none */
    enum waste_role *roles;             /* [node]: of the library function that the program called */
    uint64_t *events;                   /* [node]: accesses of this frame alone, of the kind with most */
    uint32_t *order;                    /* nodes by caller, function and position */
    struct waste_body *body_order;      /* bodies by line */
    struct keyed loops, loop_lines, calls, bodies;
};

/* Where the loop of a pair is, seen from the access that belongs to a line. */
enum waste_loop_site {
    WASTE_SPAN_UNKNOWN,
    WASTE_SPAN_NONE,    /* no loop iterated between the accesses */
    WASTE_SPAN_LIBRARY, /* in a library function that the line called */
    WASTE_SPAN_OWN,     /* in the line's own function */
    WASTE_SPAN_CALLER
};
struct waste_span {
    enum waste_loop_site where;
    uint32_t at;  /* the node of the frame that contains the loop */
    bool many;    /* a loop within the iteration, or the call, is known to repeat the line */
    bool few;     /* both accesses of a call are of one iteration, or the line runs less than WASTE_MANY times */
    double times; /* NaN: unknown */
};

static inline uint32_t waste_parent(const struct waste_gatherer *gatherer, uint32_t node)
{
    return waste_node_at(gatherer->waste, node)->parent;
}

/* Nodes in the order that the functions below need, when positions are known. */
void waste_order_nodes(struct waste_gatherer *gatherer);

/* Notes which lines the loop of a pair contains. 0 or ENOMEM. O(depth). */
int waste_add_bodies(struct waste_gatherer *gatherer, const struct waste_pair *pair);

/* Orders these, when all are known. 0 or ENOMEM. */
int waste_order_bodies(struct waste_gatherer *gatherer);

/* The loop of a pair, of whose accesses the one at `node` belongs to a line. */
struct waste_span waste_locate_loop(struct waste_gatherer *gatherer, const struct waste_pair *pair, uint32_t node);

/* Whether two accesses of the same call, between which no loop iterated, are of one iteration (few), or the later one
 * is in a loop that begins after the line of the earlier one (many); times: in a call. */
struct waste_span waste_locate_call(struct waste_gatherer *gatherer, uint32_t node, uint32_t partner);

/* Whether a line is known to run WASTE_MANY times or more in a call of its function: as often as the lines of the
 * caller show, or because a loop contains it. */
bool waste_repeats_in_call(struct waste_gatherer *gatherer, uint32_t own);

#endif
