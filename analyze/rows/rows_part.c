/* The rows of a part, by the kind of table. */
#include "analyze/rows/rows_parts.h"

#include <stdlib.h>
#include <string.h>

struct rows_cell *rows_make_cells(const struct rows_table *table)
{
    struct rows_cell *cells = calloc(table->column_count + 2, sizeof *cells);
    if (cells)
        cells[table->column_count] = (struct rows_cell){table->path, strlen(table->path)};
    return cells;
}

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

/* The cell of a column; with blanks as delimiters, including its unit in the next one. */
static struct rows_cell value_cell(const struct rows_table *table, const struct rows_cell *cells, size_t column)
{
    struct rows_cell cell = cells[column], next;
    if (!table->unit_of[column].split)
        return cell;
    next = cells[column + 1];
    return (struct rows_cell){cell.text, (size_t)(next.text + next.length - cell.text)};
}

/* One row for each wide column with a value. */
static bool take_wide_cells(struct rows_sink *sink, struct rows_cell *cells, uint64_t place)
{
    const struct rows_table *table = sink->table;
    bool more = true;
    for (size_t w = 0; more && w < table->wide_count; w++) {
        const char *name = table->names[table->wide_at[w]];
        struct rows_cell cell = value_cell(table, cells, table->wide_at[w]);
        if (rows_trim(cell).length == 0) {
            rows_sink_wide_blank(sink);
            continue;
        }
        if (!rows_sink_parse(sink, 0, cell))
            return rows_sink_no_number(sink, place, 0, cell);
        cells[table->column_count + 1] = (struct rows_cell){name, strlen(name)};
        for (size_t g = 0; g < sink->columns->group_count; g++)
            sink->group_cells[g] = cells[table->group_at[g]];
        more = rows_sink_row(sink, place);
    }
    return more;
}

bool rows_take_cells(struct rows_sink *sink, struct rows_cell *cells, uint64_t place)
{
    const struct rows_table *table = sink->table;
    const struct rows_columns *columns = sink->columns;
    if (table->wide_count > 0)
        return take_wide_cells(sink, cells, place);
    for (size_t v = 0; v < columns->value_count; v++) {
        struct rows_cell cell = value_cell(table, cells, table->value_at[v]);
        if (!rows_sink_parse(sink, v, cell))
            return rows_sink_no_number(sink, place, v, cell);
    }
    for (size_t g = 0; g < columns->group_count; g++)
        sink->group_cells[g] = cells[table->group_at[g]];
    return rows_sink_row(sink, place);
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
