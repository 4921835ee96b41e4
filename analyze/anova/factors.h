/*
 * factors.h - the table of two factors: how much each, and their interaction, explains.
 */
#ifndef ASSAY_ANOVA_FACTORS_H
#define ASSAY_ANOVA_FACTORS_H

#include "analyze/anova/metric.h"
#include "stats/inference/two_way.h"

extern const struct columns factors_table;

/* Adds the rows of a metric whose groups are the cells of two factors, the first group columns; without every cell it
 * is left out (leave_out.h). *balanced: whether all cells have equally many values; untouched without rows.
 * STATS_NO_MEMORY. */
enum stats_status factors_report(const struct metric *metric, enum two_way_type type, struct report *report,
                                 struct error_text *first, bool *balanced);

/* What the types of sums of squares mean here. */
void factors_note(enum two_way_type type, bool balanced, struct report *report);

#endif
