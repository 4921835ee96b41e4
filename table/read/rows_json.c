/* Rows that are JSON objects, the items of an array; and rows that a harness wrote. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/read/rows_parts.h"

/* The text of a plain value; false for other values. Null and missing values have no text. */
static bool json_value_text(const json_t *value, char text[ROWS_NUMBER_TEXT], struct rows_cell *cell)
{
    if (!value || json_is_null(value))
        *cell = (struct rows_cell){"", 0};
    else if (json_is_string(value))
        *cell = (struct rows_cell){json_string_value(value), json_string_length(value)};
    else if (json_is_boolean(value))
        *cell = json_is_true(value) ? (struct rows_cell){"true", 4} : (struct rows_cell){"false", 5};
    else if (json_is_integer(value))
        *cell = (struct rows_cell){text, (size_t)sprintf(text, "%" JSON_INTEGER_FORMAT, json_integer_value(value))};
    else if (json_is_real(value)) {
        int length = 0; /* with as few digits as give the same number */
        for (int digits = 15; digits <= 17; digits++) {
            length = snprintf(text, ROWS_NUMBER_TEXT, "%.*g", digits, json_real_value(value));
            if (strtod(text, NULL) == json_real_value(value))
                break;
        }
        *cell = (struct rows_cell){text, (size_t)length};
    } else
        return false;
    return true;
}

static bool json_no_plain_value(struct rows_sink *sink, uint64_t position, const char *column)
{
    return rows_sink_bad(sink, position, column, "there is no plain value");
}

/* Puts value v into the row. False if the row is bad: *more says whether the part continues. */
static bool json_read_value(struct rows_sink *sink, size_t v, const json_t *object, uint64_t position, bool *more)
{
    char text[ROWS_NUMBER_TEXT];
    const struct rows_table *table = sink->table;
    const json_t *value = json_object_get(object, table->names[table->value_at[v]]);
    const struct rows_unit_source *source = &table->source[v];
    const char *unit = source->how == ROWS_UNIT_BY_COLUMN
                           ? json_string_value(json_object_get(object, table->names[source->column]))
                           : NULL;
    struct rows_measured measured = {.source = source,
                                     .unit = unit ? (struct rows_cell){unit, strlen(unit)} : (struct rows_cell){"", 0}};
    if (json_is_real(value) && measured.source->how == ROWS_UNIT_UNKNOWN &&
        decimal_of_double(json_real_value(value), rows_sink_value(sink, v)) == STATS_OK)
        return true;
    if (!json_value_text(value, text, &measured.cell)) {
        *more = json_no_plain_value(sink, position, sink->columns->values[v]);
        return false;
    }
    if (rows_sink_parse(sink, v, &measured))
        return true;
    *more = rows_sink_no_number(sink, position, v, &measured);
    return false;
}

bool rows_take_object(struct rows_sink *sink, const json_t *item, uint64_t position, char (*texts)[ROWS_NUMBER_TEXT])
{
    if (!json_is_object(item))
        return rows_sink_bad(sink, position, NULL, "is not a JSON object");
    if (sink->table->wide_count > 0) {
        /* An object of a wide table, through cells. */
        const struct rows_table *table = sink->table;
        struct rows_cell *cells = rows_make_cells(table);
        char(*wide_texts)[ROWS_NUMBER_TEXT] = calloc(table->column_count + 1, sizeof *wide_texts);
        bool more = (cells && wide_texts) || rows_sink_no_memory(sink), good = more;
        for (size_t c = 0; good && c < table->column_count; c++)
            good = json_value_text(json_object_get(item, table->names[c]), wide_texts[c], &cells[c]) ||
                   (more = json_no_plain_value(sink, position, table->names[c]), false);
        if (good)
            more = rows_take_cells(sink, cells, position);
        free(cells);
        free(wide_texts);
        return more;
    }
    const struct rows_table *table = sink->table;
    bool more = true;
    for (size_t v = 0; v < sink->columns->value_count; v++)
        if (!json_read_value(sink, v, item, position, &more))
            return more;
    for (size_t g = 0; g < sink->columns->group_count; g++) {
        size_t at = table->group_at[g];
        if (at == table->column_count + ROWS_FILE)
            sink->group_cells[g] = (struct rows_cell){table->path, strlen(table->path)};
        else if (at == table->column_count + ROWS_DIRECTORY)
            sink->group_cells[g] = table->directory;
        else if (!json_value_text(json_object_get(item, table->names[at]), texts[g], &sink->group_cells[g]))
            return json_no_plain_value(sink, position, table->names[at]);
        sink->group_cells[g] = rows_sink_group(sink, g, sink->group_cells[g]);
    }
    return rows_sink_row(sink, position);
}

void rows_part_json_array(const struct rows_part *part, struct rows_sink *sink)
{
    char(*texts)[ROWS_NUMBER_TEXT] = calloc(sink->columns->group_count + 1, sizeof *texts);
    const json_t *array = part->table->array;
    bool more = texts || rows_sink_no_memory(sink);
    for (size_t i = 0; more && i < json_array_size(array); i++)
        more = rows_take_object(sink, json_array_get(array, i), i, texts);
    if (more)
        rows_sink_end(sink);
    free(texts);
}

void rows_part_csv(const struct rows_part *part, struct rows_sink *sink)
{
    const struct csv *csv = part->table->bench.csv;
    struct rows_cell *cells = rows_make_cells(part->table);
    bool more = cells || rows_sink_no_memory(sink);
    for (size_t row = 0; more && row < csv->row_count; row++) {
        for (size_t c = 0; c < csv->column_count; c++) {
            const char *text = csv_cell(csv, row, c);
            cells[c] = text ? (struct rows_cell){text, strlen(text)} : (struct rows_cell){"", 0};
        }
        more = rows_take_cells(sink, cells, row);
    }
    if (more)
        rows_sink_end(sink);
    free(cells);
}
