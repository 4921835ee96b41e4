/*
 * compare_missing.h - rows for benchmarks, or metrics of them, that only one side has: new, or vanished.
 */
#ifndef ASSAY_COMPARE_COMPARE_MISSING_H
#define ASSAY_COMPARE_COMPARE_MISSING_H

#include "analyze/compare/compare_pairs.h"

/* A group's texts, joined like its name, with another text in the column of baselines; NULL: without that column and
 * that of units. Where all groups have the same baseline, that column is not known, and stays. Allocated; NULL without
 * memory. */
char *compare_name_with(const struct compare_task *task, size_t group, const char *text);

/* The first group with the same text in the column of baselines; where each group has its own baseline. O(groups). */
size_t compare_first_alike(const struct compare_task *task, size_t group);
/* How many texts there are in that column; 0 where each group is compared with the same baseline. O(groups²). */
size_t compare_text_count(const struct compare_task *task);

/* The benchmark that the row of a group is about: its texts without those of baselines and of units; if
 * task->text_count is above 2, with this text of that column in brackets. Allocated; NULL without memory. */
char *compare_benchmark(const struct compare_task *task, size_t group, const char *text);

/* Adds the row of a pair in one value column if one side has no values, or there is no such group (BASELINE_NONE), but
 * the other has. *added: whether that is so. STATUS_GOOD, or STATUS_BAD without memory. */
int compare_add_one_sided(struct compare_task *task, size_t group, size_t baseline, size_t value, bool *added);

/* Adds a row for each group with the baseline's text that another text lacks; partners[groups->count]: the group that
 * each is compared with, itself for baselines. Only if each group has its own baseline. The same statuses. O(groups² ·
 * texts). */
int compare_add_vanished(struct compare_task *task, const size_t *partners, size_t value);

#endif
