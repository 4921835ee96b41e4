/*
 * one_way.h - the tables of tests of all groups: one row for each metric.
 */
#ifndef ASSAY_ANOVA_ONE_WAY_H
#define ASSAY_ANOVA_ONE_WAY_H

#include "analyze/anova/metric.h"
#include "stats/inference/family.h"

enum one_way_kind { ONE_WAY_FISHER, ONE_WAY_WELCH, ONE_WAY_RANKS, ONE_WAY_KINDS };
enum { ONE_WAY_FAMILY = 1 }; /* an option that columns depend on: p is adjusted */
extern const struct columns one_way_tables[ONE_WAY_KINDS];

/* The rows so far; {.kind = …} is empty. */
struct one_way_rows {
    enum one_way_kind kind;
    struct one_way_row *items;
    size_t count, capacity;
};

/* Tests a metric, whose name must outlive the rows; by ranks it must keep its values. A status of anova_one_way(),
 * anova_welch() or rank_kruskal_wallis(). */
enum stats_status one_way_add(struct one_way_rows *rows, const struct metric *metric);

/* Adds the rows to the table of the report. With `family` (NULL: p stays as it is) their p are one family, and a note
 * says so. STATS_NO_MEMORY. */
enum stats_status one_way_report(struct one_way_rows *rows, const enum family_method *family, struct report *report);

void one_way_free(struct one_way_rows *rows);

#endif
