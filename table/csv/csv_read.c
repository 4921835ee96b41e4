#include "table/csv/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "table/csv/split.h"

static int table_no_memory(struct error_text *message)
{
    return error_set(message, STATUS_BAD, "out of memory");
}

static int table_no_header(struct error_text *message)
{
    return error_set(message, STATUS_BAD, "is empty, without even a header line");
}

static int table_unclosed_quote(const struct rows_split *split, struct error_text *message)
{
    return error_set(message, STATUS_BAD, "line %zu: a quote is not closed", (size_t)split->line + 1);
}

static int table_read_row(const struct rows_split *split, struct csv *csv, struct error_text *message)
{
    size_t row = csv_add_row(csv);
    if (row == CSV_NONE)
        return table_no_memory(message);
    if (split->open)
        return table_unclosed_quote(split, message);
    if (split->count != csv->column_count)
        return error_set(message, STATUS_BAD, "line %zu has %zu cells, but the header has %zu", (size_t)split->line + 1,
                         split->count, csv->column_count);
    for (size_t i = 0; i < split->count; i++)
        if (split->cells[i].length > 0 && !csv_set(csv, row, i, rows_terminate(split->cells[i])))
            return table_no_memory(message);
    return STATUS_GOOD;
}

/* Cells are cut in place; behind the text there are ROWS_SLACK bytes. */
static int table_read_csv(char *text, struct csv *csv, struct error_text *message)
{
    char *end = text + strlen(text);
    const char *next = text;
    struct rows_cell header;
    struct rows_split split;
    size_t lines = 0, capacity = 1;
    bool any;
    while ((any = rows_line(&next, end, &header)) &&
           (*header.text == '#' || header.length == strspn(header.text, "\r")))
        lines++;
    if (!any)
        return table_no_header(message);
    text += header.text - text;
    char delimiter = memchr(text, '\t', header.length) ? '\t' : ',';
    for (const char *at = text; at < end; at++)
        capacity += *at == delimiter;
    struct rows_cell *cells = calloc(capacity, sizeof *cells);
    if (!cells)
        return table_no_memory(message);
    if (end[-1] != '\n')
        *end++ = '\n';
    rows_split_init(&split, delimiter, text, (size_t)(end - text), cells, capacity);
    split.lines = lines;

    int status = !rows_split_next(&split) ? table_no_header(message)
                 : split.open             ? table_unclosed_quote(&split, message)
                                          : STATUS_GOOD;
    for (size_t i = 0; !status && i < split.count; i++) {
        const char *name = rows_terminate(cells[i]);
        if (csv_column(csv, name) != CSV_NONE)
            status = error_set(message, STATUS_BAD, "two columns are named '%s'", name);
        else if (csv_add_column(csv, name) == CSV_NONE)
            status = table_no_memory(message);
    }
    while (!status && rows_split_next(&split))
        status = table_read_row(&split, csv, message);
    free(cells);
    return status;
}

static bool table_set_json(struct csv *csv, size_t row, size_t column, const json_t *value)
{
    if (json_is_null(value))
        return true;
    if (json_is_string(value))
        return !*json_string_value(value) || csv_set(csv, row, column, json_string_value(value));
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    bool good = text && csv_set(csv, row, column, text);
    free(text);
    return good;
}

static int table_read_json(const char *text, struct csv *csv, struct error_text *message)
{
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    if (!root)
        return error_set(message, STATUS_BAD, "line %d: bad JSON: %s", error.line, error.text);
    json_t *results = json_is_array(root) ? root : json_object_get(root, "results"), *object, *value;
    int status = STATUS_GOOD;
    const char *key;
    size_t i;
    if (!json_is_array(results))
        status = error_set(message, STATUS_BAD, "JSON without an array 'results'");
    for (i = 0; !status && (object = json_array_get(results, i)); i++) {
        if (!json_is_object(object))
            status = error_set(message, STATUS_BAD, "result %zu is not a JSON object", i + 1);
        json_object_foreach(object, key, value)
        {
            if (json_is_object(value) || json_is_array(value))
                status = error_set(message, STATUS_BAD, "result %zu: '%s' is not a plain value", i + 1, key);
            else if (csv_add_column(csv, key) == CSV_NONE)
                status = table_no_memory(message);
            if (status)
                break;
        }
    }
    for (i = 0; !status && (object = json_array_get(results, i)); i++) {
        size_t row = csv_add_row(csv);
        if (row == CSV_NONE)
            status = table_no_memory(message);
        json_object_foreach(object, key, value)
        {
            if (!status && !table_set_json(csv, row, csv_column(csv, key), value))
                status = table_no_memory(message);
        }
    }
    json_decref(root);
    return status;
}

int csv_read(FILE *in, struct csv **csv, struct error_text *message)
{
    /* All of the stream becomes one string, with capacity for ROWS_SLACK bytes behind it. */
    char *text = NULL;
    size_t capacity = 0;
    ssize_t length = getdelim(&text, &capacity, '\0', in);
    int status = STATUS_GOOD;
    if (ferror(in))
        status = error_set(message, STATUS_BAD, "%s", strerror(errno));
    else if (length <= 0)
        status = table_no_header(message);
    else if (text[length - 1] == '\0')
        status = error_set(message, STATUS_BAD, "is not text");
    char *longer = status ? NULL : realloc(text, (size_t)length + 2 + ROWS_SLACK);
    struct csv *fresh = longer ? csv_new() : NULL;
    if (longer)
        text = longer;
    if (!status && !fresh)
        status = table_no_memory(message);
    if (!status) {
        char *start = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
        const char *first = start + strspn(start, " \t\r\n");
        status = *first == '{' || *first == '[' ? table_read_json(start, fresh, message)
                                                : table_read_csv(start, fresh, message);
    }
    free(text);
    if (status)
        csv_free(fresh);
    else
        *csv = fresh;
    return status;
}
