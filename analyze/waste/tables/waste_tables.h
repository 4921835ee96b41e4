/*
 * waste_tables.h - the tables of assay waste.
 */
#ifndef ASSAY_WASTE_WASTE_TABLES_H
#define ASSAY_WASTE_WASTE_TABLES_H

#include "analyze/waste/ranking/waste_ranking.h"
#include "analyze/waste/sums/waste_rows.h"

enum waste_view {
    WASTE_VIEW_PAIRS = WASTE_PAIRS,
    WASTE_VIEW_OBJECTS = WASTE_OBJECTS,
    WASTE_VIEW_SCOPES = WASTE_SCOPES,
    WASTE_VIEW_OBJECT_PAIRS = WASTE_OBJECT_PAIRS, /* each object, and then its pairs */
    WASTE_VIEW_KINDS,
    WASTE_VIEW_FUNCTIONS,
    WASTE_VIEW_LINES,
    WASTE_VIEWS
};

/*
 * The bias of a sampled fraction beyond the sampling error, as a standard deviation over programs: from 21 programs on
 * one machine with the CPU clock at 1 ms (docs/measurements/waste-sampled.md). `assay audit waste` measures it for
 * others.
 */
#define WASTE_BIAS 0.076

/* The user's request. */
struct waste_request {
    enum waste_view view;
    unsigned views;             /* all views that were requested, as bits; `view` is shown */
    uint64_t tops[WASTE_VIEWS]; /* rows, of pairs for each object if the view has both; 0: all */
    bool times;                 /* rank functions and lines by what mending them can gain */
    bool intervals;             /* there are several runs, or samples: columns for readers have intervals, too */
    unsigned kind;              /* only this one; WASTE_COUNT: all */
    bool threads;               /* a row for each */
    const char *by;             /* a label: its value is the first column. NULL: none */
    bool sampled;               /* there are traps: columns for them */
    bool bursts;                /* there are bursts: likewise */
    bool adjacent;              /* adjacent loads were recorded: their name needs a wider column */
    double bias;                /* widens the intervals of sampled kinds: a standard deviation, 0 to 1 */
    double confidence;
};

enum { WASTE_KINDS_TABLE, WASTE_LOCATIONS_TABLE, WASTE_RANKING_TABLE, WASTE_BASELINE_TABLE, WASTE_TABLES };
extern const struct columns waste_tables[WASTE_TABLES];
/* What the request says about their columns, as bits for columns_table(); names the label's column after the label. */
unsigned waste_given(const struct waste_request *request);
/* The rows of a group, in full and, if there is such a table, for readers; `kinds` are distinguished as requested.
 * Intervals of sampled values include the bias. */
void waste_print_kinds(const struct waste_request *request, const struct waste_group *group,
                       const struct waste_kinds *kinds, struct table *table, struct table *human);
/* For a figure of objects and their pairs; NULL without memory. */
struct table *waste_objects_figure(void);
/* The rows of a group in full in report->table and, if there is one, with short contexts in report->human; adds a note
 * about rows that are not shown. In WASTE_VIEW_OBJECT_PAIRS it fills report->figure, too, if there is one. `kinds` are
 * without threads. 0 or ENOMEM. */
int waste_print_locations(const struct waste_request *request, const struct waste *waste,
                          const struct waste_group *group, const struct waste_kinds *kinds, struct report *report);
/* The functions or lines of all inputs, and notes about those that are not shown. 0 or ENOMEM. */
int waste_print_ranking(const struct waste_request *request, struct waste *waste, struct report *report);

#endif
