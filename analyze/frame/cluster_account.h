/*
 * cluster_account.h - what a report states about inputs in addition to their state, as it is sent from one rank to
 * another: which they are, their losses, why they must not be believed.
 */
#ifndef ASSAY_FRAME_CLUSTER_ACCOUNT_H
#define ASSAY_FRAME_CLUSTER_ACCOUNT_H

#include "analyze/frame/frame.h"

/* A new array with one object per input, in their order; NULL without memory. */
json_t *account_save(const struct inputs *inputs);

/* Adds inputs that have no trace, but all that output.c needs of them. 0, ENOMEM, or EINVAL: it is not such an array.
 */
int account_load(struct inputs *inputs, const json_t *saved);

#endif
