/*
 * session.h - internal to the series: what all configurations of a recording share, and what each has of its own.
 */
#ifndef ASSAY_RECORD_SERIES_SESSION_H
#define ASSAY_RECORD_SERIES_SESSION_H

#include "collect/record/finish/run_report.h"
#include "collect/record/series_file.h"
#include "collect/record/start/backend.h"
#include "collect/record/start/input.h"

struct session {
    struct launcher launcher;
    struct input *input;
    struct session_series *all; /* [count], one for each configuration; all[0] has the seed of their order */
    size_t count;
    uint64_t done, total; /* runs, warm-up included */
    uint64_t begin_ns;
    int status; /* exit status so far */
    bool stop;  /* no further run */
};

/* A configuration: a command with its series. */
struct session_series {
    struct session *session;
    struct record_options *options;
    struct backend backend;
    struct series_file file;
    struct run_report_cover cover;
    uint64_t left[RECORD_CLOCKS_MAX]; /* runs to be made, of each clock, warm-up included */
};

/* The recorder itself failed: the command's own status goes first if it has one. */
void session_fail(struct session *session, const char *text);

/* Runs the command once, with its entry in the series; a warm-up leaves nothing there. */
void session_run(struct session_series *series, const struct record_run *run);

#endif
