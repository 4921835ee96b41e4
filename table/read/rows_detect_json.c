/* Documents: JSON, ours and any array of objects; and the output of benchmark tools. */
#include <stdlib.h>
#include <string.h>

#include "table/read/rows_parts.h"

enum { SAMPLE_OBJECTS = 100 };

/* ------------------------------------------------------------------------------------------ columns by keys -- */

static int detect_json_vote(const json_t *value)
{
    if (json_is_number(value))
        return 1;
    if (json_is_string(value))
        return quantity_vote((struct rows_cell){json_string_value(value), json_string_length(value)});
    return json_is_null(value) ? 0 : -1;
}

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
            votes += value ? detect_json_vote(value) : 0;
            if (json_is_string(value))
                rows_note_unit(table, c, (struct rows_cell){json_string_value(value), json_string_length(value)});
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

/* Whether the first line is followed by another object; a cut line is inconclusive. */
static bool detect_is_json_lines(const char *text, const char *end)
{
    while (text < end && strchr(" \t\r\n", *text))
        text++;
    const char *newline = memchr(text, '\n', (size_t)(end - text)), *next = newline;
    if (!newline)
        return false;
    while (next < end && strchr(" \t\r\n", *next))
        next++;
    if (next == end || *next != '{')
        return false;
    json_t *object = detect_parse_json_line(text, newline);
    json_decref(object);
    return object != NULL;
}

bool rows_detect_json_lines(const char *text, size_t length, struct rows_table *table)
{
    const char *end = text + length, *newline;
    if (!detect_is_json_lines(text, end))
        return false;
    json_t *sample = json_array();
    for (; sample && text < end && (newline = memchr(text, '\n', (size_t)(end - text))); text = newline + 1) {
        json_t *object = detect_parse_json_line(text, newline);
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

static bool detect_is_flat_object(const json_t *object)
{
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key,
                        value) if (json_is_object(value) || json_is_array(value)) return false;
    return json_is_object(object);
}

int rows_detect_document(const char *text, size_t length, struct rows_table *table, struct error_text *message)
{
    if (bench_format_of(text, length)) {
        int status = bench_read(text, length, &table->bench, message);
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
    table->root = detect_is_flat_object(root) ? json_pack("[o]", root) : root;
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
