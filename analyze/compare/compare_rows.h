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
 * differ; means, or medians; of a family of tests; of a margin; with effect sizes. */
enum {
    WITH_METRIC = 1,
    WITH_BASELINES = 2,
    WITH_MEANS = 4,
    WITH_MEDIANS = 8,
    WITH_FAMILY = 16,
    WITH_MARGIN = 32,
    WITH_EFFECT = 64
};

enum compare_row_which {
    ROW_COMPARED,
    ROW_VANISHED, /* only the baseline has values: there is neither ratio nor test */
    ROW_NEW,      /* only the group has */
    ROW_OVERALL   /* a geometric mean: it has no test */
};

struct compare_row {
    enum compare_row_which which;
    const char *metric, *name;
    const char *baseline;  /* NULL: blank */
    const char *benchmark; /* the texts of the group without that of the baseline's column: "sort, 1000" */
    const char *unit;      /* of the values; NULL if it is not known */
    uint64_t n, n_baseline;
    struct comparison found;
    enum direction_kind kind;
    bool speedup_alone; /* the ratio is one of speedups, over times and rates */
    const char *method; /* NULL: blank */

    /* by compare_rows_decide() */
    enum comparison_result result;
    const char *verdict; /* NULL: blank */
    uint64_t more_runs;  /* more_runs.h; 0 unless it is undecided */
};

/* The rows of a table until all are known. Start with {0}; compare_rows_free() at the end. */
struct compare_rows {
    struct compare_row *rows; /* [count], with names and benchmarks of their own */
    size_t count, capacity;
    bool has_metrics; /* there are several value columns */
    size_t left_out;  /* comparisons that could not be made, although both sides have values */
};

/* Copies a row, its name and its benchmark; the other texts must outlive the rows. False without memory. */
bool compare_rows_add(struct compare_rows *rows, const struct compare_row *row);
void compare_rows_free(struct compare_rows *rows);

/* How many tests a family has, and how many comparisons without a test are not in it. */
struct compare_family {
    size_t tests, without_test;
};

/* Adjusts p and outside_p of all rows for their number (stats/inference/family.h): two families. Nothing happens
 * without a test. STATS_NO_MEMORY. */
enum stats_status compare_rows_adjust(struct compare_rows *rows, enum family_method method,
                                      struct compare_family *family);

/* Decides each row, from what compare_rows_adjust() may have adjusted: result, verdict and more_runs. */
void compare_rows_decide(struct compare_rows *rows, const struct comparison_request *request);

/* Adds the rows, once they are decided, to the tables of these columns. */
void compare_rows_report(const struct compare_rows *rows, enum comparison_effect effect, struct report *report);

size_t compare_rows_count(const struct compare_rows *rows, enum compare_row_which which);

/* Whether a difference (with a margin, one beyond it) is shown, and whether its direction is the one that users want
 * less: slower, larger, more, worse. */
bool compare_row_differs(const struct compare_row *row);
bool compare_row_is_worse(const struct compare_row *row);

#endif
