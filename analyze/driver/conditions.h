/*
 * conditions.h - the conditions under which the runs of a result were recorded: their labels and their environment.
 */
#ifndef ASSAY_ANALYZE_DRIVER_CONDITIONS_H
#define ASSAY_ANALYZE_DRIVER_CONDITIONS_H

#include "analyze/driver/run_label.h"

/* The conditions of a trace: an array with an object, which has a text for each label but its file, and the
 * "environment" of its metadata if that is known. A new reference; NULL without memory. */
json_t *conditions_of_trace(const struct analysis_trace *trace);

/* Adds the conditions of `more`, an array or NULL, that an array does not have yet. `known` is an object, empty at
 * first, that keeps what has been added. 0 or ENOMEM. O(length of more). */
int conditions_join(json_t *all, json_t *known, const json_t *more);

/*
 * Warns if runs that have one result together, those with the same text under `by` (RUN_LABELS: all), differ in
 * environment variables: in which ones, and which label keeps them apart. With `labels`, warns of labels that separate
 * runs, too. O(conditions × variables).
 */
void conditions_warn(const json_t *all, enum run_label by, bool labels, struct report *report);

#endif
