/*
 * table_macros.h - the values of a table by name, for the text of a paper (base/latex_values.h).
 *
 * A value is called ROW.COLUMN. ROW is a template, "fop.hot{rank}", with the row's cells instead of columns in braces;
 * or PREFIX.TEXT.TEXT, with the row's texts before its first real number, where methods have short names. Rows that
 * would be called the same get all a number.
 *
 * A value is written as in the table for readers, if that has it, too. An estimate is also ROW.COLUMN.estimate, as in
 * the table: 1.23 ± 0.05. The columns lo and hi are also ROW.interval: [1.18, 1.28]. A blank cell has no value.
 */
#ifndef ASSAY_TABLE_MODEL_TABLE_MACROS_H
#define ASSAY_TABLE_MODEL_TABLE_MACROS_H

#include "base/error_text.h"
#include "table/model/table.h"

struct table_macros;

/*
 * The names for a table, which must outlive them. `readers` (may be NULL) is a table of the same results for readers;
 * if it has as many rows, values are written as there. `template` may be NULL; then `prefix` begins all names.
 *
 * STATUS_USAGE with a message: the template names no column, or rows have the same name by it, or TeX can't read it.
 * STATUS_BAD: no memory. Expected O(cells), and the square of the number of methods (up to TABLE_VIEW_SHORT_MAX).
 */
int table_macros_new(const struct table *table, const struct table *readers, const char *template, const char *prefix,
                     struct table_macros **macros, struct error_text *message);
void table_macros_free(struct table_macros *macros);

#endif
