/*
 * start.h - starts assay's other programs, and those that are measured.
 */
#ifndef ASSAY_EXPERIMENT_START_H
#define ASSAY_EXPERIMENT_START_H

#include "collect/experiment/description/spec.h"
#include "collect/record/start/launch.h"

struct start_job {
    const struct words *command;
    const struct spec_environment *environment; /* NULL: as ours */
    const char *directory;                      /* NULL: ours */
    int output, errors;                         /* descriptors; 0: ours */
    void (*on_start)(void *user, pid_t pid);    /* before it is executed, in `directory`; NULL: not */
    void (*on_progress)(void *user);            /* about every second; NULL: not */
    void *user;
};

/* Runs it to its end, with /dev/null as standard input; signals to us go to it, too. STATUS_GOOD and *result, or
 * STATUS_BAD with a message if it can't be started. */
int start_run(struct obstack *memory, struct launcher *launcher, const struct start_job *job,
              struct launch_result *result, struct error_text *message);

/* The path of assay-VERB, which lies beside this program. */
const char *start_program(struct obstack *memory, const char *verb);

/* Whether there is such a program. */
bool start_has_program(struct obstack *memory, const char *verb);

/* 0, or as a shell has it: the exit status, or 128 + the signal. */
int start_status(const struct launch_result *result);

/* What a command prints on its standard output and error, at most 64 KiB; NULL if it can't be started. `environment` is
 * as in a job; *status is as from start_status(). */
const char *start_read(struct obstack *memory, struct launcher *launcher, const struct words *command,
                       const struct spec_environment *environment, int *status);

#endif
