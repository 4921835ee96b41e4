/*
 * waste_ranking.h - where a program wastes accesses, all kinds in one order, and what mending a site can gain.
 *
 * A site is a line or a function of the program's own code: accesses and samples within a library of the language
 * (trace/names/runtime.h) belong to the line that called it, since that is where they can be avoided. If nothing on the
 * stack is the program's own, the innermost frame is the site. A dead store belongs to the line of the earlier store,
 * any other access to its own line.
 *
 * Let a line have L loads and S stores in pairs, l and s of them wasted; a store that is both dead and silent counts
 * once, so that s is the larger number of the two. Its wasted share is w = (l + s) / (L + S). Its needless share u is
 * the larger of l / L and s / S, but at most 2 w: a store of what is there already makes the loads for it needless, and
 * loads of what is known make needless what is stored for their sake; a wasted access takes at most one along.
 *
 * In each run of a CPU profile let t be its share of the samples, and h that of its helpers: lines that access nothing,
 * and control its loop or calculate with what it loaded. A line that accesses nothing is taken for a helper of the
 * nearest line of its function that does, within ten lines (or 128 bytes of machine code). A line that calls a function
 * helps the function, for it may wait for the result there; so do the helpers of one that does nothing but call. The
 * gain is w t, the time of the wasted accesses, and its bound u (t + h), with the code that may be needed for them
 * alone. The values of lines add up to their function's. No line and no function is believed to need more time than a
 * hundred times its share of all accesses: where memory is hardly accessed, time has other reasons.
 *
 * Mending may leave some of this code, and the processor may have hidden its cost. Mending exceeds the bound where it
 * makes the rest faster too: if the site is reached less often, if the compiler makes better code of what is needed
 * (more accesses go than were wasted), or if fewer cache misses follow elsewhere.
 */
#ifndef ASSAY_WASTE_WASTE_RANKING_H
#define ASSAY_WASTE_WASTE_RANKING_H

#include "analyze/waste/sums/waste_rows.h"

/* A share of the time: the mean over the runs of the profile; for a single run the interval is Wilson's. */
struct waste_share {
    double value, low, high; /* NaN: there is no profile */
};

struct waste_site {
    uint32_t text;            /* the key: of a line "f:30", or of a function */
    uint32_t index, function; /* its own, and of its function's site */
    uint64_t position;        /* of a line: its number or address; */
    uint64_t reach;           /* and how far away its helpers may be, 0 if it has neither */
    bool leads;               /* it has accesses, or calls a function that has some */
    uint64_t events[WASTE_COUNT], wasted_events[WASTE_COUNT], wasted_bytes[WASTE_COUNT];
    uint64_t accesses, wasted_accesses, bytes; /* L + S; l + s; wasted, those of dead and silent stores once */
    double *samples, *helper_samples;          /* [run_count]: integers */
    double *gains, *bounds;                    /* [run_count]: shares of the run's samples */
    double needless;                           /* u of a line; of a function: the largest of a line */
    uint32_t node;                             /* of the access that wasted most bytes here */
    uint64_t node_bytes;
    double wasted;         /* (l + s) / (L + S), of a function over its lines; NaN: no accesses */
    uint64_t *wasted_runs; /* of a line: [run of the accesses * WASTE_COUNT + kind]: bytes */
    double traffic_share;  /* wasted over all bytes loaded and stored: see waste_traffic.h; NaN: nothing was wasted */
    struct waste_share time, gain, bound;
};

/* A line that calls a function with accesses, directly or by way of functions without: indices of sites. */
struct waste_call {
    uint32_t function, line;
};

struct waste_ranking {
    struct keyed lines, functions;               /* struct waste_site */
    struct keyed calls;                          /* struct waste_call */
    struct waste_traffic traffic;                /* of the runs of accesses; its kinds are gone */
    size_t run_count;                            /* of the CPU profile; 0: there is none */
    double *run_samples;                         /* [run_count]: of all sites */
    double *shares;                              /* [run_count]: capacity for waste_rank_gains() */
    uint64_t accesses;                           /* of all sites */
    uint32_t *lines_by_rank, *functions_by_rank; /* by gain, or without a profile by traffic share; those with waste */
    size_t line_count, function_count;           /* of these */
    uint32_t *first_ranks, *next_ranks; /* [function], [rank]: of its first line, of the next; FIELD_NONE: no more */
};

/* The length of "f" in "f:30" and "f@0x11d3", and all of "f". *position: the line or address, 0 if there is none;
 * *reach: how far others may be to be near it: lines, or WASTE_NEAR_BYTES of an address; 0 likewise. */
enum { WASTE_NEAR_BYTES = 128 };
size_t waste_frame_split(const char *frame, uint64_t *position, uint64_t *reach);

/* (*own)[node]: the innermost node of the program's own code on a stack, or the node itself if none is. 0 or ENOMEM; to
 * be freed in either case. O(nodes). */
int waste_find_own(const struct waste *waste, uint32_t **own);

/* `kind`: only this one; WASTE_COUNT: all. The names of functions become texts of the state. 0 or ENOMEM; to be freed
 * in either case. O(pairs + times + runs × sites). */
int waste_rank(struct waste *waste, unsigned kind, const struct analysis_options *options,
               struct waste_ranking *ranking);
void waste_ranking_free(struct waste_ranking *ranking);

/* Fills in what depends on times: wasted, time and gain. 0 or ENOMEM. */
int waste_rank_gains(struct waste_ranking *ranking, const struct analysis_options *options);

/* Wasted accesses over all, of loads or stores; NaN: there are none. */
double waste_site_share(const struct waste_site *site, enum trace_waste kind);

#endif
