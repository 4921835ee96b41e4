/*
 * finding.h - recognizes one simple way in which two profiles differ.
 *
 * A share moved: one method lost what another gained, and everything else stayed the same (a callee's samples were
 * attributed to its caller). A method scaled: the weight of one method relative to all others changed by a factor, and
 * these kept their proportions (it was counted twice, or only half). Only differences whose intervals exclude 0 count,
 * and only if they explain at least three quarters of the distance between the profiles, or all but a quarter and what
 * noise adds where the distance is clearly above that. If both fit, a share moved.
 */
#ifndef ASSAY_AGREE_FINDING_H
#define ASSAY_AGREE_FINDING_H

#include "analyze/agree/measure.h"

enum finding_kind { FINDING_NONE, FINDING_MOVED, FINDING_SCALED };

struct finding {
    enum finding_kind kind;
    uint32_t from, to; /* moved: the loser and the gainer, from a to b; scaled: `to` is the method */
    double amount;     /* moved: the share; scaled: the factor, ≠ 1 */
};

/* Compares the two sides of a view with at least two runs each; else FINDING_NONE. `noise`: from measure_pair().
 * O(methods). */
struct finding finding_of(const struct view *view, double noise, const struct measure_options *options);

#endif
