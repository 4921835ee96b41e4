/*
 * compare_rows.h - the rows of assay compare: columns, and their form for readers.
 */
#ifndef ASSAY_COMPARE_COMPARE_ROWS_H
#define ASSAY_COMPARE_COMPARE_ROWS_H

#include "analyze/compare/comparison.h"
#include "analyze/cli/report.h"

struct compare_row {
    const char *metric; /* NULL: there is only one */
    const char *name, *baseline;
    uint64_t n, n_baseline;
    const struct comparison *found;
    enum comparison_kind kind;
    bool speedup_alone;           /* the ratio is one of speedups, over times and rates */
    const char *method, *verdict; /* NULL: blank */
};

/* Makes report->table and report->people. `medians`: how center columns are named. False without memory. */
bool compare_rows_begin(struct report *report, bool has_metric, bool paired, bool medians);

/* One row in each; `paired` as in compare_rows_begin(). */
void compare_rows_add(struct report *report, const struct compare_row *row, bool paired);

#endif
