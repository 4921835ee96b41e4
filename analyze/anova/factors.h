/*
 * factors.h - the table of two factors: how much each, and their interaction, explains.
 */
#ifndef ASSAY_ANOVA_FACTORS_H
#define ASSAY_ANOVA_FACTORS_H

#include "analyze/anova/metric.h"
#include "stats/inference/family.h"
#include "stats/inference/two_way.h"

enum { FACTORS_FAMILY = 1 }; /* an option that columns depend on: p is adjusted */
extern const struct columns factors_table;

/* The rows so far; {.type = …, .balanced = true} is empty. */
struct factors_rows {
    enum two_way_type type;
    bool balanced; /* in every metric, all cells have equally many values */
    struct factors_row *items;
    size_t count;
    char interaction[256]; /* its name */
};

/* Tests a metric whose groups are the cells of two factors, the first group columns; without every cell it is left out
 * (leave_out.h). Its name must outlive the rows. STATS_NO_MEMORY. */
enum stats_status factors_add(struct factors_rows *rows, const struct metric *metric, struct report *report,
                              struct error_text *first);

/* Adds the rows to the table of the report, and notes. With `family` (NULL: p stays as it is) their p are one family.
 * STATS_NO_MEMORY. */
enum stats_status factors_report(struct factors_rows *rows, const enum family_method *family, struct report *report);

void factors_rows_free(struct factors_rows *rows);

#endif
