/*
 * series_file.h - the state of a series in its directory: DIRECTORY/series.json, replaced atomically after each run.
 *
 *   {"assay": "0.1.0", "series": ID, "started": TIME, "configuration": {...}, "runs": N,
 *    "running": null | {"run", "clock", "pid", "start_ticks"},
 *    "done": [{"run", "clock", "prefix", "started", "seed", "interrupted", "environment",
 *              "exit": {"status", "signal", "wall_ns", "user_ns", "system_ns", "max_rss_bytes", "minor_faults",
 *                       "major_faults", "stolen_ns"},
 *              "traces": [{"file", "state", "sampled_cpu_ns", "problem"}]}]}
 *
 * The configuration's "environment" has the checksum of each variable that may matter (start/environment.h). A
 * run has an "environment" if it differs: the variables that do, null for those that were not set.
 * An interrupted run is also in "done", for readers of the directory, but it will be run again.
 */
#ifndef ASSAY_RECORD_SERIES_FILE_H
#define ASSAY_RECORD_SERIES_FILE_H

#include <sys/types.h>

#include "collect/record/record.h"

struct series_file {
    char directory[RECORD_PATH_MAX]; /* absolute */
    int lock;                        /* the open directory, locked against another recorder */
    json_t *root;                    /* the contents of series.json */
    bool resumed;                    /* it existed before */
    json_t *environment;             /* what runs have as "environment", or NULL */
};

/*
 * Creates the directory, locks it, and begins a series there or resumes the same one: `configuration` (borrowed) must
 * equal the stored one, except for "seed" if it has none, which it then adopts, and "environment". `overwrite` removes
 * an existing series. Returns 0 or STATUS_BAD with a message. Close with series_file_close().
 */
int series_file_open(struct series_file *series, const char *directory, json_t *configuration,
                     const struct record_options *options, struct error_text *message);
void series_file_close(struct series_file *series);

/* The seed of the series in a directory, and how many runs it has. False: there is no series. */
bool series_file_peek_seed(const char *directory, uint64_t *seed, size_t *runs);

/* Removes the traces of unfinished runs, and forgets interrupted ones. */
int series_file_clean(struct series_file *series, struct error_text *message);

/* When the process began, in clock ticks since boot: distinguishes it from a later one with the same number. 0: no such
 * process. */
json_int_t series_file_process_start(pid_t pid);

/* The process of the run that a series.json describes as running, if it still is; otherwise 0. */
pid_t series_file_running(const json_t *root);

bool series_file_has(const struct series_file *series, const struct record_run *run);
json_t *series_file_done(const struct series_file *series); /* array, borrowed */
const char *series_file_id(const struct series_file *series);

/* A number of the "exit" of an entry in "done"; 0 for null. */
json_int_t series_file_ending(const json_t *entry, const char *key);

/* A run begins as process `pid`; a run has ended, as described by `entry` (stolen). Return 0, or STATUS_BAD with a
 * message. */
int series_file_begin(struct series_file *series, const struct record_run *run, pid_t pid, struct error_text *message);
int series_file_end(struct series_file *series, json_t *entry, struct error_text *message);
int series_file_save(const struct series_file *series, struct error_text *message);

/* In the configuration. */
#define SERIES_FILE_ENVIRONMENT "environment"

/* The directory for traces of warm-up runs, in the series' directory, and its removal. */
#define RUN_SERIES_WARMUP "warmup"
void series_file_remove_warmup(const struct series_file *series);

/* The directory in that of a series which has a CPU profile of the same command: a series of its own, whose series.json
 * has the id of the former as "profile_of". */
#define RUN_SERIES_PROFILE "profile"
#define RUN_SERIES_PROFILE_OF "profile_of"

/* Removes the traces of the series and its series.json; its directory, too, if nothing else is in it. 0 or an errno
 * value. */
int series_file_discard(struct series_file *series);

/* Removes series.json, and the directory if nothing else is in it. */
void series_file_remove(struct series_file *series);

/* Now, as UTC: "2024-05-01T12:00:00Z". */
json_t *series_file_time(void);

#endif
