/*
 * rows.h - the rows of the tables of assay phases; columns.c says what their columns mean.
 */
#ifndef ASSAY_PHASES_ROWS_H
#define ASSAY_PHASES_ROWS_H

#include "analyze/phases/request.h"
#include "stats/inference/anova.h"
#include "stats/inference/rank.h"

extern const struct columns phases_columns[PHASES_VIEW_LAST + 1]; /* [enum phases_view] */

struct phases_metric_row {
    const char *phase, *metric;
    uint64_t calls, n;
    double total_share, mean_share, mean, sd, cv, low, high, half_width;
};

struct phases_total_row {
    const char *method;
    uint64_t calls, exceptions, unfinished;
    double share, low, high, exclusive, exclusive_low, exclusive_high, mean_share, total, exclusive_total;
};

struct phases_plane_row {
    double weight, granularity, overhead;
    uint64_t phases, invocations;
};

struct phases_anova_row {
    const char *metric, *p, *welch_p, *kruskal_p;
    struct anova anova;
    struct anova_welch welch;
    struct kruskal_wallis kruskal;
    uint64_t whole_dof_between, whole_dof_within, phases, n;
};

struct phases_component_row {
    const char *component, *metric;
    double share, low, high;
};

struct phases_bottleneck_row {
    const char *phase, *metric;
    double total_share, value, program, ratio;
};

struct phases_percentile_row {
    const char *method;
    uint64_t calls, unfinished;
    double mean_ns, sd_ns, cv, p50_ns, p90_ns, p99_ns, max_ns;
};

struct phases_bin_row {
    double from_ns, to_ns, share, cumulative;
    uint64_t calls;
};

struct phases_box_row {
    const char *phase;
    uint64_t n;
    double mean, sd, low, high, min, max;
};

struct phases_baseline_row {
    const char *phase, *metric, *sample;
    uint64_t n_old, n_new;
    double old, new, difference, p, log10_p, low, high, half_width;
    struct ratio ratio;
};

struct phases_without_row {
    const char *method, *verdict, *sample;
    double probes, probes_without, with_ns, without_ns, ratio, low, high;
};

/* Over time: a phase in a bin, or a metric. */
struct phases_time_row {
    const char *trace, *thread, *what;
    double from_ns, to_ns, value;
};

#endif
