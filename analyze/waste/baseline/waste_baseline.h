/*
 * waste_baseline.h - what changed in the waste of a program: two states, of the old and of the new version.
 *
 * Each state numbers its texts and contexts by itself. Here both have common numbers: a line of the old version that is
 * aligned with one of the new version (waste_baseline_align.h) has that one's number, and a context is the same in both
 * if all its lines are. So a pair of contexts is found again although lines above moved its code.
 *
 * Two lines agree if they call the same functions with accesses, and if for each kind the bytes of their pairs, those
 * wasted, and those that loops there wasted from one iteration to another, and those of pairs in objects that were
 * allocated there, agree, whatever kinds the request names: their means over runs are equal, or differ by no more than
 * their interval with the least degrees of freedom that Welch's t test can have.
 */
#ifndef ASSAY_WASTE_WASTE_BASELINE_H
#define ASSAY_WASTE_WASTE_BASELINE_H

#include "analyze/waste/baseline/waste_baseline_change.h"
#include "analyze/waste/tables/waste_tables.h"
#include "base/text_set.h"

enum waste_version { WASTE_OLD, WASTE_CURRENT, WASTE_VERSIONS };

/* By kind: bytes wasted, bytes of pairs, bytes that a loop of this line wasted, bytes of pairs in objects that this
 * line allocates. */
enum {
    LINE_WASTED,
    LINE_BYTES = WASTE_COUNT,
    LINE_SCOPE = 2 * WASTE_COUNT,
    LINE_OBJECT = 3 * WASTE_COUNT,
    LINE_AMOUNTS = 4 * WASTE_COUNT
};

enum waste_line_form { LINE_NAME, LINE_NUMBER, LINE_ADDRESS };

/* A line of code, or a function whose lines are unknown. */
struct waste_line {
    uint32_t text;                                    /* the key: a common number, "f:30" */
    uint32_t function;                                /* likewise, "f" */
    uint32_t form;                                    /* what its position is */
    uint64_t position;                                /* a line or address; 0: none */
    uint64_t calls;                                   /* a sum of hashes of the functions that it calls */
    uint32_t number;                                  /* that of the line in both versions */
    double means[LINE_AMOUNTS], errors[LINE_AMOUNTS]; /* over runs; the variance of the mean */
};

/* One version. */
struct waste_version_state {
    struct waste *waste;
    struct waste_groups groups;
    const struct waste_group *group; /* all runs */
    struct waste_kinds kinds;
    struct keyed lines;                   /* struct waste_line */
    uint32_t *own, *line_of, *context_of; /* [node]: waste_find_own(); a line; the context's number in both versions */
    double *amounts;                      /* [line][run][LINE_AMOUNTS] */
    uint32_t *time_runs;                  /* [time_run_count]: texts of the state, by name; NULL without profiles */
    size_t time_run_count;
    double *times, *run_times; /* [line][time run], [time run]: CPU time in ns */
    uint64_t samples;          /* of the profile */
};

/* The row of a table: what is compared, and how much each run wasted there. */
struct waste_compared_row {
    uint32_t key[5]; /* the kind, or WASTE_COUNT for all; numbers that depend on the view */
    enum waste_status status;
    double *amounts[WASTE_VERSIONS], *times[WASTE_VERSIONS]; /* [run], [time run], in ns; NULL: none */
    uint32_t item[WASTE_VERSIONS];                           /* a line, or a location; FIELD_NONE: none */
    struct waste_change change;                              /* without the interval of its ratio */
};

struct waste_compared {
    const struct waste_request *request;
    struct report *report;
    struct waste_version_state versions[WASTE_VERSIONS];
    uint32_t recorded;     /* bits: kinds that both recorded */
    uint32_t kinds;        /* of these, those requested */
    struct text_set texts; /* with common numbers */
    struct keyed contexts; /* {parent, line's number}: their numbers in both versions are the indices + 1 */
    struct keyed rows;     /* struct waste_compared_row */
    struct waste_locations locations[WASTE_VERSIONS];
    size_t unaligned;         /* functions with too many lines */
    bool has_times;           /* both versions have CPU profiles */
    struct waste_change time; /* their CPU time in s, if so */
    bool sampled;             /* in one of them accesses were sampled: only their fractions are compared */
    bool bursts;              /* or recorded in bursts: likewise */
};

/* Reports the tables and notes of assay waste --baseline; warns where the versions can't be compared. 0 or ENOMEM. */
int waste_report_baseline(const struct waste_request *request, struct waste *old, struct waste *new,
                          struct report *report);

/* --- waste_baseline_lines.c --- */

/* Fills in the lines, amounts, times and contexts of both versions. 0 or ENOMEM. O(pairs + nodes + lines²) within
 * functions. */
int waste_baseline_lines(struct waste_compared *compared);

/* --- waste_baseline_rows.c --- */

/* Runs of a version that recorded all of these kinds: the values of these runs, in order, into values[run_count]. Their
 * number. */
size_t waste_baseline_values(const struct waste_version_state *version, uint32_t kinds, const double *amounts,
                             double *values);

/* Fills in compared->rows for the request's view: changed ones first, by the size of the change. 0 or ENOMEM. */
int waste_baseline_rows(struct waste_compared *compared);

/* --- waste_baseline_totals.c --- */

/* Adds the rows of totals to the report: loads, stores, each kind, CPU time. 0 or ENOMEM. */
int waste_baseline_totals(struct waste_compared *compared);

/* --- waste_baseline_tables.c --- */

/* What is in a row besides its change. */
enum waste_quantity {
    QUANTITY_BYTES,
    QUANTITY_ACCESSES,
    QUANTITY_FRACTION,
    QUANTITY_PAIR_FRACTION,
    QUANTITY_WASTED,
    QUANTITY_SECONDS,
    QUANTITIES
};

/* Makes the tables. 0 or ENOMEM. */
int waste_baseline_tables(struct waste_compared *compared);
/* Adds a total; `name`: "loads", or that of a kind. */
void waste_baseline_add_total(struct waste_compared *compared, const char *name, enum waste_quantity quantity,
                              const struct waste_change *change);
/* Adds the rows, and notes about those that are not shown. 0 or ENOMEM. */
int waste_baseline_print(struct waste_compared *compared);

#endif
