/*
 * table_view.h - a table as its reader wants it: chosen and renamed columns, sorted rows, short names, rounded numbers.
 */
#ifndef ASSAY_TABLE_MODEL_TABLE_VIEW_H
#define ASSAY_TABLE_MODEL_TABLE_VIEW_H

#include "base/error_text.h"
#include "table/model/table.h"

struct table_rename {
    const char *from, *to;
};

struct table_order {
    const char *column;
    bool descending;
};

struct table_view {
    const char **columns; /* in this order */
    size_t column_count;  /* 0: all */
    const struct table_rename *renames;
    size_t rename_count;
    const struct table_order *orders; /* the first is the most important */
    size_t order_count;
    bool shortens; /* names in texts, by base/shorten.h */
    int digits;    /* significant digits of reals, estimates and bytes; 0: as many as their intervals support */
};

enum { TABLE_VIEW_DIGITS_MAX = 17, TABLE_VIEW_SHORT_MAX = 5000 };

/* Whether it shows a table as it is. */
bool table_view_is_plain(const struct table_view *view);

/*
 * A new table, *made, which is the view of `table`. `other` (may be NULL) is a table of the same results for other
 * readers: if it has as many rows, columns that `table` lacks are taken from there. Rows are sorted stably; numbers by
 * size, also those that `table` has as texts and `other` as numbers; texts as strverscmp() does; and blank cells come
 * last in either order. `rounds`: reals are rounded in their cells, for machine formats; counts never are. Digits round
 * the columns lo and hi outwards in all formats. Cost: sorting the rows, and the square of the number of names that are
 * shortened.
 *
 * STATUS_USAGE with a message: no such column, a column or new name twice, more than TABLE_VIEW_SHORT_MAX different
 * names to shorten. STATUS_BAD: no memory.
 */
int table_view_make(const struct table_view *view, const struct table *table, const struct table *other, bool rounds,
                    struct table **made, struct error_text *message);

/*
 * The first column of names or counts that the view leaves out, and without which rows are alike: they have the same
 * names and counts in all columns that it shows. NULL: there is none, or no memory. `other` is as above. *alike has the
 * number of these rows, but for the first of each kind. Reals don't distinguish rows, since they are what a table
 * reports. Cost: sorting the rows.
 */
const char *table_view_find_dropped(const struct table_view *view, const struct table *table, const struct table *other,
                                    size_t *alike);

#endif
