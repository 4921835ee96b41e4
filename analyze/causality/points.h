/*
 * points.h - the rows of a table as points (amount, real time, reported time) of each run of each method.
 */
#ifndef ASSAY_CAUSALITY_POINTS_H
#define ASSAY_CAUSALITY_POINTS_H

#include "analyze/lib/groups.h"

enum { POINTS_REAL, POINTS_REPORTED, POINTS_AMOUNT }; /* value columns; the last may be absent */

/* Which group columns are what; what comes before the method tells subjects apart (--by). */
struct points_columns {
    size_t method; /* its place: the number of columns of --by */
    bool has_run, has_valid;
    bool share; /* the reported value is a share of the real time, 0-1 */
};

struct points_run {
    const char *name;
    size_t n, room;
    double *real, *reported, *amount; /* [n]; in the order of the table */
};

/* A method under one combination of texts of --by. */
struct points_method {
    size_t group; /* one of its groups, for its texts */
    struct points_run *runs;
    size_t run_count;
    size_t invalid; /* points that the table calls invalid: in none of the runs */
};

struct points {
    struct points_method *methods; /* in the order of their first rows */
    size_t count;
    struct text_set keys;
};

/* The groups must outlive the points, which are to be freed in either case. A status with a complaint: a share outside
 * 0-1, a word in the column of validity that is none of yes, no, true, false, valid, invalid, 1, 0. O(rows). */
int points_make(const struct groups *groups, const struct points_columns *columns, struct points *points,
                struct complaint *complaint);
void points_free(struct points *points);

#endif
