/*
 * profile_rows.h - a profile as rows: the share of each method over the runs of a group, with its interval.
 */
#ifndef ASSAY_HOT_PROFILE_ROWS_H
#define ASSAY_HOT_PROFILE_ROWS_H

#include "analyze/hot/profile.h"
#include "stats/estimates/interval.h"

struct profile_row {
    const char *thread, *method; /* the profile's; thread is "" if threads are not distinguished */
    uint32_t line;               /* source line + 1; 0 if lines are not distinguished */
    const double *shares;        /* [runs of the group], 0-1 */
    double mean;                 /* of shares */
    uint64_t samples;            /* in all runs of the group */
    struct interval interval;    /* of the mean, by Student's t or z as the options say */
    bool has_interval;           /* false for one run */
};

struct profile_rows {
    struct profile_row *items; /* by mean share, largest first; then by method, line, thread */
    size_t count;
    struct profile_sums sums;
};

/* 0 or ENOMEM; to be freed in either case. The profile must outlive the rows. O(entries log entries). */
int profile_rows(const struct profile *profile, const struct profile_group *group, const struct profile_grain *grain,
                 const struct analysis_options *options, struct profile_rows *rows);
void profile_rows_free(struct profile_rows *rows);

#endif
