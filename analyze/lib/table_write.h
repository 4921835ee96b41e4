/*
 * table_write.h - inside a table, for the files that write one.
 */
#ifndef ASSAY_TABLE_WRITE_H
#define ASSAY_TABLE_WRITE_H

#include "analyze/lib/table.h"

struct table_cell {
    char *text; /* NULL: blank */
    uint64_t count;
    double real;
    bool present; /* of count and real */
};

struct table {
    struct table_column *columns;
    size_t column_count;
    struct table_cell *cells; /* row by row */
    size_t cell_count, cell_capacity;
    bool no_memory;
};

void table_write_separated(FILE *out, const struct table *table, char separator);
void table_write_json(FILE *out, const struct table *table, const struct table_frame *frame);
void table_write_human(FILE *out, enum table_format format, const struct table *table, const struct table_frame *frame);

#endif
