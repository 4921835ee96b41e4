/*
 * sheet.h - reading a table back: what table_write() wrote as CSV, TSV or JSON, as cells of text.
 *
 * The content shows the format: JSON begins with { or [, TSV has a tab in its header line, everything else is CSV (RFC
 * 4180; CR LF, a byte-order mark and lines that begin with # before the header are accepted). JSON is an object with an
 * array "results" of flat objects, or that array alone; columns are the keys in the order of their first appearance.
 */
#ifndef ASSAY_TABLE_CSV_SHEET_H
#define ASSAY_TABLE_CSV_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error_text.h"

#define SHEET_NONE ((size_t)-1)

struct sheet {
    size_t column_count;
    size_t row_count;
    size_t capacity; /* rows that fit into cells */
    char **names;    /* names[column_count] */
    char **cells;    /* cells[row_count * column_count], row by row; NULL: no value */
};

/* An empty sheet without columns. NULL without memory. */
struct sheet *sheet_new(void);
void sheet_free(struct sheet *sheet);

/* Reads all of `in`. Returns 0, or a status with a message that names the line but not the file; *sheet is untouched
 * then. A header without rows is a valid sheet; a missing header is not. Memory: all cells at once. */
int sheet_read(FILE *in, struct sheet **sheet, struct error_text *message);

/* The column of this name, or SHEET_NONE. */
size_t sheet_column(const struct sheet *sheet, const char *name);

/* The text of a cell, NULL if it has none. */
const char *sheet_cell(const struct sheet *sheet, size_t row, size_t column);

/* The cell as a finite number; NaN if it is blank, "-", NaN or infinite. False if it is anything else. */
bool sheet_number(const struct sheet *sheet, size_t row, size_t column, double *value);

/* "lacks the column X; it has: …", for columns that the sheet should have. STATUS_BAD. */
int sheet_report_line(const struct sheet *sheet, const char *lacks, struct error_text *message);

/* Another name for a column. */
struct sheet_alias {
    const char *name, *column;
};

/* Renames columns, all at once. A column that already had one of these names loses it (""). STATUS_BAD with a
 * message, and nothing changed, if there is no such column; STATUS_BAD without memory. */
int sheet_rename(struct sheet *sheet, const struct sheet_alias *aliases, size_t count, struct error_text *message);

/* Grow a sheet: the column of this name (added, blank in all rows, if there is none), a blank row at the end, and a
 * copy of `text` in a cell. SHEET_NONE and false without memory. */
size_t sheet_add_column(struct sheet *sheet, const char *name);
size_t sheet_add_row(struct sheet *sheet);
bool sheet_set(struct sheet *sheet, size_t row, size_t column, const char *text);

/* Appends the rows of `other` by column name, after a first column `label_column` (none if NULL) that holds `label`
 * in each of them. False without memory. */
bool sheet_stack(struct sheet *sheet, const char *label_column, const char *label, const struct sheet *other);

#endif
