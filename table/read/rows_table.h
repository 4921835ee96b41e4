/*
 * rows_table.h - internal to rows_read(): the contents of one file, and which of its columns are wanted.
 */
#ifndef ASSAY_TABLE_READ_ROWS_TABLE_H
#define ASSAY_TABLE_READ_ROWS_TABLE_H

#include <jansson.h>

#include "table/import/bench_format.h"
#include "table/read/rows.h"
#include "table/csv/quantity.h"

enum rows_kind { ROWS_DELIMITED, ROWS_JSON_LINES, ROWS_JSON_ARRAY, ROWS_HARNESS };

/* What a column says about its unit. */
struct rows_column_unit {
    const struct quantity_unit *unit; /* of its own values; NULL: nothing */
    bool in_cells;                    /* each cell has one, this or another of its kind; else a header line has it */
    bool split;                       /* columns separated by blanks: it is the next column */
    int surplus;                      /* cells with a unit minus numbers without one, in the first rows */
    /* Where the column holds the units of each row's values, in the first rows: the smallest one of each kind in the
     * order of their appearance, and the first text. */
    const struct quantity_unit *least[ROWS_UNIT_KINDS];
    char first[40];
};

/* How the table gives a value column's unit: not at all, in each cell, once for all rows, or in another column. */
enum rows_unit_origin { ROWS_UNIT_UNKNOWN, ROWS_UNIT_IN_CELLS, ROWS_UNIT_ONCE, ROWS_UNIT_BY_COLUMN };
struct rows_unit_source {
    enum rows_unit_origin how;
    const struct quantity_unit *unit; /* NULL: only its text is known */
    const char *text;
    size_t column; /* ROWS_UNIT_BY_COLUMN */
};

/* Cells of a row after those of its columns, as group columns: numbers that follow column_count. */
enum rows_beyond { ROWS_FILE, ROWS_WIDE, ROWS_DIRECTORY, ROWS_BEYOND };

/* Start with {0}; rows_table_free() at the end. */
struct rows_table {
    const char *path;           /* as shown to users; the caller's */
    struct rows_cell directory; /* of the path, "." if that has none: set by rows_resolve() */
    enum rows_kind kind;
    const char *format; /* static */
    char delimiter;     /* ',', ';', '\t', ' ' for blanks */
    char **names;       /* of all columns */
    bool *numeric;      /* more numbers than texts in the first rows */
    bool *textual;      /* more texts than numbers */
    bool *distinct;     /* texts that begin with a letter, different in each of the first rows */
    struct rows_column_unit *unit_of;
    enum rows_header header;
    bool whole_processes;    /* see rows_request */
    uint64_t positions;      /* bit i: column i was requested by position, as "2" is the second one */
    struct error_text doubt; /* about the header; "" if there is none */
    size_t column_count;
    size_t *value_at; /* [value_count of the columns wanted] */
    size_t *group_at; /* [group_count]: a column, or column_count plus one of enum rows_beyond: the file's path, the
                         name of the wide column, the path's directory */
    size_t *wide_at;  /* [wide_count], NULL if the table is not requested as a wide one */
    size_t wide_count;
    const char *within[BENCH_GROUPS_MAX + 2]; /* the columns that by the format tell processes apart; of `bench` */
    struct rows_unit_source *source;          /* of each value column, or each wide one */
    uint64_t lines;                           /* before the first row */
    json_t *root;                             /* ROWS_JSON_ARRAY: owns the array */
    const json_t *array;
    struct bench_document bench; /* ROWS_HARNESS; else {0} */
};

void rows_table_free(struct rows_table *table);

/* Adds a column, unless there is one of this name (`always`: even then). False without memory. */
bool rows_table_add(struct rows_table *table, const char *name, size_t length, bool always);

/* The column of this name, SIZE_MAX if there is none. */
size_t rows_table_column(const struct rows_table *table, const char *name);

enum { ROWS_MORE = -1 }; /* rows_detect(): a longer text is needed, or all of it */

/* The beginning of a file. */
struct rows_head {
    const char *text;
    size_t length;
    bool ended; /* it is all of the file */
};

/*
 * What a file with this beginning is. Fills the table, but for the wanted columns; *used is where the rows begin. 0,
 * ROWS_MORE (then the table is empty), or a status with a message without the file's name.
 */
int rows_detect(const struct rows_head *head, struct rows_table *table, size_t *used, struct error_text *message);

/* Parts of rows_detect(). */
bool rows_detect_json_lines(const char *text, size_t length, struct rows_table *table);
int rows_detect_document(const char *text, size_t length, struct rows_table *table, struct error_text *message);

/* Columns of text with table->delimiter, whole lines from the header on, which *used leaves behind. ROWS_MORE: what was
 * taken for the header is data, and the columns are to be read without one. */
int rows_read_columns(const char *text, size_t length, struct rows_table *table, size_t *used,
                      struct error_text *message);

/*
 * Finds the requested columns. `columns` is {0} for the first table, and then filled (the caller's, to be freed with
 * rows_columns_free()); for the others it is the request, and receives units that earlier ones did not give. `first`:
 * the first file's path, for messages.
 */
int rows_resolve(struct rows_table *table, const struct rows_request *request, bool file_column, const char *first,
                 struct rows_columns *columns, struct error_text *message);
void rows_columns_free(struct rows_columns *columns);

/* Unknown units for the value columns, which rows_columns_free() frees; NULL without memory. */
struct rows_unit *rows_units_new(size_t value_count);

/* Adds what one more table, whose columns have been found, says about columns->units, and fills table->source.
 * Fails with a message if its values can't be converted to the unit of earlier ones. */
int rows_units_join(struct rows_table *table, struct rows_columns *columns, struct error_text *message);

/* Whether a column holds the units of another one. */
bool rows_holds_units(const struct rows_table *table, size_t column);

/* Notes the unit in a cell of one of the first rows, or in one of a column of units; and forgets those of columns in
 * which most numbers have none. */
void rows_note_unit(struct rows_table *table, size_t column, struct rows_cell cell);
void rows_note_row_unit(struct rows_column_unit *known, struct rows_cell cell);
void rows_finalize_units(struct rows_table *table);

/* Converts a number whose unit is not in its cell; `of_row`: the cell with the row's unit, if there is one. False if it
 * can't be converted to the unit of the others. */
bool rows_unit_convert(const struct rows_unit *wanted, const struct rows_unit_source *source, struct rows_cell of_row,
                       struct decimal *value);

/* The text of the unit that rows_unit_convert() has converted to, for the row's group. */
struct rows_cell rows_unit_text(const struct rows_unit *wanted, struct rows_cell of_row);

#endif
