#include "table/import/bench_rows.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/model/table.h"
#include "base/text.h"

void bench_fail(struct bench *bench, const char *format, ...)
{
    va_list values;
    if (bench->status)
        return;
    va_start(values, format);
    bench->status = error_vset(bench->message, STATUS_BAD, format, values);
    va_end(values);
    if (*bench->location)
        error_prefix(bench->message, bench->location);
}

void bench_set_location(struct bench *bench, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(bench->location, sizeof bench->location, format, values);
    va_end(values);
}

void bench_leave_out(struct bench *bench, const char *format, ...)
{
    struct error_text why;
    va_list values;
    assert(bench->csv);
    va_start(values, format);
    error_vset(&why, STATUS_BAD, format, values);
    va_end(values);
    if (*bench->subject && !bench->failed)
        bench->failed = json_object();
    if (*bench->subject && !json_object_get(bench->failed, bench->subject))
        text_json_set(bench->failed, bench->subject, json_boolean(bench->csv->row_count == 0));
    if (!bench->left_out++)
        bench->left_out_why = why;
    else if (strcmp(why.text, bench->left_out_why.text) != 0)
        bench->left_out_varies = true;
}

void bench_subject(struct bench *bench, const char *name)
{
    bench_set_location(bench, "benchmark '%.100s'", name);
    snprintf(bench->subject, sizeof bench->subject, "%s", name);
}

json_t *bench_lost(const struct bench *bench)
{
    json_t *lost = json_array(), *first;
    size_t column = csv_column(bench->csv, "name");
    const char *name;
    json_object_foreach(bench->failed, name, first)
    {
        bool found = false;
        for (size_t row = 0; column != CSV_NONE && !found && row < bench->csv->row_count; row++) {
            const char *text = csv_cell(bench->csv, row, column);
            found = text && strcmp(text, name) == 0;
        }
        if (!found)
            json_array_append_new(lost, json_pack("{sssO}", "name", name, "first", first));
    }
    return lost;
}

void bench_left_out_text(const struct bench *bench, struct error_text *reason)
{
    error_set(reason, 0, "%zu run%s %s%s", bench->left_out, bench->left_out == 1 ? "" : "s",
              bench->left_out_varies ? "left out, the first " : "", bench->left_out_why.text);
}

bool bench_measured(struct bench *bench, const char *key, size_t index, const json_t *value)
{
    if (bench->status)
        return false;
    if (json_is_number(value))
        return true;
    const char *text = json_string_value(value);
    char *end;
    double number = text ? strtod(text, &end) : 0;
    if (!value || json_is_null(value) || (text && !*end && (end == text || !isfinite(number))))
        bench_leave_out(bench, "gave no finite number");
    else
        bench_fail(bench, "value %zu of '%s' is not a number", index + 1, key);
    return false;
}

static bool bench_is_own_column(const struct bench *bench, const char *key)
{
    for (const char *const *own = bench->own; own && *own; own++)
        if (strcmp(*own, key) == 0)
            return true;
    return false;
}

static const char *bench_rename_column(struct bench *bench, const char *word, const char *key)
{
    snprintf(bench->column, sizeof bench->column, "%s_%s", word, key);
    return bench->column;
}

const char *bench_label(struct bench *bench, const char *key)
{
    return bench_is_own_column(bench, key) ? bench_rename_column(bench, "parameter", key) : key;
}

const char *bench_metric(struct bench *bench, const char *key)
{
    bool taken = bench_is_own_column(bench, key) || csv_column(bench->csv, key) < bench->label_end;
    return taken ? bench_rename_column(bench, "metric", key) : key;
}

static size_t bench_find_or_add_column(struct bench *bench, const char *name)
{
    size_t column = csv_column(bench->csv, name);
    assert(bench->csv->column_count <= BENCH_COLUMNS_MAX);
    if (column != CSV_NONE || bench->status)
        return column;
    if (bench->csv->column_count == BENCH_COLUMNS_MAX) {
        bench_fail(bench, "more than %d columns", BENCH_COLUMNS_MAX);
        return CSV_NONE;
    }
    column = csv_add_column(bench->csv, name);
    if (column == CSV_NONE)
        bench_fail(bench, "out of memory");
    return column;
}

void bench_column(struct bench *bench, const char *column)
{
    if (!bench->status)
        bench_find_or_add_column(bench, column);
}

void bench_row(struct bench *bench)
{
    if (!bench->status && csv_add_row(bench->csv) == CSV_NONE)
        bench_fail(bench, "out of memory");
}

void bench_text(struct bench *bench, const char *column, const char *text)
{
    if (bench->status || !text || !*text)
        return;
    size_t at = bench_find_or_add_column(bench, column);
    if (at != CSV_NONE && !csv_set(bench->csv, bench->csv->row_count - 1, at, text))
        bench_fail(bench, "out of memory");
}

void bench_count(struct bench *bench, const char *column, size_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", count);
    bench_text(bench, column, text);
}

void bench_real(struct bench *bench, const char *column, double value)
{
    char text[32];
    table_digits(value, text);
    bench_text(bench, column, text);
}

void bench_json(struct bench *bench, const char *column, const json_t *value)
{
    char text[32];
    if (json_is_string(value)) {
        bench_text(bench, column, json_string_value(value));
    } else if (json_is_integer(value)) {
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        bench_text(bench, column, text);
    } else if (json_is_real(value)) {
        bench_real(bench, column, json_real_value(value));
    }
}

