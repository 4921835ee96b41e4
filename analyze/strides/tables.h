/*
 * tables.h - the table of loads, and the notes beside it.
 */
#ifndef ASSAY_STRIDES_TABLES_H
#define ASSAY_STRIDES_TABLES_H

#include "analyze/strides/plan.h"

/* Fills report->table, and report->human with at most `most` loads (0: all of them). 0 or ENOMEM. */
int tables_loads(const struct strides *strides, const struct plan *plan, uint64_t most, struct report *report);
/* The load misses of each level of the simulated caches without and with the plan; brief: without what became of its
 * prefetches. The caller's; NULL without memory. */
struct table *tables_levels_new(const struct strides *strides, bool brief);
/* Fills report->table, and report->human, with them. 0 or ENOMEM. */
int tables_levels(const struct strides *strides, struct report *report);
/* Fills report->summary, and adds notes and warnings. 0 or ENOMEM. */
int tables_summary(const struct strides *strides, struct report *report);

#endif
