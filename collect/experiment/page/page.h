/*
 * page.h - report.html: one page with the question, the method, the machines, the runs and all results.
 *
 * Everything in it comes from the description, the recordings and the results: the same data give the same bytes. It
 * needs no other file; links to raw data are relative to it.
 */
#ifndef ASSAY_EXPERIMENT_PAGE_H
#define ASSAY_EXPERIMENT_PAGE_H

#include "collect/experiment/results/report.h"

/* The page's path, relative to the directory of the description. */
const char *page_path(struct obstack *memory, const struct spec *spec);

/* Makes the page of these results, outcomes[steps->count], and prints a line if it has changed. The program of each
 * result runs once more, unless nothing of it has changed. Returns an exit status: a report of another experiment is
 * not overwritten. */
int page_make(struct experiment *experiment, const struct steps *steps, const struct report_outcome *outcomes);

#endif
