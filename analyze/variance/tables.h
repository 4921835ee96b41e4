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
