/*
 * experiment.h - what all folders of assay experiment share: the command line, the description, its cells and their
 * runs.
 */
#ifndef ASSAY_EXPERIMENT_EXPERIMENT_H
#define ASSAY_EXPERIMENT_EXPERIMENT_H

#include "collect/experiment/state/cell_runs.h"
#include "collect/experiment/description/plan.h"
#include "collect/experiment/state/state.h"
#include "collect/record/start/launch.h"

enum experiment_action { EXPERIMENT_RUN, EXPERIMENT_REPORT, EXPERIMENT_PACK };

struct experiment_options {
    enum experiment_action action;
    const char *path;
    const char *output; /* of the archive; NULL: not given */
    bool dry_run, mix_machines, one_round, overwrite, quiet;
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

#endif
