/*
 * waste_tables.h - the tables of assay waste.
 */
#ifndef ASSAY_WASTE_WASTE_TABLES_H
#define ASSAY_WASTE_WASTE_TABLES_H

#include "analyze/waste/waste_rows.h"

enum waste_view {
    WASTE_VIEW_PAIRS = WASTE_PAIRS,
    WASTE_VIEW_OBJECTS = WASTE_OBJECTS,
    WASTE_VIEW_SCOPES = WASTE_SCOPES,
    WASTE_VIEW_KINDS
};

/*
 * The bias of a sampled fraction beyond the sampling error, as a standard deviation over programs: from 21 programs on
 * one machine with the CPU clock at 1 ms (docs/waste.md). `assay audit waste` measures it for others.
 */
#define WASTE_BIAS 0.076

/* The user's request. */
struct waste_request {
    enum waste_view view;
    uint64_t top;   /* rows of a table of places; 0: all */
    unsigned kind;  /* only this one; WASTE_COUNT: all */
    bool threads;   /* told apart */
    const char *by; /* a label: its value is the first column. NULL: none */
    bool sampled;   /* there are traps: columns for them */
    bool bursts;    /* there are bursts: likewise */
    double bias;    /* widens the intervals of sampled kinds: a standard deviation, 0 to 1 */
    double confidence;
};

/* An empty table with the columns of the request; NULL without memory. */
struct table *waste_table(const struct waste_request *request);
/* The rows of a group; `kinds` are distinguished as requested. Intervals of sampled values include the bias. */
void waste_print_kinds(const struct waste_request *request, const struct waste_group *group,
                       const struct waste_kinds *kinds, struct table *table);
/* The rows of a group in full in report->table and, if there is one, with short contexts in report->people; adds a note
 * about rows that are not shown. `kinds` are without threads. 0 or ENOMEM. */
int waste_print_places(const struct waste_request *request, const struct waste *waste, const struct waste_group *group,
                       const struct waste_kinds *kinds, struct report *report);

#endif
