/*
 * table_cells.h - the internals of a table, for the files that write one.
 */
#ifndef ASSAY_TABLE_MODEL_TABLE_CELLS_H
#define ASSAY_TABLE_MODEL_TABLE_CELLS_H

#include "table/model/table.h"

struct table_cell {
    char *text; /* NULL: blank */
    uint64_t count;
    double real, low, high; /* NaN: none */
    int places;             /* digits after the point, in human formats */
    bool present;           /* of count and real */
    bool is_p;              /* a p-value without its logarithm in the row: that is `high` */
};

struct table {
    struct table_column *columns;
    size_t column_count;
    char **origins;           /* the columns' names before they were renamed; NULL: their names */
    int digits;               /* significant digits in human formats; 0: as table_round.h does it */
    struct table_cell *cells; /* row by row */
    size_t cell_count, cell_capacity;
    bool no_memory;
};

/* Each writes the table in one format; only JSON and HTML include the driver's warnings and notes. Errors of writing
 * are left in `out`. Those that return something return 0 or ENOMEM. */
void table_write_separated(FILE *out, const struct table *table, char separator);
void table_write_json(FILE *out, const struct table *table, const struct table_frame *frame);
int table_write_text(FILE *out, const struct table *table);
void table_write_markdown(FILE *out, const struct table *table);
int table_write_latex(FILE *out, const struct table *table, const struct table_frame *frame);
int table_write_macros(FILE *out, const struct table_macros *macros, const char *program);
int table_write_html(FILE *out, const struct table *table, const struct table_frame *frame);

/* The name that the column had before table_view_make() renamed it. */
const char *table_origin(const struct table *table, size_t column);

/* Whether the real is a p-value, a column "p" with a "log10_p" in the row, and the latter. */
bool table_find_log10_p(const struct table *table, size_t row, size_t column, double *log10_p);

/* Whether a text, "2.1e-07" in a column p, p_family or welch_p, was written by p_text() and is not a group's name:
 * LaTeX typesets its power of ten (table_round_typeset()). */
bool table_text_is_small_p(const struct table *table, size_t column, const char *text);

/* The text of a cell in human formats, without LaTeX's escapes (numbers are typeset, see table_round.h). A real in a
 * column "p" with a "log10_p" in the row is written by p_text(). */
enum { TABLE_CELL_MAX = 2100 };
void table_cell_text(const struct table *table, size_t row, size_t column, bool latex, char text[TABLE_CELL_MAX]);
void table_header_text(const struct table *table, size_t column, char text[TABLE_CELL_MAX]);

#endif
