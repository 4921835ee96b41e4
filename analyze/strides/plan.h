/*
 * plan.h - what to prefetch, where, and how far ahead; or why not.
 *
 * For a load Lx with the stride d from one iteration to the next, c iterations ahead: prefetch(A(Lx) + d·c) if no load
 * depends on it, or all that do have a stride of their own. Otherwise a = spec_load(A(Lx) + d·c), for each load Ly that
 * depends on it and has no stride prefetch(F(a)), and for each Lz that keeps a distance S from such an Ly, directly or
 * through others, prefetch(F(a) + S). Source: Inagaki et al., §3.3.
 *
 * What is left out, and why: strides of at most half a line, and what is on a line that is prefetched already (§3.3);
 * unless options.always, what waits for fewer cycles than its prefetches take instructions.
 */
#ifndef ASSAY_STRIDES_PLAN_H
#define ASSAY_STRIDES_PLAN_H

#include "analyze/strides/strides.h"

enum plan_kind {
    PLAN_STRIDE, /* prefetch(A + d·c) */
    PLAN_LOAD,   /* a = spec_load(A + d·c) */
    PLAN_BASE,   /* prefetch(a + offset) */
    PLAN_INDEX   /* prefetch(B + a · offset), where B is constant */
};

/* A prefetch of what row `target` loads, made where row `trigger` loads. */
struct plan_element {
    uint32_t trigger, target;
    enum plan_kind kind;
    int64_t stride; /* of the trigger */
    uint64_t distance;
    int64_t offset;
    int64_t within; /* of the offset, what is the distance from another load */
    bool guarded;   /* by a load, which fills the TLB, instead of an instruction for prefetching */
};

enum plan_reason {
    PLAN_PLANNED,
    PLAN_LEADS,     /* it is loaded ahead for others */
    PLAN_FEW,       /* too few iterations to see anything */
    PLAN_INVARIANT, /* always the same address */
    PLAN_NO_STRIDE, /* nothing recurs */
    PLAN_NO_LEADER, /* it depends on a load whose own address is not known ahead */
    PLAN_HALF_LINE, /* the stride is at most half a line */
    PLAN_SAME_LINE, /* on a line that is prefetched already */
    PLAN_IN_CACHE,  /* it hardly waits */
    PLAN_INNER,     /* planned in a loop within this one */
    PLAN_USELESS,   /* simulated prefetches did not pay */
    PLAN_NOT_INTER  /* needs a dereference, which the algorithm does not have */
};

struct plan {
    struct plan_element *elements; /* a trigger's PLAN_LOAD before those that use its value */
    uint32_t count;
    size_t capacity;
    uint32_t *element_of;      /* [row]: index, LOADS_NONE: none */
    enum plan_reason *reasons; /* [row] */
    uint32_t *others;          /* [row]: the row that has the same line, or leads to it; LOADS_NONE */
};

/*
 * Plans for all loops. `tried`: rows have the results of a simulation with the plan (loads_row.prefetches), and what
 * did not pay is left out. 0 or ENOMEM. O(rows × partners + rows of a loop squared).
 */
int plan_make(const struct strides *strides, bool tried, struct plan *plan);
void plan_free(struct plan *plan);

/* Instructions that an element adds to each iteration: 1 for an instruction for prefetching, 3 for a load with its
 * guard. */
unsigned plan_cost(const struct plan_element *element);

#endif
