/*
 * tables.h - the tables of assay agree, with their notes.
 */
#ifndef ASSAY_AGREE_TABLES_H
#define ASSAY_AGREE_TABLES_H

#include "analyze/agree/measure.h"
#include "analyze/cli/report.h"

enum tables_question {
    TABLES_PAIRS,    /* a row for each pair of profilers */
    TABLES_UNION,    /* Union_1 … Union_top */
    TABLES_HOTNESS,  /* HOTNESS of the hottest methods of any profiler */
    TABLES_METHODS,  /* for each pair, the methods that differ most */
    TABLES_OBSERVER, /* the effect of each profiler, or of one that runs with it, on the profile and the time of another
                      */
    TABLES_QUESTIONS
};

/* A table of shares fills all but the last, TABLES_OBSERVER. */
extern const struct columns agree_tables[TABLES_QUESTIONS];

struct tables_options {
    enum tables_question question;
    size_t top;           /* 1 … MEASURE_TOP_MAX */
    const char *baseline; /* of TABLES_OBSERVER: the profiler without */
    struct measure_options intervals;
};

/* Fills report->table, and report->figure if one is wanted (plots/agree.gp: HOTNESS by profiler); report->no_result if
 * there is nothing to compare. 0 or ENOMEM. */
int tables_report(const struct profiles *profiles, const struct tables_options *options, struct report *report);

#endif
