/*
 * steps.h - the results of an experiment as steps: a command line of assay with its inputs, for each file or value.
 */
#ifndef ASSAY_EXPERIMENT_STEPS_H
#define ASSAY_EXPERIMENT_STEPS_H

#include "collect/experiment/description/plan.h"
#include "collect/experiment/state/start.h"

/* A file that a step reads. */
struct step_file {
    const char *path, *label; /* NULL: none */
    size_t source;            /* the step that makes it; SIZE_MAX: none does */
};

struct step {
    const struct spec_result *result;
    const char *name;                  /* the file, relative to that of the experiment; or the name of values */
    size_t levels[SPEC_VARIABLES_MAX]; /* that its name gives; PLAN_NO_LEVEL: none */
    struct words line;                 /* verb, options..., without input and output */
    bool of_runs;                      /* reads the table of runs, not traces */
    const size_t *cells;               /* [cell_count]: numbers of the cells whose runs it reads */
    size_t cell_count;
    struct step_file *files; /* [file_count]: what it reads beside them */
    size_t file_count, file_capacity;
    bool is_made; /* its result is up to date */
};

struct steps {
    struct step *list; /* in the file's order, but for those that make another's input, which come before it */
    size_t count, capacity;
};

/* Makes a step for each combination of the levels that stand in braces in a result's name. Adds errors to the spec: of
 * unknown verbs and options (each assay program checks its own), of results without a cell or a file, of results that
 * read themselves, and of files that clash with each other or with the recordings. */
int steps_make(struct spec *spec, const struct plan *plan, struct launcher *launcher, struct steps *steps);

/* Whether it is the report of an audit of profilers. */
bool steps_is_audit(const struct step *step);

/* The second file of a figure for LaTeX, which the first includes: fig-tex.pdf beside fig.tex. NULL: there is none. */
const char *steps_graphics(struct obstack *memory, const struct step *step);

#endif
