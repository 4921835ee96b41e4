/*
 * compare_outcome.h - a row of the table and its outcome, also of benchmarks, or metrics, that only one side has.
 */
#ifndef ASSAY_COMPARE_COMPARE_OUTCOME_H
#define ASSAY_COMPARE_COMPARE_OUTCOME_H

#include "analyze/compare/compare_pairs.h"
#include "analyze/compare/compare_rows.h"

/* A group's texts, joined like its name, with another text in the column of baselines, or without it (NULL). Where each
 * group is compared with the same baseline, its name. Allocated; NULL without memory. */
char *compare_name_with(const struct compare_task *task, size_t group, const char *text);

/* The first group with the same text in the column of baselines; where each group has its own baseline. O(groups). */
size_t compare_first_alike(const struct compare_task *task, size_t group);
/* How many texts there are in that column; 0 where each group is compared with the same baseline. O(groups²). */
size_t compare_text_count(const struct compare_task *task);

/* The benchmark that the outcome of a group is about: its texts without the baseline's column; if task->text_count is
 * above 2, with this text of that column in brackets. Allocated; NULL without memory. */
char *compare_benchmark(const struct compare_task *task, size_t group, const char *text);

/* Adds a row to the tables, and its outcome. `unit`: of its values, or NULL; `benchmark`: allocated, taken over; NULL:
 * there was no memory for it. STATUS_GOOD, or STATUS_BAD without memory. */
int compare_add_row(struct compare_task *task, const struct compare_row *row, const char *unit, char *benchmark);

/* Adds the row of a pair in one value column if one side has no values, or there is no such group (BASELINE_NONE), but
 * the other has. *added: whether that is so. The same statuses. */
int compare_add_one_sided(struct compare_task *task, size_t group, size_t baseline, size_t value, bool *added);

/* Adds a row for each group with the baseline's text that another text lacks; partners[groups->count]: the group that
 * each is compared with, itself for baselines. Only if each group has its own baseline. The same statuses. O(groups² ·
 * texts). */
int compare_add_vanished(struct compare_task *task, const size_t *partners, size_t value);

#endif
