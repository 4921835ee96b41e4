/*
 * session.h - makes the runs that are missing.
 */
#ifndef ASSAY_EXPERIMENT_SESSION_H
#define ASSAY_EXPERIMENT_SESSION_H

#include "collect/experiment/state/experiment.h"

/* If an earlier session was killed while a start was at work: waits until that has ended, and notes it. Returns
 * STATUS_BAD after printing what went wrong. */
int session_finish_killed(struct experiment *experiment);

/* Makes all runs that are missing, or with --one-round those of one round. Returns an exit status after printing what
 * went wrong: STATUS_BAD if a start failed, 128 + the signal that interrupted it. `check`
 * is called before the first run and after each round, with the runs that exist then. */
int session_make_runs(struct experiment *experiment, void (*check)(void *user), void *user);

#endif
