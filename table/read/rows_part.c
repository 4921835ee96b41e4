/* The rows of a part, by the kind of table. */
#include "table/read/rows_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Whether a cell that gives a value holds no number. */
static bool rows_part_lacks_number(const struct rows_table *table, const struct rows_split *split, size_t value_count)
{
    for (size_t v = 0; v < value_count; v++) {
        size_t at = table->wide_count > 0 ? table->wide_at[v] : table->value_at[v];
        if (quantity_vote(split->cells[at]) < 0)
            return true;
    }
    return false;
}

static bool rows_part_read_row(struct rows_sink *sink, struct rows_split *split, const char *start)
{
    const struct rows_table *table = sink->table;
    if (split->count > table->column_count && split->count <= split->capacity && !split->trouble &&
        table->delimiter != ' ') {
        /* Joins cells that only an escaped delimiter separates, "a\,b", and takes the backslash out. */
        size_t kept = 0;
        for (size_t i = 0; i < split->count; i++, kept++) {
            struct rows_cell cell = split->cells[i];
            while (i + 1 < split->count && cell.length > 0 && cell.text[cell.length - 1] == '\\' &&
                   cell.text + cell.length + 1 == split->cells[i + 1].text) {
                char *backslash = (char *)(uintptr_t)(cell.text + cell.length - 1);
                struct rows_cell next = split->cells[++i];
                memmove(backslash, backslash + 1, next.length + 1);
                cell.length += next.length;
            }
            split->cells[kept] = cell;
        }
        split->count = kept;
    }
    if (split->count > 0) {
        /* A line that begins with # is a comment, unless it is quoted, or a name follows at once ("#1") and numbers are
         * where they belong. `start`: of the part's text. */
        size_t values = table->wide_count > 0 ? table->wide_count : sink->columns->value_count;
        struct rows_cell first = split->cells[0];
        bool marked = first.length != 0 && *first.text == '#' && !(first.text > start && first.text[-1] == '"');
        if (marked && (first.length == 1 || first.text[1] == ' ' || first.text[1] == '!' ||
                       split->count != table->column_count || rows_part_lacks_number(table, split, values)))
            return true;
    }
    if (split->count != table->column_count || split->trouble) {
        size_t columns = sink->table->column_count;
        if (split->open)
            return rows_sink_fatal(sink, split->line, "has a quote that is not closed");
        if (split->trouble)
            return rows_sink_bad(sink, split->line, NULL, "is not a row: %s", split->trouble);
        return rows_sink_bad(sink, split->line, NULL, "has %zu %s, but %s %zu", split->count,
                             split->count == 1 ? "cell" : "cells",
                             sink->table->lines ? "the header has" : "the first row has", columns);
    }
    rows_set_path_cells(table, split->cells);
    return rows_take_cells(sink, split->cells, split->line);
}

uint64_t rows_part_read(const struct rows_part *part, struct rows_sink *sink)
{
    assert(part->table);
    rows_sink_begin(sink, part->table);
    switch (part->table->kind) {
    case ROWS_DELIMITED: {
        const struct rows_table *table = part->table;
        struct rows_cell *cells = rows_make_cells(table);
        struct rows_split split;
        if (!cells) {
            rows_sink_no_memory(sink);
            return 0;
        }
        rows_split_init(&split, table->delimiter, part->text, part->length, cells,
                        table->column_count + ROWS_MORE_CELLS);
        bool more = true;
        while (more && rows_split_next(&split))
            more = rows_part_read_row(sink, &split, part->text);
        if (more)
            rows_sink_end(sink);
        free(cells);
        return split.lines;
    }
    case ROWS_JSON_LINES:
        return rows_part_json_lines(part, sink);
    case ROWS_JSON_ARRAY:
        rows_part_json_array(part, sink);
        return 0;
    default:
        rows_part_csv(part, sink);
        return 0;
    }
}
