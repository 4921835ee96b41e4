/*
 * compare_rows.h - the rows of assay compare: columns, and their form for readers.
 */
#ifndef ASSAY_COMPARE_COMPARE_ROWS_H
#define ASSAY_COMPARE_COMPARE_ROWS_H

#include "analyze/compare/outcomes.h"
#include "analyze/cli/report.h"

extern const struct columns compare_tables[1];

/* What columns there are besides those that are always there: of several metrics; for readers, of baselines that
 * differ; means, or medians; of a margin. */
enum { WITH_METRIC = 1, WITH_BASELINES = 2, WITH_MEANS = 4, WITH_MEDIANS = 8, WITH_MARGIN = 16 };

struct compare_row {
    enum outcome_row which;
    const char *metric, *name, *baseline;
    uint64_t n, n_baseline;
    const struct comparison *found;
    enum direction_kind kind;
    bool speedup_alone; /* the ratio is one of speedups, over times and rates */
    enum comparison_result result;
    const char *method, *verdict; /* NULL: blank */
    uint64_t more_runs;           /* more_runs.h; 0 unless it is undecided */
};

/* Adds a row to the tables of these columns. */
void compare_rows_add(struct report *report, const struct compare_row *row);

#endif
