/*
 * table.h - the one way in which results leave a program: a table of typed columns in one of six formats.
 *
 * Machine formats (csv, tsv, json) carry every digit that holds (shortest text that reads back as the same double, at
 * most 17 digits) and shares as 0-1; human formats (text, markdown, latex) carry shares as percent and numbers rounded
 * to a fixed number of significant digits. A value that does not exist (NaN, or table_blank) is an empty cell, null in
 * JSON and "-" in text.
 */
#ifndef ASSAY_TABLE_H
#define ASSAY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

enum table_format { TABLE_TEXT_FORMAT, TABLE_CSV, TABLE_TSV, TABLE_JSON, TABLE_MARKDOWN, TABLE_LATEX };

enum table_type {
    TABLE_TEXT,
    TABLE_COUNT, /* an unsigned integer */
    TABLE_REAL,
    TABLE_SHARE /* a real, 0-1; percent for people */
};

struct table_column {
    const char *name;
    enum table_type type;
};

struct table; /* rows in the order in which they were added */

/* Columns are copied. Returns NULL without memory. */
struct table *table_new(const struct table_column *columns, size_t column_count);
void table_free(struct table *table);

/* Fill the cells of a row from left to right; after the last column the next row begins. A type other than the column's
 * is a programming error (assert). Without memory the table remembers it and table_write() fails with ENOMEM. */
void table_text(struct table *table, const char *text);
void table_count(struct table *table, uint64_t count);
void table_real(struct table *table, double value);
void table_blank(struct table *table);

size_t table_row_count(const struct table *table);

/* What stands around a table. Arrays of strings; any may be NULL. */
struct table_frame {
    const char *program;    /* "hot" */
    const json_t *input;    /* array of paths */
    const json_t *loss;     /* object, see loss.h */
    const json_t *warnings; /* array */
    const json_t *notes;    /* array: method, confidence, what a column means; text and JSON show them */
    const json_t *summary;  /* object or NULL; JSON only */
};

/* Writes and flushes. Returns 0 or an errno value (ENOSPC, EPIPE, …). */
int table_write(FILE *out, enum table_format format, const struct table *table, const struct table_frame *frame);

/* The format of this name (text csv tsv json markdown latex) in *format; false if there is none. */
bool table_format_named(const char *name, enum table_format *format);

/* The shortest decimal text that strtod() reads back as the same value, at most 17 significant digits. */
void table_digits(double value, char text[32]);

#endif
