/*
 * table_macros.h - the names of LaTeX macros for a table's values: only letters, each name unique.
 *
 * A name is the program's, the row's and the column's: \assayCiFopMean. Words begin with capitals, digits are spelled.
 * The row's part comes from its texts before the first real number, cut at 150 letters. A row without texts, or with a
 * name that an earlier row already has, gets a number: its own, or the next free one.
 */
#ifndef ASSAY_TABLE_TABLE_MACROS_H
#define ASSAY_TABLE_TABLE_MACROS_H

#include "analyze/table/table.h"

struct table_macros;

/* The names for this table, which must outlive them. NULL without memory. */
struct table_macros *table_macros_new(const struct table *table, const char *program);
void table_macros_free(struct table_macros *macros);

/* Advances to this row: the first, then each next one. 0 or ENOMEM. About O(columns). */
int table_macros_row(struct table_macros *macros, size_t row);

/* The name, without its backslash, of a column of the row: valid until the next call. The column is not one of texts.
 */
const char *table_macros_name(struct table_macros *macros, size_t column);

#endif
