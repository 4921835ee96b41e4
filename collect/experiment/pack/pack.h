/*
 * pack.h - an archive from which the results can be made elsewhere: the description, the recordings and the results.
 */
#ifndef ASSAY_EXPERIMENT_PACK_H
#define ASSAY_EXPERIMENT_PACK_H

#include "collect/experiment/state/experiment.h"
#include "collect/experiment/results/steps.h"

/*
 * Writes STEM.zip beside the description, or experiment->output. All files are below STEM/, in the order of
 * their names, with the same date, so that the same content gives the same bytes. SHA256SUMS has their digests, as
 * sha256sum -c reads them. Warm-up runs and tables of runs are left out. Prints what it wrote. STATUS_BAD after a
 * message.
 */
int pack_write(struct experiment *experiment, const struct steps *steps);

#endif
