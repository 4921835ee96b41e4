/*
 * experiment.h - what the steps of assay experiment share: the command line, the description, its cells and their runs.
 */
#ifndef ASSAY_EXPERIMENT_EXPERIMENT_H
#define ASSAY_EXPERIMENT_EXPERIMENT_H

#include "collect/experiment/cell_runs.h"
#include "collect/experiment/plan.h"
#include "collect/experiment/state.h"
#include "collect/record/start/launch.h"

enum experiment_action { EXPERIMENT_RUN, EXPERIMENT_REPORT, EXPERIMENT_PACK };

struct experiment_options {
    enum experiment_action action;
    const char *path;
    const char *output; /* of the archive; NULL: not given */
    bool dry_run, mix_machines, overwrite, quiet;
};

struct experiment {
    const struct experiment_options *options;
    struct obstack memory;
    struct spec spec;
    struct plan plan;
    struct state state;
    struct launcher launcher;
    struct cell_runs *runs; /* by cell */
    const char *output;     /* that of the options, as it is from the directory of the file */
};

/* Parses the command line; exits with 2 on bad usage, 0 after --help and --version. */
void experiment_parse(int argc, char **argv, struct experiment_options *options);

/* Executes the options. Returns the exit status. */
int experiment_main(const struct experiment_options *options);

/* --dry-run: prints what is left to do. */
void experiment_print_plan(struct experiment *experiment);

/* Makes all runs that are missing. Returns an exit status after printing what went wrong: STATUS_BAD if a start failed,
 * 128 + the signal that interrupted it. */
int experiment_run(struct experiment *experiment);

/* Writes the table of runs of these cells, CSV. Failed runs are left out; adds their number to *failed. */
int experiment_write_runs(struct experiment *experiment, const size_t *cells, size_t count, const char *path,
                          size_t *failed, struct error_text *message);

#endif
