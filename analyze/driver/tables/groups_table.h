/*
 * groups_table.h - rows of a result that belong to a group: its texts come first.
 */
#ifndef ASSAY_ANALYZE_DRIVER_TABLES_GROUPS_TABLE_H
#define ASSAY_ANALYZE_DRIVER_TABLES_GROUPS_TABLE_H

#include "table/model/columns.h"
#include "analyze/driver/tables/groups.h"

/* A table whose first columns are the group columns and, if there are several value columns, "metric"; then `own`.
 * No two columns have the same name: a group column gets the prefix "group_", repeated as needed, if its name is that
 * of one of these or of an earlier group column. NULL without memory. */
struct table *groups_table_new(const struct groups *groups, const struct table_column *own, size_t own_count);

/* The same with the described columns that machines read. Rows begin with groups_table_begin(), then columns_add(). */
struct table *groups_columns_table(const struct groups *groups, const struct columns *own);

/* The same without "metric", for rows about several value columns. */
struct table *groups_texts_table(const struct groups *groups, const struct table_column *own, size_t own_count);
void groups_texts(struct table *table, const struct groups *groups, size_t group);

/* The cells of the first columns, "metric" included. */
void groups_table_begin(struct table *table, const struct groups *groups, size_t group, size_t value);

/* All values, one per row, in the column "value", for figures that draw values. NULL without memory. */
struct table *groups_values_table(const struct groups *groups);

/* "random, fop" for messages about a group; with the column if there are several; "" if there is only one. Allocated;
 * NULL without memory. */
char *groups_table_label(const struct groups *groups, size_t group, size_t value);

#endif
