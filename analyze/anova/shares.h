/*
 * shares.h - the table of --groups: n, mean, spread and share of each group, without a test.
 */
#ifndef ASSAY_ANOVA_SHARES_H
#define ASSAY_ANOVA_SHARES_H

#include "analyze/anova/metric.h"

extern const struct columns shares_table;

/* Adds the rows of a metric. Without shares, a warning says why. */
void shares_report(const struct metric *metric, struct report *report);

#endif
