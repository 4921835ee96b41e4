/*
 * table_stack.h - several tables as one: one below the other, each with its label.
 */
#ifndef ASSAY_TABLE_MODEL_TABLE_STACK_H
#define ASSAY_TABLE_MODEL_TABLE_STACK_H

#include "table/model/table.h"

struct table_part {
    const char *label;
    const struct table *table;
};

/*
 * A table of all rows of the parts, in their order. Its first column has the label of each row and this name; after
 * "by_" if a part has such a column. All columns of the parts follow, in the order in which they come first; cells are
 * blank in rows of parts without the column. Columns are the same if they have the same name and type.
 *
 * The table is the caller's. NULL without memory, also if a part lacks cells for that. O(cells).
 */
struct table *table_stack(const char *name, const struct table_part *parts, size_t count);

#endif
