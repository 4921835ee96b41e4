/*
 * outcomes.h - what became of each comparison: the rows of the table, as the gate and the report for a pull request
 * read them.
 */
#ifndef ASSAY_COMPARE_OUTCOMES_H
#define ASSAY_COMPARE_OUTCOMES_H

#include "analyze/compare/comparison.h"

enum outcome_row {
    OUTCOME_COMPARED,
    OUTCOME_NEW,      /* only the group has values */
    OUTCOME_VANISHED, /* only the baseline has */
    OUTCOME_OVERALL   /* a geometric mean: there is no result */
};

struct outcome {
    enum outcome_row row;
    char *benchmark;                /* allocated: the texts of the group without the baseline's ("sort, 1000"), or its
                                       name */
    const char *metric, *unit;      /* metric: NULL unless there are several; unit: NULL if it is not known */
    double center, center_baseline; /* in that unit; NaN if there is none */
    struct ratio ratio;
    enum direction_kind kind;
    enum comparison_result result;
    const char *verdict; /* static; NULL: none */
    uint64_t more_runs;  /* 0 unless it is undecided */
};

/* Start with {0}; outcomes_free() at the end. */
struct outcomes {
    struct outcome *items; /* [count], in the order of the table */
    size_t count, capacity;
    size_t compared; /* OUTCOME_COMPARED */
    size_t left_out; /* groups that could not be compared, for reasons other than a missing counterpart */
};

/* Takes over outcome.benchmark (NULL: no memory). False without memory. */
bool outcomes_add(struct outcomes *outcomes, struct outcome outcome);
void outcomes_free(struct outcomes *outcomes);

/* How many have this verdict. */
size_t outcomes_with(const struct outcomes *outcomes, const char *verdict);

/* Whether the result is one that users want less: slower, larger, more, worse. */
bool outcome_is_worse(const struct outcome *outcome);
/* Whether a difference (with a margin, one beyond it) is shown. */
bool outcome_differs(const struct outcome *outcome);

#endif
