/*
 * compare_rows.h - the rows of assay compare: columns, and their form for readers.
 */
#ifndef ASSAY_COMPARE_COMPARE_ROWS_H
#define ASSAY_COMPARE_COMPARE_ROWS_H

#include "analyze/compare/comparison.h"
#include "analyze/cli/report.h"
#include "stats/inference/family.h"

extern const struct columns compare_tables[1];

/* What columns there are besides those that are always there: of several metrics; for readers, of baselines that
 * differ; means, or medians; of a family of tests; with effect sizes. */
enum { WITH_METRIC = 1, WITH_BASELINES = 2, WITH_MEANS = 4, WITH_MEDIANS = 8, WITH_FAMILY = 16, WITH_EFFECT = 32 };

struct compare_row {
    const char *metric, *name, *baseline;
    uint64_t n, n_baseline;
    struct comparison found;
    enum direction_kind kind;
    bool is_overall;    /* a geometric mean: it has no test */
    bool speedup_alone; /* the ratio is one of speedups, over times and rates */
    const char *method; /* NULL: blank */
};

/* The rows of a table until all are known. Start with {0}; compare_rows_free() at the end. */
struct compare_rows {
    struct compare_row *rows; /* [count], with names of their own */
    size_t count, capacity;
};

/* Copies a row, and its name; the other texts must outlive the rows. False without memory. */
bool compare_rows_add(struct compare_rows *rows, const struct compare_row *row);
void compare_rows_free(struct compare_rows *rows);

/* How many tests a family has, and how many comparisons without a test are not in it. */
struct compare_family {
    size_t tests, without_test;
};

/* Adjusts the p of all rows for their number (stats/inference/family.h), and so what they show about equivalence.
 * Nothing happens without a test. STATS_NO_MEMORY. */
enum stats_status compare_rows_adjust(struct compare_rows *rows, enum family_method method, double confidence,
                                      struct compare_family *family);

/* Adds the rows, each with its verdict, to the tables of these columns. */
void compare_rows_report(const struct compare_rows *rows, const struct comparison_request *request,
                         struct report *report);

#endif
