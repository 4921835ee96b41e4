/*
 * session.h - makes the runs that are missing.
 */
#ifndef ASSAY_EXPERIMENT_SESSION_H
#define ASSAY_EXPERIMENT_SESSION_H

#include "collect/experiment/state/experiment.h"

/* Makes all runs that are missing. Returns an exit status after printing what went wrong: STATUS_BAD if a start failed,
 * 128 + the signal that interrupted it. */
int session_make_runs(struct experiment *experiment);

#endif
