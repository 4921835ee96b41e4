/*
 * rows_sink.h - internal to rows_read(): takes a part's rows one by one, passes batches to the consumer, and remembers
 * the first bad row.
 *
 * A row is taken in three steps: its values are put where rows_sink_value() says, its texts into group_cells, then
 * rows_sink_row(); rows_take_cells() does all that for a row of texts. Functions return false when the part must end:
 * sink->fault or sink->status says why.
 */
#ifndef ASSAY_TABLE_READ_ROWS_SINK_H
#define ASSAY_TABLE_READ_ROWS_SINK_H

#include "table/read/rows_groups.h"
#include "table/read/rows_table.h"

enum { ROWS_BATCH = 1024 };

/* A row that can't be accepted. Without pointers, so that it can be sent to another process. */
struct rows_fault {
    bool any;
    bool fatal;        /* it can't be left out */
    bool in_column;    /* else it is the row as a whole */
    uint64_t position; /* rows or lines before it in the part */
    char column[64];   /* its name, cut */
    char what[160];    /* "'1,5' is not a number" */
    char hint[96];     /* "write 1.5", or "" */
};

/* The groups of bad rows, the first ones. Without pointers, as a fault. */
struct rows_bad_groups {
    size_t count;
    bool first; /* names[0] comes before all good rows */
    char names[8][120];
};

struct rows_sink {
    const struct rows_consumer *consumer;
    const struct rows_columns *columns;
    const struct rows_table *table; /* of the part */
    bool skip_bad, lone_values;
    void *state; /* of the part; NULL before its first batch */
    struct decimal **values;
    uint32_t *group;
    size_t row_count; /* in the batch */
    struct rows_cell *group_cells;
    struct rows_groups groups;
    uint64_t rows, skipped;
    uint64_t blank; /* missing cells; those of the batch, and of the current row */
    size_t batch_blank, row_blank;
    uint64_t rounded;        /* values with more digits than a decimal holds, in rows that are kept */
    uint64_t row_rounded;    /* in the current row */
    struct rows_fault fault; /* the first */
    struct rows_bad_groups bad;
    int status; /* of the consumer, or out of memory */
    struct error_text message;
};

/* 0, or -1 without memory; to be freed in either case. */
int rows_sink_init(struct rows_sink *sink, const struct rows_consumer *consumer, const struct rows_columns *columns,
                   const struct rows_request *request);
void rows_sink_free(struct rows_sink *sink);

/* Begins and ends a part of this table. The state is then the caller's. */
void rows_sink_begin(struct rows_sink *sink, const struct rows_table *table);
bool rows_sink_end(struct rows_sink *sink);

static inline struct decimal *rows_sink_value(struct rows_sink *sink, size_t v)
{
    return &sink->values[v][sink->row_count];
}

/* Completes the row. `place`: that of the row, in case a text is invalid. */
bool rows_sink_row(struct rows_sink *sink, uint64_t position);

/* A value's cell, how the table gives its unit, and the cell with the row's unit, if there is one. */
struct rows_measured {
    struct rows_cell cell;
    const struct rows_unit_source *source;
    struct rows_cell unit;
};

/* Sets value v of the row, which may be missing; false if it is not a number of the values' unit (then call
 * rows_sink_no_number()). */
bool rows_sink_parse(struct rows_sink *sink, size_t v, const struct rows_measured *measured);

/* The group's text in a row with this cell, which is that of the unit that values are converted to if it is a unit. */
struct rows_cell rows_sink_group(const struct rows_sink *sink, size_t group, struct rows_cell cell);

/* Reports the row at `place` as bad: in column (NULL: as a whole) for the given reason; or because the cell of value v
 * is not a number. */
bool rows_sink_bad(struct rows_sink *sink, uint64_t position, const char *column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool rows_sink_no_number(struct rows_sink *sink, uint64_t position, size_t v, const struct rows_measured *measured);

/* The value of a wide table's row in this column has no cell; it is only counted. */
void rows_sink_wide_blank(struct rows_sink *sink);

/* The rest of the part from `place` on is bad. */
bool rows_sink_fatal(struct rows_sink *sink, uint64_t position, const char *what);

/* There is no memory. */
bool rows_sink_no_memory(struct rows_sink *sink);

/* Allocates a row's cells: those of the columns, then those of enum rows_beyond; or for up to ROWS_MORE_CELLS more
 * cells than columns, of a row that has too many. NULL without memory. */
enum { ROWS_MORE_CELLS = 16 };
struct rows_cell *rows_make_cells(const struct rows_table *table);

/* Sets the cells of the file's path and its directory, as rows_make_cells() does: again after a row with too many. */
void rows_set_path_cells(const struct rows_table *table, struct rows_cell *cells);

/* Adds the row with these cells, one per column; or, for a wide table, the rows. */
bool rows_take_cells(struct rows_sink *sink, struct rows_cell *cells, uint64_t position);

#endif
