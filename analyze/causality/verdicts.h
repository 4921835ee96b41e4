/*
 * verdicts.h - verdicts on all methods of some points, shown as a table with notes and warnings.
 */
#ifndef ASSAY_CAUSALITY_VERDICTS_H
#define ASSAY_CAUSALITY_VERDICTS_H

#include "analyze/causality/verdict.h"
#include "analyze/causality/points.h"
#include "analyze/cli/report.h"

struct show {
    const char *const *by; /* [by_count], names of the columns that come before the method */
    size_t by_count;
    const struct verdict_options *how;
    struct report *report;
    bool any_of_one_run;
    uint64_t family; /* the largest one of methods that were judged together; 0 or 1: none was */
};

/* Fills show->report; share: reported times are shares of the real ones. 0 or ENOMEM. */
int verdicts_report(const struct points *points, struct show *show, bool share);

/* --- show.c --- */

/* A table of points fills all but the last, CAUSALITY_POINTS. */
enum { CAUSALITY_VERDICTS, CAUSALITY_POINTS, CAUSALITY_TABLES };
extern const struct columns causality_tables[CAUSALITY_TABLES];

/* Makes a table of the points of traces, which assay causality --real reads. 0 or ENOMEM. */
int causality_list_points(const struct points *points, struct report *report);

/* Makes the tables and says what the slopes are; share: reported times are shares of the real ones. False without
 * memory. */
bool show_begin(struct show *show, bool share);

/* A row for the method, its points for the figure, and its warnings. */
void show_method(struct show *show, const struct points_method *method, const struct slope_verdict *found);
void show_end(struct show *show);

#endif
