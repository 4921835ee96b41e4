/*
 * report.h - makes the results: each step whose command line, program or inputs have changed, by content.
 */
#ifndef ASSAY_EXPERIMENT_REPORT_H
#define ASSAY_EXPERIMENT_REPORT_H

#include "collect/experiment/state/experiment.h"
#include "collect/experiment/results/steps.h"

struct report_counts {
    size_t made, unchanged, failed;
};

/* Makes what is not up to date, and prints a line for each file that it made, and each failure. Returns an exit status.
 */
int report_make(struct experiment *experiment, struct steps *steps, struct report_counts *counts);

#endif
