/*
 * rows_pools.h - internal to rows_read(): groups that mix values measured under different conditions.
 */
#ifndef ASSAY_TABLE_READ_ROWS_POOLS_H
#define ASSAY_TABLE_READ_ROWS_POOLS_H

#include "table/read/rows_table.h"

/* Start with {0}; rows_pools_free() at the end. */
struct rows_pools {
    json_t *groups;           /* {texts of a group: the conditions of its first row} */
    json_t *conditions;       /* those of all tables, as bench_document.conditions */
    struct error_text reason; /* which group mixes conditions, and which; "" if none does */
    size_t count;             /* groups that do */
};

/* Adds a table whose columns have been found. Without conditions it adds nothing. O(rows). */
void rows_pools_add(struct rows_pools *pools, const struct rows_table *table, size_t group_count);
void rows_pools_free(struct rows_pools *pools);

#endif
