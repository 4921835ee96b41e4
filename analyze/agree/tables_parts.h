/*
 * tables_parts.h - inside tables_report(): the tables with a row for each pair, and the notes on all tables.
 */
#ifndef ASSAY_AGREE_TABLES_PARTS_H
#define ASSAY_AGREE_TABLES_PARTS_H

#include "analyze/agree/tables.h"

struct tables {
    const struct profiles *profiles;
    const struct tables_options *options;
    struct report *report;
    uint32_t *profilers;
    size_t count;
};

/* What people read; never empty. */
const char *tables_profiler_name(const struct tables *tables, uint32_t profiler);

/* A new table of the kind that each pair of profilers fills; NULL without memory. */
struct table *tables_of_pairs(enum tables_question question);

/* A row for each pair, or the methods of each, on what both see. 0 or ENOMEM. */
int tables_each_pair(const struct tables *tables);

/* What a comparison is of, and why there is nothing to compare. */
void tables_note_population(const struct tables *tables, const struct view *view);
void tables_warn_of_nothing(const struct tables *tables, const struct view *view);
void tables_warn_of_runs(const struct tables *tables, const struct view_side *side);

/* Whether a profiler has as many samples as its clock and its threads' CPU time call for. */
void tables_note_coverage(const struct tables *tables);

/* What the columns are, and how intervals were made. */
void tables_note_method(const struct tables *tables);

#endif
