/*
 * compare.h - assay record --check: whether the command does the same when it is recorded. It is run four times, plain
 * and recorded in turn; output, errors, status and time are compared, and nothing is kept.
 */
#ifndef ASSAY_RECORD_COMPARE_COMPARE_H
#define ASSAY_RECORD_COMPARE_COMPARE_H

#include "collect/record/record.h"

/* Prints a table of the runs and the verdict. Returns the exit status: 0: the same, or plain runs differ among
 * themselves where recorded ones differ from them; 1: recording changes something, or the command can't be run. */
int compare_main(const struct record_options *options);

#endif
