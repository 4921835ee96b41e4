/*
 * command.h - the command line of assay experiment, and what it does.
 */
#ifndef ASSAY_EXPERIMENT_COMMAND_H
#define ASSAY_EXPERIMENT_COMMAND_H

#include "collect/experiment/state/experiment.h"

/* Parses the command line; exits with 2 on bad usage, 0 after --help and --version. */
void command_parse(int argc, char **argv, struct experiment_options *options);

/* Executes the options. Returns the exit status. */
int command_execute(const struct experiment_options *options);

/* --dry-run: prints what is left to do. */
void command_print_plan(struct experiment *experiment);

#endif
