/*
 * tables_parts.h - inside tables_report(): the rows, the tables with a row for each pair, and the notes on all tables.
 */
#ifndef ASSAY_AGREE_TABLES_PARTS_H
#define ASSAY_AGREE_TABLES_PARTS_H

#include "analyze/agree/observer.h"
#include "analyze/agree/tables.h"

struct pair_row {
    const char *a, *b, *hottest_a, *hottest_b, *same, *class, *verdict;
    double tau, overlap;
    struct measured distance;
};

struct union_row {
    uint64_t n, methods;
    double lo, hi;
};

struct hotness_row {
    const char *profiler, *method;
    double hotness, lo, hi;
};

struct method_row {
    const char *a, *b, *method, *verdict;
    double hotness_a, hotness_b, distance;
    struct measured difference;
};

struct observer_row {
    const char *a, *b, *same;
    struct observed observed;
    const char *verdict, *wall_verdict, *cpu_verdict;
};

struct tables {
    const struct profiles *profiles;
    const struct tables_options *options;
    struct report *report;
    uint32_t *profilers;
    size_t count;
};

/* What an interval shows of a difference: "differ" if it excludes 0, else "no difference shown", which is not equality;
 * NULL without an interval. */
const char *tables_verdict(const struct measured *measured);

/* What people read; never empty. */
const char *tables_profiler_name(const struct tables *tables, uint32_t profiler);

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
