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

/* Whether a loop of a function, after a position, contains a line. */
struct waste_inner {
    uint32_t node, function; /* the key: of the line; text */
    uint64_t from;           /* and position */
    bool known;
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
    struct waste_loop *loop_order;      /* loops by function and position */
    struct keyed loops, loop_lines, calls, inner;
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
    bool many;    /* the line is known to run WASTE_MANY times or more in an iteration, */
    bool few;     /* or, in a call, less often */
    double times; /* NaN: unknown */
};

static inline uint32_t waste_parent(const struct waste_gatherer *gatherer, uint32_t node)
{
    return waste_node_at(gatherer->waste, node)->parent;
}

/* Nodes in the order that the functions below need, when positions are known. */
void waste_order_nodes(struct waste_gatherer *gatherer);

/* Likewise loops, when all are known. */
void waste_order_loops(struct waste_gatherer *gatherer);

/* The loop of a pair, of whose accesses the one at `node` belongs to a line. */
struct waste_span waste_locate_loop(struct waste_gatherer *gatherer, const struct waste_pair *pair, uint32_t node);

/* Whether two accesses of a line without a loop between are of one iteration (few), or of two loops of the same call
 * (many); times: in a call. */
struct waste_span waste_locate_call(struct waste_gatherer *gatherer, uint32_t node, bool same_line);

/* Whether a line is known to run WASTE_MANY times or more in a call of its function: as often as the lines of the
 * caller show, or because a loop contains it. */
bool waste_repeats_in_call(struct waste_gatherer *gatherer, uint32_t own);

#endif
