/*
 * cell_keys.h - what a cell was recorded with: its command line, environment and files. state.json has it as "cells":
 * {ID: {"key": DIGEST, "files": {PATH: DIGEST}}}.
 *
 * Files are those that the command line names, and the program's input. One that the program itself changes is
 * forgotten after the first run.
 */
#ifndef ASSAY_EXPERIMENT_CELL_KEYS_H
#define ASSAY_EXPERIMENT_CELL_KEYS_H

#include "collect/experiment/state/experiment.h"

/* Compares all cells that have runs with what they were recorded with, and prints a line for each that differs. With
 * `overwrite`, those lose their runs instead. With `adopt`, cells without runs are noted as they are now, and
 * state.json is saved. STATUS_BAD if a cell differs, or after another message. Cost: reads all files that commands
 * name. */
int cell_keys_check(struct experiment *experiment, bool overwrite);

/* After the first run of a cell: forgets the files that it has changed. */
void cell_keys_forget_written(struct experiment *experiment, size_t cell);

#endif
