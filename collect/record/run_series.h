/*
 * run_series.h - the state of a series in its directory: DIRECTORY/series.json, replaced atomically after each run.
 *
 *   {"assay": "0.1.0", "series": ID, "started": TIME, "configuration": {...}, "runs": N,
 *    "running": null | {"run", "clock", "pid", "start_ticks"},
 *    "done": [{"run", "clock", "prefix", "started", "seed", "interrupted",
 *              "exit": {"status", "signal", "wall_ns", "user_ns", "system_ns", "max_rss_bytes", "stolen_ns"},
 *              "traces": [{"file", "state", "sampled_cpu_ns", "problem"}]}]}
 *
 * An interrupted run is also in "done", for readers of the directory, but it will be run again.
 */
#ifndef ASSAY_RECORD_RUN_SERIES_H
#define ASSAY_RECORD_RUN_SERIES_H

#include <sys/types.h>

#include "collect/record/record.h"

struct run_series {
    char directory[RECORD_PATH_MAX]; /* absolute */
    int lock;                        /* the open directory, locked against another recorder */
    json_t *root;                    /* the contents of series.json */
    bool resumed;                    /* it existed before */
};

/*
 * Creates the directory, locks it, and begins a series there or resumes the same one: `configuration` (borrowed) must
 * equal the stored one, except for "seed" if it has none, which it then adopts. `overwrite` removes an existing series.
 * Returns 0 or STATUS_BAD with a message. Close with run_series_close().
 */
int run_series_open(struct run_series *series, const char *directory, json_t *configuration,
                    const struct record_options *options, struct error_text *message);
void run_series_close(struct run_series *series);

/* Removes the traces of unfinished runs, and forgets interrupted ones. */
int run_series_clean(struct run_series *series, struct error_text *message);

bool run_series_has(const struct run_series *series, const struct record_run *run);
json_t *run_series_done(const struct run_series *series); /* array, borrowed */
const char *run_series_id(const struct run_series *series);

/* A number of the "exit" of an entry in "done"; 0 for null. */
json_int_t run_series_ending(const json_t *entry, const char *key);

/* A run begins as process `pid`; a run has ended, as described by `entry` (stolen). Return 0, or STATUS_BAD with a
 * message. */
int run_series_begin(struct run_series *series, const struct record_run *run, pid_t pid, struct error_text *message);
int run_series_end(struct run_series *series, json_t *entry, struct error_text *message);
int run_series_save(const struct run_series *series, struct error_text *message);

/* The directory for traces of warm-up runs, in the series' directory, and its removal. */
#define RUN_SERIES_WARMUP "warmup"
void run_series_remove_warmup(const struct run_series *series);

/* Removes series.json, and the directory if nothing else is in it. */
void run_series_remove(struct run_series *series);

/* Now, as UTC: "2024-05-01T12:00:00Z". */
json_t *run_series_time(void);

#endif
