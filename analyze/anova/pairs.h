/*
 * pairs.h - the table of Tukey's and of Games and Howell's test: which groups differ, by their means.
 */
#ifndef ASSAY_ANOVA_PAIRS_H
#define ASSAY_ANOVA_PAIRS_H

#include "analyze/anova/metric.h"

extern const struct columns pairs_table;

/* Adds the rows of a metric by the test "tukey" or "games-howell" (static). A status of compare_tukey() or
 * compare_games_howell(). */
enum stats_status pairs_report(const struct metric *metric, const char *test, double confidence, struct report *report);

#endif
