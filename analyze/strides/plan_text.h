/*
 * plan_text.h - a plan in words.
 */
#ifndef ASSAY_STRIDES_PLAN_TEXT_H
#define ASSAY_STRIDES_PLAN_TEXT_H

#include "analyze/strides/plan.h"

enum { PLAN_TEXT_MAX = 4096 };

/* "prefetch(A + 64*4)", "a = spec_load(A + 8*4)", "guarded_load(a + 16)"; "don't" where nothing is planned. */
void plan_text(const struct plan *plan, uint32_t row, char text[PLAN_TEXT_MAX]);
/* Why, or with what result in the simulated caches. */
void plan_reason_text(const struct strides *strides, const struct plan *plan, uint32_t row, char text[PLAN_TEXT_MAX]);

#endif
