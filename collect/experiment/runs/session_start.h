/*
 * session_start.h - one start of assay record for a cell, and the progress of all of them.
 */
#ifndef ASSAY_EXPERIMENT_SESSION_START_H
#define ASSAY_EXPERIMENT_SESSION_START_H

#include "collect/experiment/state/experiment.h"

enum { SESSION_FAILURES_MAX = 2 };

struct session {
    struct experiment *experiment;
    size_t *failures;   /* by cell: failed starts in a row */
    bool *warm;         /* by cell: its warm-up runs are made */
    size_t done, total; /* runs, with those to warm up */
    uint64_t begin_ns;
    uint64_t round;           /* of the current start */
    const char *current;      /* its cell */
    struct state_start start; /* what is noted of it */
    size_t failed;
    void (*check)(void *user); /* between the runs */
    void *user;
    bool stop;
    int status;
};

/* The rounds of a cell's recording, and how many of them the cell lacks. */
uint64_t session_rounds(const struct session *session, size_t cell);
uint64_t session_missing(const struct session *session, size_t cell);

/* The warm-up runs that the cell has ahead. */
uint64_t session_cold(const struct session *session, size_t cell);

/* The time of the starts that are left, s; NaN if a cell has never run, nor another of its recording. */
double session_left_s(const struct session *session);

/* The bytes of all files in a directory and below. */
uint64_t session_directory_bytes(const char *path);

/* After a kill, a start or its command may still be at work in a cell's directory: waits until they have ended. */
void session_wait_for_orphans(struct experiment *experiment, const char *directory);

/* One run more of this cell: number `round`. Failures are printed and counted. */
void session_start_cell(struct session *session, size_t cell, uint64_t round);

/* The cell's warm-up runs. Their traces are of no use. */
void session_warm_up(struct session *session, size_t cell);

#endif
