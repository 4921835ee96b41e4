/*
 * moved.h - lets the series of an experiment continue in another directory.
 */
#ifndef ASSAY_EXPERIMENT_MOVED_H
#define ASSAY_EXPERIMENT_MOVED_H

#include "collect/experiment/state/experiment.h"

/* assay record refuses to continue a series from another working directory. Where the directory of the experiment was
 * moved or copied, this puts the new one into the configuration of each cell's series, and prints a line. Whether the
 * files are the same is checked by cell_keys.h. The data directory must be locked, and no start at work. STATUS_BAD
 * after printing which file can't be written. */
int moved_follow(struct experiment *experiment);

#endif
