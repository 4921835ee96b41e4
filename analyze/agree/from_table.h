/*
 * from_table.h - profiles from a table of shares, one per row.
 */
#ifndef ASSAY_AGREE_FROM_TABLE_H
#define ASSAY_AGREE_FROM_TABLE_H

#include "analyze/agree/profiles.h"
#include "analyze/tabular/groups.h"

/* Group columns: profiler, method, and run if there is one (else all is one run); value column: the share, 0-1. */
int from_table(const struct groups *groups, bool has_run, struct profiles *profiles, struct complaint *complaint);

#endif
