/*
 * until.h - rounds that are added until intervals are narrow enough.
 */
#ifndef ASSAY_EXPERIMENT_UNTIL_H
#define ASSAY_EXPERIMENT_UNTIL_H

#include "collect/experiment/state/experiment.h"

/* Takes the rounds that earlier sessions added, from state.json ("rounds": {RECORDING: NUMBER}). */
void until_restore(struct experiment *experiment);

/* If a cell of the recording has a wider interval than the description wants, and more rounds are allowed, adds one and
 * saves state.json. The interval is that of assay ci. Returns whether a round was added; on failure prints why, and
 * sets *status. */
bool until_add_round(struct experiment *experiment, size_t recording, int *status);

#endif
