/*
 * metadata.h - a series and its runs as JSON: what must be equal for a series to resume, and the agents' configuration.
 */
#ifndef ASSAY_RECORD_START_METADATA_H
#define ASSAY_RECORD_START_METADATA_H

#include "collect/record/record.h"
#include "collect/record/start/engine.h"

/* What identifies a series. "seed" only if one was given. New reference, or NULL and a message: without memory, or if
 * the command's file can't be read at the moment, without which the series could not be resumed. */
json_t *metadata_configuration(const struct record_options *options, const struct record_engine *engine,
                               struct error_text *message);

struct metadata_location {
    const char *directory; /* where the run's traces go */
    const char *prefix;
    const char *series;
};

/*
 * The initial metadata of every trace of a run. New reference, or NULL without memory. A long command is cut;
 * "command_cut" says so.
 */
json_t *metadata_of_run(const struct record_options *options, const struct record_engine *engine,
                        const struct record_run *run, const struct metadata_location *location);

/*
 * The value of ASSAY_RECORD for a run, from this metadata: a new string for free(), or NULL without memory. (The
 * command is cut since one environment variable holds 128 KiB at most.) `pool`: where a process waits for what it shall
 * write (keep_path()); NULL: nowhere.
 */
char *metadata_for_agents(const json_t *metadata, const char *pool);

/* The seed of one run: the same for the same series seed, clock and number; < 2^63. */
uint64_t metadata_seed(const struct record_options *options, const struct record_run *run);

#endif
