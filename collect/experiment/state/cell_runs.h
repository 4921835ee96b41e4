/*
 * cell_runs.h - the finished runs of a cell, from the series.json that assay record keeps in its directory.
 */
#ifndef ASSAY_EXPERIMENT_CELL_RUNS_H
#define ASSAY_EXPERIMENT_CELL_RUNS_H

#include <jansson.h>
#include <stdint.h>

#include "collect/experiment/description/plan.h"

struct cell_run {
    uint64_t number; /* from 1 */
    const char *clock, *started;
    bool failed; /* exit status other than 0, or a signal */
    int64_t status, signal;
    double wall_s, user_s, system_s, stolen_s;
    uint64_t max_rss_bytes;
    const char **traces; /* [trace_count]: file names */
    size_t trace_count;
};

struct cell_runs {
    struct obstack *memory; /* of all that follows; NULL: there is nothing */
    struct cell_run *runs;  /* [count], ordered by number and clock as recorded */
    size_t count;
    size_t clocks;      /* the runs of a round, ≥ 1 */
    size_t *clocks_had; /* [number_end]: by number of the run, with how many clocks it is finished */
    uint64_t number_end;
};

/* Reads DATA/recordings/ID/series.json in place of what *runs holds; no file: no runs. Interrupted runs are left out.
 * STATUS_BAD with a message if the file is damaged. */
int cell_runs_read(const char *data, const struct plan_cell *cell, struct cell_runs *runs, struct error_text *message);

/* Frees what it holds; then there are no runs. */
void cell_runs_free(struct cell_runs *runs);

/* Whether the run with this number is finished, with every clock. O(1). */
bool cell_runs_have(const struct cell_runs *runs, uint64_t number);

#endif
