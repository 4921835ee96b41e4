/*
 * trial.h - finds mistakes in the lines of results before the runs that they need are all there: columns that do not
 * exist, values with one name. Makes results on trial, and keeps none.
 */
#ifndef ASSAY_EXPERIMENT_TRIAL_H
#define ASSAY_EXPERIMENT_TRIAL_H

#include "collect/experiment/results/report.h"

/* Makes the results of programs on tables from an invented table of runs, which has the columns and names of the real
 * one, and adds an error to the spec for each that fails for its line: by bad usage, by a column that the input lacks,
 * or by names of values. Only the first file of a result, and all values, are tried. STATUS_BAD if there are errors.
 * Cost: a start of each program. */
int trial_check_tables(struct experiment *experiment, const struct steps *steps);

/* The same for the first file or value of each result that reads traces, from the first run of each cell. Those whose
 * cells lack a run are left for a later call; checked[result_count of the spec] has those that are done. The runs can
 * go on meanwhile, so that a mistake is only printed. */
void trial_check_traces(struct experiment *experiment, const struct steps *steps, bool *checked);

#endif
