/*
 * points.h - the rows of a table as points (amount, real time, reported time) of each run of each method.
 */
#ifndef ASSAY_CAUSALITY_POINTS_H
#define ASSAY_CAUSALITY_POINTS_H

#include "analyze/driver/tables/groups.h"

enum { POINTS_REAL, POINTS_REPORTED, POINTS_AMOUNT }; /* value columns; the last may be absent */

/* Which group columns are what; what comes before the method tells subjects apart (--by). */
struct points_columns {
    size_t method; /* its place: the number of columns of --by */
    bool has_run, has_valid;
    bool share; /* the reported value is a share of the real time, 0-1 */
};

struct points_run {
    const char *name;
    size_t n, capacity;
    double *real, *reported, *amount; /* [n]; in the order of the table */
};

/* A method under one combination of texts of --by. */
struct points_method {
    char *const *texts; /* [columns before the method + 1]; not owned */
    struct points_run *runs;
    size_t run_count;
    size_t invalid;  /* points that the table calls invalid: in none of the runs */
    uint32_t family; /* those with the same texts before the method have one: a number below families.count */
};

struct points {
    struct points_method *methods; /* in the order of their first rows */
    size_t count;
    struct text_set keys, families;
};

/* The groups must outlive the points, which are to be freed in either case. A status with a message: a share outside
 * 0-1, a word in the column of validity that is none of yes, no, true, false, valid, invalid, 1, 0, and neither what
 * the guard of assay inject says: ok, or invalid: and why. O(rows). */
int points_make(const struct groups *groups, const struct points_columns *columns, struct points *points,
                struct error_text *message);
void points_free(struct points *points);

/* The method with these texts, and the run of a name, made if new; both names stay the caller's. NULL without memory.
 */
struct points_method *points_method_of(struct points *points, char *const *texts, size_t text_count);
struct points_run *points_run_of(struct points_method *method, const char *name);

/* False without memory. */
bool points_add(struct points_run *run, double real, double reported, double amount);

#endif
