/*
 * baseline.h - which group is each group compared with?
 *
 * Either one group with all others, or, where a group has several texts (version and program), each group with the one
 * that has the baseline's text in one column and the same texts in the others.
 */
#ifndef ASSAY_COMPARE_BASELINE_H
#define ASSAY_COMPARE_BASELINE_H

#include "analyze/driver/tables/groups.h"

/* No group, and no group to compare with. */
#define BASELINE_NONE SIZE_MAX

struct baseline {
    size_t group;     /* BASELINE_NONE: see the others */
    size_t column;    /* of the text */
    const char *text; /* of the groups: a file, a version */
};

/* Whether it names one of these files: its path, or that without folders, or without suffix. */
bool baseline_is_file(const char *name, const char *const *paths, size_t count);

/* The baseline of this name: a group's name, else a text in one of the group columns (a file also without its folders
 * and suffixes, if only one is meant); NULL: the first group. Any other name is a usage error, whose message lists
 * the choices, only files if `several_files` (the first texts) are compared. A single group is an error. `name` must
 * outlive the baseline. */
int baseline_find(const struct groups *groups, const char *name, bool several_files, struct baseline *baseline,
                  struct error_text *message);

/* The group with the baseline's text whose names differ only in a number of processors at their ends, as Go writes it
 * ("Sort-8", "Sort-16"); BASELINE_NONE if there is none, or several. O(groups). */
size_t baseline_like(const struct groups *groups, const struct baseline *baseline, size_t group);

/* The only group of the baseline's file, if `group` is the only one of its file; else BASELINE_NONE. O(groups). */
size_t baseline_of_file(const struct groups *groups, const struct baseline *baseline, size_t group);

/* The group to compare `group` with; itself if it is a baseline; BASELINE_NONE if there is none. O(groups). */
size_t baseline_of(const struct groups *groups, const struct baseline *baseline, size_t group);

#endif
