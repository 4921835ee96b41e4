/*
 * tables.h - the tables of assay variance.
 */
#ifndef ASSAY_VARIANCE_TABLES_H
#define ASSAY_VARIANCE_TABLES_H

#include "analyze/cli/report.h"
#include "analyze/variance/guidance.h"

struct variance_request {
    struct variance_wish wish;
    struct variance_thresholds thresholds;
    const char *metric; /* the only one to show, or NULL */
    const char *basis;  /* of shares, or NULL: variance_basis() */
    uint64_t top;       /* functions to show; 0: all */
    bool has_top;
};

/* --- columns.c: the columns of the tables, and their rows --- */

enum { VARIANCE_TABLE, VARIANCE_EXPLAIN_TABLE, VARIANCE_CORRELATE_TABLE, VARIANCE_INSTANCES_TABLE, VARIANCE_TABLES };
extern const struct columns variance_tables[VARIANCE_TABLES];

enum { WITH_CONTEXTS = 1 };
struct variance_row {
    const char *function, *context, *metric, *guidance;
    struct variance_estimate estimate;
    double trend;
};

struct explain_row {
    const char *function;
    uint64_t instances;
    double mean, share_of_mean, sd, share_of_variance, correlation;
};

struct correlate_row {
    const char *factor;
    uint64_t n;
    struct correlation correlation;
    double r_squared;
};

enum { METRIC_NAMES_MAX = 64, INSTANCE_COLUMNS = 5 };
struct instance_row {
    const char *thread, *context;
    double time_s, weight, values[METRIC_NAMES_MAX];
};
/* The last one stands for the metrics. */
extern const struct column instance_columns[INSTANCE_COLUMNS];

/* Each creates report->table; 0 or ENOMEM. */
int variance_table(const struct variance *variance, const struct variance_request *request, struct report *report);
/* The single instances of one function. */
int variance_instances_table(const struct variance *variance, const struct variance_request *request,
                             struct report *report);
/* The callees of one function, as a tree: how much of its variance comes from each. */
int variance_explain_table(const struct variance *variance, const struct variance_request *request,
                           struct report *report);
/* What the instances of one function go with. */
int variance_correlate_table(const struct variance *variance, const struct variance_request *request,
                             struct report *report);

#endif
