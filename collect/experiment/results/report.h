/*
 * report.h - makes the results: each step whose command line, program or inputs have changed, by content.
 */
#ifndef ASSAY_EXPERIMENT_REPORT_H
#define ASSAY_EXPERIMENT_REPORT_H

#include "collect/experiment/state/experiment.h"
#include "collect/experiment/results/steps.h"

/* What a step reads. */
struct report_inputs {
    struct words words, paths; /* as its program gets them: some as NAME=PATH; the files */
    size_t failed;             /* runs, which are left out */
};

/* What became of a step. */
struct report_outcome {
    struct report_inputs inputs;
    const char *error;   /* all that the program printed; NULL: the result is up to date */
    const char *message; /* its first line, or NULL */
    bool is_repeated;    /* a file or value before it, of the same result, has the same message */
};

struct report_counts {
    size_t made, unchanged, failed;
};

/* Prints files that this description has made, and that it no longer has, and forgets them: each is named once. Other
 * descriptions with the same data are not concerned. */
void report_print_stale(struct experiment *experiment, const struct steps *steps);

/* Makes what is not up to date, and prints a line for each file that it made, and each failure. outcomes[steps->count]
 * are filled. Returns an exit status. */
int report_make(struct experiment *experiment, struct steps *steps, struct report_outcome *outcomes,
                struct report_counts *counts);

/* The step's name in results.json. No file's name begins with a slash, so values don't clash with files. */
const char *report_id(struct experiment *experiment, const struct step *step);

/* The option that names the step's file: --output, --plot or --html; --format for values. */
const char *report_option(const struct step *step);

/* The format of an audit's report, by the suffix of its file; NULL: there is none. */
const char *report_audit_format(const char *name);

/* Options for report_run_program() by which an audit's step, of one cell, prints its report in a format. They end with
 * NULL and live as long as the experiment. */
const char *const *report_audit_options(struct experiment *experiment, const struct step *step, const char *format);

/* Runs the step's program with more options, which end with NULL, its standard output into a descriptor. *printed is
 * what it wrote on its standard error, at most 64 KiB. If it failed, its exit status with a message, or STATUS_BAD if
 * it can't be started. */
int report_run_program(struct experiment *experiment, const struct step *step, const char *const *options,
                       const struct report_inputs *inputs, int output, const char **printed,
                       struct error_text *message);

/* The same for a text of the report: the result in this format (html, latex), whatever its line says of LaTeX. */
int report_print(struct experiment *experiment, const struct step *step, const char *format,
                 const struct report_inputs *inputs, int output, const char **printed, struct error_text *message);

#endif
