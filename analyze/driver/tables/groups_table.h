/*
 * groups_table.h - rows of a result that belong to a group: its texts come first.
 */
#ifndef ASSAY_ANALYZE_DRIVER_TABLES_GROUPS_TABLE_H
#define ASSAY_ANALYZE_DRIVER_TABLES_GROUPS_TABLE_H

#include "analyze/cli/report.h"
#include "analyze/driver/tables/groups.h"

/* A row about several value columns, which has no "metric". */
#define GROUPS_NO_METRIC SIZE_MAX

/* A table whose first columns are these texts, before those of `own` that machines read. No two columns have the same
 * name: a text's column gets the prefix "group_", repeated as needed, if its name is that of a column of `own` or of an
 * earlier text. NULL without memory. */
struct table *groups_texts_table(const char *const *texts, size_t text_count, const struct columns *own);

/* The same with the group columns and, if has_metric and there are several value columns, "metric". */
struct table *groups_table_new(const struct groups *groups, bool has_metric, const struct columns *own);

/* The cells of these first columns; columns_add() adds the others. `value`: the metric, or GROUPS_NO_METRIC. */
void groups_table_begin(struct table *table, const struct groups *groups, size_t group, size_t value);

/* As report_tables(), for rows about groups, with such first columns. The figure is the caller's. 0 or ENOMEM. */
int groups_report_tables(struct report *report, const struct groups *groups, bool has_metric, const struct columns *own,
                         unsigned given);
void groups_report_row(struct report *report, const struct groups *groups, size_t group, size_t value, const void *row);

/* Notes the unit of all values, followed by `more`, or the units of the metrics that are not named after theirs:
 * "units: wall_time in s, max_rss in MB". Returns whether all values have one unit. */
bool groups_report_units(struct report *report, const struct groups *groups, const char *more);

/* All values, one per row, in the column "value", for figures that draw values. NULL without memory. */
struct table *groups_values_table(const struct groups *groups);

/* "random, fop" for messages about a group; with the column if there are several; "" if there is only one. Allocated;
 * NULL without memory. */
char *groups_table_label(const struct groups *groups, size_t group, size_t value);

#endif
