/*
 * report.h - makes the results: each step whose command line, program or inputs have changed, by content.
 */
#ifndef ASSAY_EXPERIMENT_REPORT_H
#define ASSAY_EXPERIMENT_REPORT_H

#include "collect/experiment/state/experiment.h"
#include "collect/experiment/results/steps.h"

/* What became of a step. */
struct report_outcome {
    struct words inputs; /* traces, or the table of runs */
    size_t failed_runs;  /* which are left out */
    const char *error;   /* all that the program printed; NULL: the result is up to date */
};

struct report_counts {
    size_t made, unchanged, failed;
};

/* Makes what is not up to date, and prints a line for each file that it made, and each failure. outcomes[steps->count]
 * are filled. Returns an exit status. */
int report_make(struct experiment *experiment, const struct steps *steps, struct report_outcome *outcomes,
                struct report_counts *counts);

/* The step's name in results.json, where values must not clash with files. */
const char *report_id(struct experiment *experiment, const struct step *step);

/* Runs the step's program with one option more, its standard output into a descriptor. *printed is what it wrote on its
 * standard error, at most 64 KiB. STATUS_BAD with a message if it failed. */
int report_run_program(struct experiment *experiment, const struct step *step, const char *option,
                       const struct words *inputs, int output, const char **printed, struct error_text *message);

#endif
