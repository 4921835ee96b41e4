/*
 * runs_table.h - the table of runs: one row for each run that succeeded, from the recordings' series.json.
 */
#ifndef ASSAY_EXPERIMENT_RUNS_TABLE_H
#define ASSAY_EXPERIMENT_RUNS_TABLE_H

#include <stdio.h>

#include "collect/experiment/state/experiment.h"

/* The names of its columns, and a row: a run of a cell, and its start (NULL: unknown). */
void runs_table_write_header(FILE *out, const struct experiment *experiment);
void runs_table_write_row(FILE *out, const struct experiment *experiment, const struct plan_cell *cell,
                          const struct cell_run *run, const struct state_start *start);

/* DATA/runs/FOLDER/NAME.csv; for a NAME that ends with .csv, with .runs.csv instead. */
const char *runs_table_path(struct obstack *memory, const char *data, const char *folder, const char *name);

/* Writes the table of runs of these cells, CSV, and its directory. Failed runs are left out; adds their number to
 * *failed. */
int runs_table_write(struct experiment *experiment, const size_t *cells, size_t count, const char *path, size_t *failed,
                     struct error_text *message);

#endif