void bench_label_columns(struct bench *bench, const json_t *elements, const char *parameters_key)
{
    bench_column(bench, "name");
    for (size_t i = 0; i < json_array_size(elements); i++) {
        json_t *parameters = json_object_get(json_array_get(elements, i), parameters_key);
        for (void *at = json_object_iter(parameters); at; at = json_object_iter_next(parameters, at))
            bench_column(bench, bench_label(bench, json_object_iter_key(at)));
    }
    bench->label_end = bench->csv->column_count;
}

static void bench_add_group(struct bench *bench, size_t column)
{
    const char **groups = bench->meaning.groups;
    size_t count = 0;
    while (groups[count])
        count++;
    if (count == BENCH_GROUPS_MAX)
        bench_fail(bench, "its benchmarks differ in more than %d columns", BENCH_GROUPS_MAX);
    else
        groups[count] = bench->csv->names[column];
}

void bench_group_labels(struct bench *bench)
{
    for (size_t column = 0; !bench->status && column < bench->label_end; column++)
        bench_add_group(bench, column);
}

void bench_group_varying(struct bench *bench, const char *column)
{
    size_t at = csv_column(bench->csv, column);
    if (!bench->status && at != CSV_NONE && csv_varies(bench->csv, at))
        bench_add_group(bench, at);
}

void bench_group_unit(struct bench *bench)
{
    size_t at = csv_column(bench->csv, "unit");
    if (bench->status || at == CSV_NONE || !bench->csv->row_count)
        return;
    bool several = csv_varies(bench->csv, at), convertible = true; /* all units are of one kind */
    const struct quantity_unit *first = NULL;
    for (size_t row = 0; convertible && row < bench->csv->row_count; row++) {
        const char *text = csv_cell(bench->csv, row, at);
        const struct quantity_unit *unit = text ? quantity_unit_named((struct rows_cell){text, strlen(text)}) : NULL;
        convertible = unit && (!first || strcmp(unit->kind, first->kind) == 0);
        first = unit;
    }
    if (several && !convertible)
        bench_add_group(bench, at);
    else if (!several)
        bench->meaning.unit = csv_cell(bench->csv, 0, at);
    if (several || bench->meaning.unit)
        bench->meaning.unit_column = bench->csv->names[at];
}

size_t bench_mark(const struct bench *bench)
{
    return bench->csv->row_count + bench->left_out;
}

void bench_demand(struct bench *bench, size_t mark)
{
    assert(mark <= bench_mark(bench));
    if (!bench->status && bench_mark(bench) == mark)
        bench_leave_out(bench, "had no measured value");
}

size_t bench_repeated(struct bench *bench, const char *name)
{
    if (!bench->counts)
        bench->counts = json_object();
    json_int_t count = json_integer_value(json_object_get(bench->counts, name)) + 1;
    if (!bench->counts || text_json_set(bench->counts, name, json_integer(count)) != 0)
        bench_fail(bench, "out of memory");
    return (size_t)count;
}

/* -------------------------------------------------------------------------------- text with delimiters -- */

void bench_cut(struct bench *bench, const char *text, size_t length, char delimiter,
               void (*visit)(struct bench *bench, const struct bench_cells *cells, void *own), void *own)
{
    struct rows_cell cells[BENCH_COLUMNS_MAX];
    struct rows_split split;
    char *copy = rows_split_copy(text, &length);
    if (!copy) {
        bench_fail(bench, "out of memory");
        return;
    }
    rows_split_init(&split, delimiter, copy, length, cells, BENCH_COLUMNS_MAX);
    while (!bench->status && rows_split_next(&split)) {
        const struct bench_cells row = {cells, split.count, (size_t)split.line + 1};
        struct rows_cell first = split.count ? rows_trim(cells[0]) : (struct rows_cell){"", 0};
        bool comment = first.length > 0 && *first.text == '#';
        if (split.trouble)
            bench_fail(bench, "line %zu: %s", row.line, split.trouble);
        else if (split.count > BENCH_COLUMNS_MAX)
            bench_fail(bench, "line %zu: more than %d columns", row.line, BENCH_COLUMNS_MAX);
        else if (!comment)
            visit(bench, &row, own);
    }
    free(copy);
}

const char *bench_cell(const struct bench_cells *cells, size_t i, char *text, size_t size)
{
    struct rows_cell cell = i < cells->count ? rows_trim(cells->cell[i]) : (struct rows_cell){"", 0};
    snprintf(text, size, "%.*s", (int)cell.length, cell.text);
    return text;
}

bool bench_is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end > text && !*end;
}

const char *bench_first_line(const char *text, size_t length, size_t *size)
{
    struct rows_cell line;
    for (const char *end = text + length; rows_line(&text, end, &line);)
        if (line.length > 0 && *line.text != '#' && *line.text != '\r') {
            *size = line.length;
            return line.text;
        }
    *size = 0;
    return "";
}

bool bench_begins(const char *text, size_t length, const char *start, const char *needle)
{
    size_t size;
    const char *line = bench_first_line(text, length, &size);
    return size >= strlen(start) && memcmp(line, start, strlen(start)) == 0 &&
           (!needle || memmem(line, size, needle, strlen(needle)));
}
