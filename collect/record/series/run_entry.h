/*
 * run_entry.h - a run that has ended, as an entry of series.json.
 */
#ifndef ASSAY_RECORD_SERIES_RUN_ENTRY_H
#define ASSAY_RECORD_SERIES_RUN_ENTRY_H

#include <jansson.h>

#include "collect/record/start/backend.h"

/* The entry (new) as in series_file.h, with the run's traces checked and the notes of its agents; `started` is
 * borrowed. NULL with an errno value in *error. */
json_t *run_entry_make(const struct backend *backend, const struct record_run *run,
                       const struct metadata_location *location, json_t *started, const struct launch_result *result,
                       bool interrupted, int *error);

#endif
