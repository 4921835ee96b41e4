/* Documents: JSON, ours and any array of objects; and the output of benchmark tools. */
#include <stdlib.h>
#include <string.h>

#include "table/read/rows_parts.h"

enum { SAMPLE_OBJECTS = 100 };

/* ------------------------------------------------------------------------------------------ columns by keys -- */

/* Adds the keys of all objects, in the order of their appearance. */
static bool detect_add_all_keys(struct rows_table *table, const json_t *array)
{
    const char *key;
    const json_t *value;
    for (size_t i = 0; i < json_array_size(array); i++)
        json_object_foreach(json_array_get(array, i), key,
                            value) if (!rows_table_add(table, key, strlen(key), false)) return false;
    return true;
}

static void detect_json_columns(struct rows_table *table, const json_t *array)
{
    for (size_t c = 0; c < table->column_count; c++) {
        int votes = 0;
        for (size_t i = 0; i < json_array_size(array) && i < SAMPLE_OBJECTS; i++) {
            const json_t *value = json_object_get(json_array_get(array, i), table->names[c]);
            if (json_is_string(value)) {
                const struct rows_cell cell = {json_string_value(value), json_string_length(value)};
                votes += quantity_vote(cell);
                rows_note_unit(table, c, cell);
            } else if (json_is_number(value)) {
                votes++;
            } else if (value && !json_is_null(value)) {
                votes--;
            }
        }
        table->numeric[c] = votes > 0;
        table->textual[c] = votes < 0;
    }
    rows_finalize_units(table);
}

/* ------------------------------------------------------------------------------------------ JSON lines -- */

static json_t *detect_parse_json_line(const char *line, const char *end)
{
    json_error_t error;
    json_t *object = json_loadb(line, (size_t)(end - line), 0, &error);
    if (object && !json_is_object(object)) {
        json_decref(object);
        return NULL;
    }
    return object;
}

bool rows_detect_json_lines(const char *text, size_t length, struct rows_table *table)
{
    /* Another object must follow the first line; a cut line is inconclusive. */
    const char *end = text + length, *first = text;
    while (first < end && strchr(" \t\r\n", *first))
        first++;
    const char *newline = memchr(first, '\n', (size_t)(end - first)), *next = newline;
    while (next && next < end && strchr(" \t\r\n", *next))
        next++;
    if (!next || next == end || *next != '{')
        return false;
    json_t *object = detect_parse_json_line(first, newline);
    if (!object)
        return false;
    json_decref(object);

    json_t *sample = json_array();
    for (; sample && text < end && (newline = memchr(text, '\n', (size_t)(end - text))); text = newline + 1) {
        object = detect_parse_json_line(text, newline);
        if (object)
            json_array_append_new(sample, object);
    }
    bool good = sample && detect_add_all_keys(table, sample);
    if (good)
        detect_json_columns(table, sample);
    json_decref(sample);
    table->kind = ROWS_JSON_LINES;
    table->format = "JSON lines";
    return good;
}

/* ------------------------------------------------------------------------------------------ documents -- */

int rows_detect_document(const char *text, size_t length, struct rows_table *table, struct error_text *message)
{
    if (bench_format_of(text, length)) {
        int status = bench_read(text, length, table->whole_processes, &table->bench, message);
        if (status)
            return status;
        table->kind = ROWS_HARNESS;
        table->format = table->bench.meaning.format;
        if (table->bench.meaning.remark)
            error_set(&table->doubt, 0, "%s", table->bench.meaning.remark);
        for (size_t c = 0; c < table->bench.csv->column_count; c++)
            if (!rows_table_add(table, table->bench.csv->names[c], strlen(table->bench.csv->names[c]), true))
                return error_set(message, STATUS_BAD, "out of memory");
        const char *unit_column = table->bench.meaning.unit_column;
        size_t at = unit_column ? rows_table_column(table, unit_column) : SIZE_MAX;
        for (size_t row = 0; at != SIZE_MAX && row < table->bench.csv->row_count; row++) {
            const char *unit = csv_cell(table->bench.csv, row, at);
            if (unit)
                rows_note_row_unit(&table->unit_of[at], (struct rows_cell){unit, strlen(unit)});
        }
        return STATUS_GOOD;
    }
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        return error_set(message, STATUS_BAD, "line %d: bad JSON: %s", error.line, error.text);
    table->kind = ROWS_JSON_ARRAY;
    table->format = "JSON";
    bool flat = json_is_object(root);
    for (void *at = json_object_iter(root); at; at = json_object_iter_next(root, at))
        flat &= !json_is_object(json_object_iter_value(at)) && !json_is_array(json_object_iter_value(at));
    table->root = flat ? json_pack("[o]", root) : root;
    table->array = json_is_array(table->root) ? table->root : json_object_get(table->root, "results");
    if (!json_is_array(table->array))
        return error_set(message, STATUS_BAD,
                         "is JSON, but not an array of objects, nor an object with such an array 'results', nor output "
                         "of hyperfine, JMH, pyperf, pytest-benchmark, Google Benchmark, nanobench or criterion");
    if (!detect_add_all_keys(table, table->array))
        return error_set(message, STATUS_BAD, "out of memory");
    if (table->column_count == 0)
        return error_set(message, STATUS_BAD,
                         json_array_size(table->array) ? "is JSON, but holds no objects with keys" : "has no rows");
    detect_json_columns(table, table->array);
    return STATUS_GOOD;
}
