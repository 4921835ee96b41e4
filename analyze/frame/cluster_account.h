/*
 * cluster_account.h - what a report says of inputs beside their state, as it goes from one rank to another: which they
 * are, what is lost of them, why they must not be believed.
 */
#ifndef ASSAY_FRAME_CLUSTER_ACCOUNT_H
#define ASSAY_FRAME_CLUSTER_ACCOUNT_H

#include "analyze/frame/frame.h"

/* A new array with an object an input, in their order; NULL without memory. */
json_t *account_save(const struct inputs *inputs);

/* Adds inputs that have no trace, but all that output.c wants of them. 0, ENOMEM, or EINVAL: it is not such an array.
 */
int account_load(struct inputs *inputs, const json_t *saved);

#endif
