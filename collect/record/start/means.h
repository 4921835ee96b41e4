/*
 * means.h - how this machine executes the options: the engine, and agents or Valgrind's tool for it.
 */
#ifndef ASSAY_RECORD_START_MEANS_H
#define ASSAY_RECORD_START_MEANS_H

#include "collect/record/start/agents.h"
#include "collect/record/start/exact.h"
#include "collect/record/start/launch.h"
#include "collect/record/start/metadata.h"

struct means {
    const struct record_options *options;
    struct record_engine engine;
    struct agents agents; /* these two unless options->exact */
    struct agents_environment environment;
    struct record_exact exact; /* if options->exact */
    json_t *missing;           /* of the last run in mode memory, from live_end(); or NULL */
    struct cache *cache;       /* of places in programs; NULL: none */
};

/*
 * Prepares everything that a run needs. Returns 0, or STATUS_BAD with a complaint; free with means_free() either
 * way (start with {0}).
 */
int means_find(const struct record_options *options, struct means *means, struct complaint *complaint);
void means_free(struct means *means);

/* Reports the engine, if that is not obvious, and what it can't do for this command. */
void means_say(const struct means *means);

/* Runs the command once; on_start, on_tick and user of *job are the caller's, the rest is set here. As launch_run(). */
int means_launch(struct means *means, struct launcher *launcher, const struct record_run *run,
                 const struct metadata_place *place, struct launch_job *job, struct launch_result *result);

/* The traces of this run; as check_run(). */
int means_check(const struct means *means, const struct record_run *run, const struct metadata_place *place,
                const json_t *before, const json_t *ending, json_t **traces);

/* One line if what runs the command has failed (not the command itself). Returns whether it has. */
bool means_failed(const struct means *means, const struct record_run *run, const struct metadata_place *place);

#endif
