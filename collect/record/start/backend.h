/*
 * backend.h - how this machine executes the options: the engine, and agents or Valgrind's tool for it.
 */
#ifndef ASSAY_RECORD_START_BACKEND_H
#define ASSAY_RECORD_START_BACKEND_H

#include "collect/record/start/agents.h"
#include "collect/record/start/exact.h"
#include "collect/record/start/launch.h"
#include "collect/record/start/metadata.h"

struct backend {
    const struct record_options *options;
    struct record_engine engine;
    struct agents agents; /* these two unless options->exact */
    struct agents_environment environment;
    struct record_exact exact;   /* if options->exact */
    json_t *missing;             /* of the last run in mode memory, from live_end(); or NULL */
    char small[RECORD_PATH_MAX]; /* assay-exec in mode time; "": it is missing */
    struct cache *cache;         /* of places in programs; NULL: none */
};

/*
 * Prepares everything that a run needs. Returns 0, or STATUS_BAD with a message; free with backend_free() either
 * way (start with {0}).
 */
int backend_prepare(const struct record_options *options, struct backend *backend, struct error_text *message);
void backend_free(struct backend *backend);

/* Reports the engine, if that is not obvious, and what it can't do for this command. */
void backend_report(const struct backend *backend);

/* Runs the command once; on_start, on_progress and user of *job are the caller's, the rest is set here. As
 * launch_run(). */
int backend_launch(struct backend *backend, struct launcher *launcher, const struct record_run *run,
                   const struct metadata_location *location, struct launch_job *job, struct launch_result *result);

/* The traces of this run; as check_run(). */
int backend_check(const struct backend *backend, const struct record_run *run, const struct metadata_location *location,
                  const json_t *before, const json_t *ending, json_t **traces);

/* One line if what runs the command has failed (not the command itself). Returns whether it has. */
bool backend_failed(const struct backend *backend, const struct record_run *run,
                    const struct metadata_location *location);

#endif
