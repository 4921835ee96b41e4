/*
 * request.h - the request to assay phases, and the tables that answer it.
 */
#ifndef ASSAY_PHASES_REQUEST_H
#define ASSAY_PHASES_REQUEST_H

#include "analyze/phases/totals.h"
#include "analyze/cli/report.h"
#include "stats/estimates/ratio.h"

enum phases_view {
    PHASES_VIEW_PHASES,
    PHASES_VIEW_TOTALS,
    PHASES_VIEW_PLANE,
    PHASES_VIEW_ANOVA,
    PHASES_VIEW_COMPONENTS,
    PHASES_VIEW_BOTTLENECKS,
    PHASES_VIEW_PERCENTILES,
    PHASES_VIEW_HISTOGRAM,
    PHASES_VIEW_BOXES,
    PHASES_VIEW_BASELINE,
    PHASES_VIEW_WITHOUT,
    PHASES_VIEW_TIMELINE,
    PHASES_VIEW_OVER_TIME,
    PHASES_VIEW_LAST = PHASES_VIEW_OVER_TIME
};

struct phases_request {
    enum phases_view view;
    bool has_thetas;            /* --weight or --grain, instead of --auto */
    double weight, granularity; /* 0.1, 0.05 if only one is given */
    double overhead;            /* --auto: 0.01 */
    const char *basis;          /* --share-of */
    const char *select;         /* the file for the names of the phases, or NULL */
    const char *method;         /* of the histogram */
    const char *metric;         /* of the boxes, or over time */
    uint64_t bins;              /* of a timeline */
    const char *baseline;       /* the prefix of the paths of the old traces, or of those with fewer probes */
    uint64_t top;               /* rows; 0: all */
    bool has_top;
};

/* Fills the tables that report_tables() made of phases_columns (rows.h) from totals whose phases are marked. 0 or
 * ENOMEM. */
typedef int phases_fill(const struct phases_request *request, const struct phases_totals *totals,
                        struct report *report);
phases_fill phases_table, phases_totals_table, phases_plane_table, phases_anova_table, phases_components_table,
    phases_bottlenecks_table, phases_percentiles_table, phases_boxes_table, phases_histogram_table;
phases_fill phases_timeline_table; /* reads the traces once more */

/* A phase in one of two sets of totals that are compared, in one metric. */
struct phases_side {
    const struct phases_totals *totals;
    const struct phases_total *item;
    size_t metric;
    double *means;
    struct group group;
};

/* The values to compare, into side->group: the means of runs, or calls. `means` has capacity for as many as there are
 * runs. False: there are too few. */
bool phases_sample(struct phases_side *side, const struct analysis_options *options, bool by_runs);

/* Old and new totals side by side; phases are those of either. */
int phases_baseline_table(const struct phases_totals *old, const struct phases_totals *new, struct report *report);
/* The measured cost of recording, of the program and of its methods. The runs whose paths begin with prefix are those
 * with fewer probes, or with none, which need no events. */
int phases_without_table(const struct phases_totals *without, const struct phases_totals *with, const char *prefix,
                         struct report *report);

/* The ratio of the means, new / old, and Fieller's interval; NAN where a side has one value. */
struct ratio phases_ratio(const struct group *new, const struct group *old, double confidence);

/* Overall CoV of each metric, weighted by the phases' time: into report->summary and, for --plot, the figure. */
int phases_overall_cov(const struct phases_totals *totals, struct report *report);

/* Limits, losses and adjustments of the numbers, as notes, warnings and in report->summary. */
void phases_notes(const struct phases_request *request, const struct phases_totals *totals,
                  const struct phases_choice *choice, struct report *report);

/* The number of rows to show: all for machines, 20 for readers, or as requested. */
size_t phases_rows(const struct phases_request *request, const struct report *report, size_t count);

#endif
