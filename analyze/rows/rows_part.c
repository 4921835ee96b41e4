/* The rows of a part, by the kind of table. */
#include "analyze/rows/rows_parts.h"

#include <stdlib.h>
#include <string.h>

static const char *cells_word(uint64_t count)
{
    return count == 1 ? "cell" : "cells";
}

static bool bad_row(struct rows_sink *sink, const struct rows_split *split)
{
    size_t columns = sink->table->column_count;
    if (split->open)
        return rows_sink_fatal(sink, split->line, "has a quote that is not closed");
    if (split->trouble)
        return rows_sink_bad(sink, split->line, NULL, "is not a row: %s", split->trouble);
    return rows_sink_bad(sink, split->line, NULL, "has %zu %s, but %s %zu", split->count, cells_word(split->count),
                         sink->table->lines ? "the header has" : "the first row has", columns);
}

static bool take_row(struct rows_sink *sink, const struct rows_split *split)
{
    if (split->count != sink->table->column_count || split->trouble)
        return bad_row(sink, split);
    return rows_take_cells(sink, split->cells, split->line);
}

static uint64_t read_delimited(const struct rows_part *part, struct rows_sink *sink)
{
    const struct rows_table *table = part->table;
    struct rows_cell *cells = rows_make_cells(table);
    struct rows_split split;
    if (!cells) {
        rows_sink_no_memory(sink);
        return 0;
    }
    rows_split_init(&split, table->delimiter, part->text, part->length, cells, table->column_count);
    bool more = true;
    while (more && rows_split_next(&split))
        more = take_row(sink, &split);
    if (more)
        rows_sink_end(sink);
    free(cells);
    return split.lines;
}

uint64_t rows_part_read(const struct rows_part *part, struct rows_sink *sink)
{
    rows_sink_begin(sink, part->table);
    switch (part->table->kind) {
    case ROWS_DELIMITED:
        return read_delimited(part, sink);
    case ROWS_JSON_LINES:
        return rows_part_json_lines(part, sink);
    case ROWS_JSON_ARRAY:
        rows_part_json_array(part, sink);
        return 0;
    default:
        rows_part_sheet(part, sink);
        return 0;
    }
}
