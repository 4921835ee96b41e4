/*
 * dunn.h - the table of Dunn's test: which groups differ, by their ranks.
 */
#ifndef ASSAY_ANOVA_DUNN_H
#define ASSAY_ANOVA_DUNN_H

#include "analyze/anova/metric.h"
#include "stats/inference/family.h"

extern const struct columns dunn_table;

/* Adds the rows of a metric, whose pairs are a family. A status of rank_dunn(). The groups must keep their values. */
enum stats_status dunn_report(const struct metric *metric, enum family_method family, struct report *report);

/* What was adjusted, and how. */
void dunn_note(enum family_method family, struct report *report);

#endif
