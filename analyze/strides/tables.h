/*
 * tables.h - the table of loads, and the notes beside it.
 */
#ifndef ASSAY_STRIDES_TABLES_H
#define ASSAY_STRIDES_TABLES_H

#include "analyze/strides/plan.h"

extern const struct columns tables_loads_columns, tables_levels_columns;

/* A column for machine formats alone. */
#define TABLES_MACHINE_COLUMN(row, name, type, member, text)                                                           \
    COLUMN(row, name, type, member, text, .readers = COLUMN_MACHINE)

/* The columns of a row that has struct cache_prefetches prefetches. */
#define TABLES_PREFETCH_COLUMNS(row)                                                                                   \
    TABLES_MACHINE_COLUMN(row, "issued", TABLE_COUNT, prefetches.issued,                                               \
                          "The number of simulated prefetches: useful + late + useless + resident + dropped."),        \
        TABLES_MACHINE_COLUMN(row, "useful", TABLE_COUNT, prefetches.useful,                                           \
                              "Those whose line was accessed after it had arrived."),                                  \
        TABLES_MACHINE_COLUMN(row, "late", TABLE_COUNT, prefetches.late,                                               \
                              "Those whose line was accessed before it arrived."),                                     \
        TABLES_MACHINE_COLUMN(row, "useless", TABLE_COUNT, prefetches.useless,                                         \
                              "Those whose line was replaced before an access, or never accessed."),                   \
        TABLES_MACHINE_COLUMN(row, "resident", TABLE_COUNT, prefetches.resident,                                       \
                              "Those whose line the caches had already, or an earlier prefetch had asked for."),       \
        TABLES_MACHINE_COLUMN(row, "dropped", TABLE_COUNT, prefetches.dropped,                                         \
                              "Those whose page was not in the TLB, or that found no free register for misses.")

/* Fills report->table, and report->human with at most `most` loads (0: all of them). 0 or ENOMEM. */
int tables_loads(const struct strides *strides, const struct plan *plan, uint64_t most, struct report *report);
/* Likewise with the load misses of each level of the simulated caches without and with the plan. */
int tables_levels(const struct strides *strides, struct report *report);
/* The same as report->figure. */
int tables_levels_figure(const struct strides *strides, struct report *report);
/* Fills report->summary, and adds notes and warnings. 0 or ENOMEM. */
int tables_summary(const struct strides *strides, struct report *report);

#endif
