/*
 * attempt.h - one run of the command with one amount of work, and its result.
 */
#ifndef ASSAY_INJECT_ATTEMPT_H
#define ASSAY_INJECT_ATTEMPT_H

#include "collect/inject/inject.h"
#include "collect/record/start/launch.h"

struct attempt {
    const struct inject_options *options;
    struct launcher *launcher;
    char agent[4096];    /* the library that JVMs load, or "" */
    char library[4096];  /* that native programs load */
    const char *command; /* its words, for the table */
    double round_ns;     /* the time of a round of work; NaN: unknown */
};

enum attempt_outcome {
    ATTEMPT_ROW,        /* *row holds the results; its status may still be bad */
    ATTEMPT_IMPOSSIBLE, /* no run of this method will succeed; the message says why */
    ATTEMPT_FAILED,     /* the run was impossible: no such command, out of memory, disk full */
    ATTEMPT_INTERRUPTED
};

/* Runs the command; sets *message if IMPOSSIBLE or FAILED. On ATTEMPT_ROW the caller owns what *row owns. */
enum attempt_outcome attempt_run(const struct attempt *attempt, uint32_t amount, uint64_t run, struct inject_row *row,
                                 struct error_text *message);

/* The current time of a round of `work` in compiled code on this machine, ns: the best of several; NaN for work other
 * than fib. About 20 ms. */
double attempt_calibrate(const char *work);

#endif
