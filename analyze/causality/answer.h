/*
 * answer.h - all methods of some points judged and shown.
 */
#ifndef ASSAY_CAUSALITY_ANSWER_H
#define ASSAY_CAUSALITY_ANSWER_H

#include "analyze/causality/points.h"
#include "analyze/causality/show.h"

/* Fills show->report; share: reported times are shares of the real ones. 0 or ENOMEM. */
int answer(const struct points *points, struct show *show, bool share);

#endif
