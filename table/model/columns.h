/*
 * columns.h - the columns of a program's tables, each described once: its name, its type, who reads it, where a row has
 * its value, and what it means. The tables, their rows, `--columns` and the manual page follow from the description.
 *
 * A row is a structure of the program. A cell takes its value at the column's offset: a `const char *` for TABLE_TEXT
 * and TABLE_LINES (NULL: blank), a uint64_t for TABLE_COUNT and TABLE_BYTES, a double for TABLE_REAL and TABLE_SHARE
 * (NaN: blank), and a struct column_estimate for TABLE_ESTIMATE.
 */
#ifndef ASSAY_TABLE_MODEL_COLUMNS_H
#define ASSAY_TABLE_MODEL_COLUMNS_H

#include "table/model/table.h"

struct column_estimate {
    double value, low, high; /* as for table_estimate() */
};

enum column_readers { COLUMN_ALL, COLUMN_MACHINE, COLUMN_HUMAN };

struct column {
    const char *name;
    enum table_type type;
    size_t offset;
    const char *meaning;         /* whole sentences, with the unit */
    enum column_readers readers; /* machine formats, human ones, or both */
    const char *figure;          /* its name in the table that the figure draws; NULL: the figure lacks it */
    size_t half_width;           /* human formats show as many digits as the double at this offset supports; 0: five */
    size_t present;              /* the cell is blank unless the bool at this offset is true; 0: it never is */
    unsigned when;               /* options, as bits, of which one must be given; 0: the column is always there */
};

struct columns {
    const char *title; /* what has these columns: "With --pairs, one row for each pair of groups" */
    const struct column *items;
    size_t count;
};

/* A column whose value is a member of a row; then what else there is: .readers, .figure, .half_width, .present, .when.
 */
#define COLUMN(row, title, kind, member, text, ...)                                                                    \
    {                                                                                                                  \
        .name = (title), .type = (kind), .offset = offsetof(struct row, member), .meaning = (text), __VA_ARGS__        \
    }
#define COLUMNS(text, array)                                                                                           \
    {                                                                                                                  \
        .title = (text), .items = (array), .count = sizeof(array) / sizeof(array)[0]                                   \
    }

enum columns_view { COLUMNS_MACHINE, COLUMNS_HUMAN, COLUMNS_FIGURE };

/* The columns that a view has when these options are given, into an array of columns->count. Their number. */
size_t columns_list(const struct columns *columns, enum columns_view view, unsigned given, struct table_column *list);

/* An empty table of the columns that a view has when these options are given; NULL without memory. */
struct table *columns_table(const struct columns *columns, enum columns_view view, unsigned given);

/* Whether any column is not for everybody, so that human formats need a table of their own; whether a figure has any.
 */
bool columns_differ(const struct columns *columns);
bool columns_have_figure(const struct columns *columns);

/* Adds a row to a table that columns_table() made for the same view and options. */
void columns_add(struct table *table, const struct columns *columns, enum columns_view view, unsigned given,
                 const void *row);

/* Describes tables: the title of each, then every column with its meaning, in lines of at most 80 bytes. */
void columns_describe(FILE *out, const struct columns *tables, size_t count);

#endif
