/*
 * steps_check.h - what is wrong with the results of a description, before anything runs.
 */
#ifndef ASSAY_EXPERIMENT_STEPS_CHECK_H
#define ASSAY_EXPERIMENT_STEPS_CHECK_H

#include "collect/experiment/results/steps.h"

/* Whether the verb's program gets the table of runs; all others get traces. */
bool steps_reads_table(const char *verb);

/* Each adds errors to the spec. Whether the result has a verb that exists, is installed and makes results of its kind;
 * whether the line has options alone that the program takes, which it parses itself, after the option `first` unless
 * that is NULL; whether two files or values have one name, or that of a recording. */
bool steps_check_verb(struct spec *spec, const struct spec_result *result);
void steps_check_options(struct spec *spec, struct launcher *launcher, const struct tree *at, const struct words *line,
                         const char *first);
void steps_check_clashes(struct spec *spec, const struct steps *steps);

#endif
