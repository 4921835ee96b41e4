/*
 * warmup_figure.h - the table that plots/warmup.gp draws: all iterations of processes, with their segments.
 */
#ifndef ASSAY_ANALYZE_WARMUP_WARMUP_FIGURE_H
#define ASSAY_ANALYZE_WARMUP_WARMUP_FIGURE_H

#include "analyze/driver/tables/groups_table.h"
#include "analyze/warmup/warmup_process.h"

/* A row for each iteration, with a range of values that shows the longer segments of all processes of its benchmark.
 * Groups are processes; processes[groups->count · value_count]. NULL without
 * memory. O(iterations). */
struct table *warmup_figure_table(const struct groups *groups, const struct warmup_process *processes);

/* "time (ms)": what the axis of values is called. Static storage. */
const char *warmup_figure_label(const struct groups *groups);

#endif
