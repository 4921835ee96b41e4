/*
 * compare_pairs.h - compares each group with its baseline, and adds warnings and notes.
 */
#ifndef ASSAY_COMPARE_COMPARE_PAIRS_H
#define ASSAY_COMPARE_COMPARE_PAIRS_H

#include "analyze/compare/baseline.h"
#include "analyze/compare/compare_rows.h"
#include "analyze/compare/comparison.h"
#include "analyze/compare/pairing.h"
#include "analyze/driver/tables/direction.h"
#include "analyze/cli/report.h"
#include "analyze/driver/tables/table_analyzer.h"

struct overall;

struct compare_task {
    const struct groups *groups;
    const struct table_settings *settings;
    const struct pairing *pairing; /* of --pair, or NULL */
    struct comparison_request request;
    struct baseline baseline;
    struct direction direction;
    struct report *report;
    struct compare_rows *rows;    /* of the table */
    struct error_text first;      /* reason why something was left out */
    struct overall *overall;      /* [groups · values · OVERALL_CLASSES]: of the first group with this text in the
                                     baseline's column */
    size_t zeros;                 /* comparisons that are in no geometric mean */
    size_t equal_pairs;           /* which rank and sign tests leave out */
    struct compare_family family; /* of its tests, if p are adjusted for their number */
    bool has_overall;             /* there is such a row */
    bool decides; /* the verdicts are for a decision: what only one side has gets a row, and values that do not vary
                     are compared as they are */
    bool has_constant; /* such values were compared */
    size_t text_count; /* compare_text_count() */
};

/* Whether each group has a baseline of its own. */
bool compare_is_paired(const struct compare_task *task);

/* Adds to task->rows a row for each comparison, and those of the geometric mean; what can't be compared is left out
 * with a warning, but see `decides`. STATUS_BAD without memory. */
int compare_all(struct compare_task *task);

/* Warnings about properties of the values that the intervals ignore, and notes on the table's numbers. */
void compare_notes(const struct compare_task *task);

/* The answer of all comparisons in one sentence; of a single one with its ratio. */
void compare_write_headline(const struct compare_task *task);

/* What was adjusted, and what was not. */
void compare_note_family(const struct compare_task *task, enum family_method method);

#endif
