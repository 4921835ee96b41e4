/*
 * view.h - some profilers' profiles on a common basis: shares of the time that all of them can see.
 *
 * A share is a method's weight over the weight of the run in what every profiler of the view has seen: roles of threads
 * (one that does not tell its threads apart may have seen any), and names in brackets, which denote code that is not
 * a method, "[JIT compiler]" or "[libc.so.6]". A method that one of them has never seen counts, since its absence is a
 * result. Shares of tables are used unchanged; the remainder to 1 is a share of its own, which belongs to no method.
 */
#ifndef ASSAY_AGREE_VIEW_H
#define ASSAY_AGREE_VIEW_H

#include "analyze/agree/profiles.h"

struct view_side {
    uint32_t profiler; /* text */
    size_t runs;
    double *shares;    /* [runs][methods + 1]; the last is the share of no method */
    double *mean;      /* [methods + 1], over runs */
    double left_out;   /* 0-1: weight in roles that others don't see */
    double unnamed;    /* 0-1: of the rest, weight under names that others don't have */
    unsigned roles;    /* that it has seen: bits 1 << role */
    size_t empty_runs; /* runs without weight in the view: left out */
    double *weight;    /* [methods], in all runs, in the roles that count */
};

struct view {
    const struct profiles *profiles;
    size_t methods;         /* texts of profiles; most have no share */
    struct view_side *side; /* [count] */
    size_t count;
    unsigned roles; /* that count: bits 1 << role */
    bool disjoint;  /* no role is seen by all: there are no shares */
    bool *unseen;   /* [methods]: names in brackets that some profiler does not have */
    bool keeps;     /* these still count in shares, but never as the hottest */
};

/* The profilers (texts) in profiles, in the order of their names: a new array, NULL without memory. */
uint32_t *view_profilers(const struct profiles *profiles, size_t *count);

/* `keeps` is for comparing a profiler with itself: it sees the same, whatever it names. 0 or ENOMEM; to be freed in
 * either case. O(entries + runs · methods). */
int view_make(const struct profiles *profiles, const uint32_t *profilers, size_t count, bool keeps, struct view *view);
void view_free(struct view *view);

/* The name of a method, or of a side's profiler. */
const char *view_text(const struct view *view, uint32_t text);

/* The n methods with the largest shares above 0, largest first, then by name: how many are in items[n]. O(methods · n).
 */
size_t view_top(const struct view *view, const double *shares, size_t n, uint32_t *items);

/* The hottest method of a side for which all have names; UINT32_MAX: none. */
uint32_t view_hottest(const struct view *view, size_t side);

#endif
