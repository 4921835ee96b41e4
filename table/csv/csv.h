/*
 * csv.h - reading a table back: what table_write() wrote as CSV, TSV or JSON, as cells of text.
 *
 * The content shows the format: JSON begins with { or [, TSV has a tab in its header line, everything else is CSV (RFC
 * 4180; CR LF, a byte-order mark and lines that begin with # before the header are accepted). JSON is an object with an
 * array "results" of flat objects, or that array alone; columns are the keys in the order of their first appearance.
 */
#ifndef ASSAY_TABLE_CSV_CSV_H
#define ASSAY_TABLE_CSV_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error_text.h"

#define CSV_NONE ((size_t)-1)

struct csv {
    size_t column_count;
    size_t row_count;
    size_t capacity; /* rows that fit into cells */
    char **names;    /* names[column_count] */
    char **cells;    /* cells[row_count * column_count], row by row; NULL: no value */
};

/* An empty CSV table without columns. NULL without memory. */
struct csv *csv_new(void);
void csv_free(struct csv *csv);

/* Reads all of `in`. Returns 0, or a status with a message that names the line but not the file; *csv is untouched
 * then. A header without rows is a valid CSV table; a missing header is not. Memory: all cells at once. */
int csv_read(FILE *in, struct csv **csv, struct error_text *message);

/* The column of this name, or CSV_NONE. */
size_t csv_column(const struct csv *csv, const char *name);

/* The text of a cell, NULL if it has none. */
const char *csv_cell(const struct csv *csv, size_t row, size_t column);

/* Whether two rows have different texts in this column. */
bool csv_varies(const struct csv *csv, size_t column);

/* The cell as a finite number; NaN if it is blank, "-", NaN or infinite. False if it is anything else. */
bool csv_number(const struct csv *csv, size_t row, size_t column, double *value);

/* "lacks the column X; it has: …", for columns that the CSV table should have. STATUS_BAD. */
int csv_report_line(const struct csv *csv, const char *lacks, struct error_text *message);

/* Another name for a column. */
struct csv_alias {
    const char *name, *column;
};

/* Renames columns, all at once. A column that already had one of these names loses it (""). STATUS_BAD with a
 * message, and nothing changed, if there is no such column; STATUS_BAD without memory. */
int csv_rename(struct csv *csv, const struct csv_alias *aliases, size_t count, struct error_text *message);

/* Grow a CSV table: the column of this name (added, blank in all rows, if there is none), a blank row at the end, and a
 * copy of `text` in a cell. CSV_NONE and false without memory. */
size_t csv_add_column(struct csv *csv, const char *name);
size_t csv_add_row(struct csv *csv);
bool csv_set(struct csv *csv, size_t row, size_t column, const char *text);

/* Appends the rows of `other` by column name, after a first column `label_column` (none if NULL) that holds `label`
 * in each of them. False without memory. */
bool csv_stack(struct csv *csv, const char *label_column, const char *label, const struct csv *other);

#endif
