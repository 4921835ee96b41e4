/*
 * page.h - report.html and report.pdf: one page with the question, the method, the machines, the runs and all results.
 *
 * Everything in it comes from the description, the recordings and the results: the same data give the same bytes. It
 * needs no other file; links to raw data are relative to it. LaTeX makes the PDF, where it is installed.
 */
#ifndef ASSAY_EXPERIMENT_PAGE_H
#define ASSAY_EXPERIMENT_PAGE_H

#include "collect/experiment/results/report.h"

/* The paths of the page and of the report as PDF, relative to the directory of the description. */
const char *page_path(struct obstack *memory, const struct spec *spec);
const char *page_pdf_path(struct obstack *memory, const struct spec *spec);

/* Makes both from these results, outcomes[steps->count], and prints a line for each that has changed. The program of
 * each result runs once more, unless nothing of it has changed. Returns an exit status: a report of another experiment
 * is not overwritten: a line says so. */
int page_make(struct experiment *experiment, const struct steps *steps, const struct report_outcome *outcomes);

#endif
