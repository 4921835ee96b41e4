#include "analyze/delimited/sheet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

/* A cursor over delimited text. TSV has no quotes. It is unquoted in place, which only ever makes it shorter. */
struct reader {
    char *next;
    char delimiter;
    size_t line;
};

enum cell_end { CELL_MORE, CELL_LAST, CELL_BROKEN };

static int out_of_memory(struct complaint *complaint)
{
    return complain(complaint, STATUS_BAD, "out of memory");
}

/* Starts at the opening quote; sets next to after the closing one. False if there is none. */
static bool reader_unquote(struct reader *reader, char **cell)
{
    char *to = ++reader->next;
    *cell = to;
    for (char *from = reader->next; *from; from++) {
        if (*from == '"' && from[1] != '"') {
            *to = '\0';
            reader->next = from + 1;
            return true;
        }
        from += *from == '"';
        reader->line += *from == '\n';
        *to++ = *from;
    }
    return false;
}

static enum cell_end reader_cell(struct reader *reader, char **cell)
{
    char *end = reader->next;
    *cell = end;
    if (*end == '"' && reader->delimiter == ',') {
        if (!reader_unquote(reader, cell))
            return CELL_BROKEN;
        end = reader->next;
    }
    end += strcspn(end, reader->delimiter == '\t' ? "\t\n" : ",\n");
    char stop = *end;
    reader->next = stop ? end + 1 : end;
    reader->line += stop == '\n';
    *end = '\0';
    if (stop != reader->delimiter && end > *cell && end[-1] == '\r')
        end[-1] = '\0';
    return stop == reader->delimiter ? CELL_MORE : CELL_LAST;
}

/* Blank lines are skipped. */
static bool reader_at_row(struct reader *reader)
{
    while (*reader->next == '\n' || strncmp(reader->next, "\r\n", 2) == 0) {
        reader->next += *reader->next == '\n' ? 1 : 2;
        reader->line++;
    }
    return *reader->next;
}

static int read_header(struct reader *reader, struct sheet *sheet, struct complaint *complaint)
{
    enum cell_end end = CELL_MORE;
    while (end == CELL_MORE) {
        char *name;
        end = reader_cell(reader, &name);
        if (end == CELL_BROKEN)
            return complain(complaint, STATUS_BAD, "line 1: a quote is not closed");
        if (sheet_column(sheet, name) != SHEET_NONE)
            return complain(complaint, STATUS_BAD, "two columns are named '%s'", name);
        if (sheet_add_column(sheet, name) == SHEET_NONE)
            return out_of_memory(complaint);
    }
    return STATUS_GOOD;
}

static int read_row(struct reader *reader, struct sheet *sheet, struct complaint *complaint)
{
    size_t line = reader->line, count = 0, row = sheet_add_row(sheet);
    if (row == SHEET_NONE)
        return out_of_memory(complaint);
    for (enum cell_end end = CELL_MORE; end == CELL_MORE; count++) {
        char *text;
        end = reader_cell(reader, &text);
        if (end == CELL_BROKEN)
            return complain(complaint, STATUS_BAD, "line %zu: a quote is not closed", line);
        if (count < sheet->column_count && *text && !sheet_set(sheet, row, count, text))
            return out_of_memory(complaint);
    }
    if (count != sheet->column_count)
        return complain(complaint, STATUS_BAD, "line %zu has %zu cells, but the header has %zu", line, count,
                        sheet->column_count);
    return STATUS_GOOD;
}

static int read_delimited(char *text, struct sheet *sheet, struct complaint *complaint)
{
    struct reader reader = {text, ',', 1};
    while (reader_at_row(&reader) && *reader.next == '#')
        reader.next += strcspn(reader.next, "\n");
    if (!*reader.next)
        return complain(complaint, STATUS_BAD, "is empty, without even a header line");
    if (memchr(reader.next, '\t', strcspn(reader.next, "\n")))
        reader.delimiter = '\t';
    int status = read_header(&reader, sheet, complaint);
    while (!status && reader_at_row(&reader))
        status = read_row(&reader, sheet, complaint);
    return status;
}

static bool set_json(struct sheet *sheet, size_t row, size_t column, const json_t *value)
{
    if (json_is_null(value))
        return true;
    if (json_is_string(value))
        return !*json_string_value(value) || sheet_set(sheet, row, column, json_string_value(value));
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    bool good = text && sheet_set(sheet, row, column, text);
    free(text);
    return good;
}

static int read_json_columns(const json_t *results, struct sheet *sheet, struct complaint *complaint)
{
    size_t i;
    const json_t *object, *value;
    const char *key;
    json_array_foreach(results, i, object)
    {
        if (!json_is_object(object))
            return complain(complaint, STATUS_BAD, "result %zu is not a JSON object", i + 1);
        json_object_foreach((json_t *)object, key, value)
        {
            if (json_is_object(value) || json_is_array(value))
                return complain(complaint, STATUS_BAD, "result %zu: '%s' is not a plain value", i + 1, key);
            if (sheet_add_column(sheet, key) == SHEET_NONE)
                return out_of_memory(complaint);
        }
    }
    return STATUS_GOOD;
}

static int read_json_rows(const json_t *results, struct sheet *sheet, struct complaint *complaint)
{
    size_t i;
    const json_t *object, *value;
    const char *key;
    json_array_foreach(results, i, object)
    {
        size_t row = sheet_add_row(sheet);
        if (row == SHEET_NONE)
            return out_of_memory(complaint);
        json_object_foreach((json_t *)object, key, value) if (!set_json(sheet, row, sheet_column(sheet, key),
                                                                        value)) return out_of_memory(complaint);
    }
    return STATUS_GOOD;
}

static int read_json(const char *text, struct sheet *sheet, struct complaint *complaint)
{
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    if (!root)
        return complain(complaint, STATUS_BAD, "line %d: bad JSON: %s", error.line, error.text);
    const json_t *results = json_is_array(root) ? root : json_object_get(root, "results");
    int status = STATUS_GOOD;
    if (!json_is_array(results))
        status = complain(complaint, STATUS_BAD, "JSON without an array 'results'");
    if (!status)
        status = read_json_columns(results, sheet, complaint);
    if (!status)
        status = read_json_rows(results, sheet, complaint);
    json_decref(root);
    return status;
}

/* All of the stream as one string, NULL with a complaint. */
static char *slurp(FILE *in, struct complaint *complaint)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t length = getdelim(&text, &room, '\0', in);
    if (length > 0 && text[length - 1] != '\0' && !ferror(in))
        return text;
    if (length > 0 && !ferror(in))
        complain(complaint, STATUS_BAD, "is not text");
    else if (ferror(in))
        complain(complaint, STATUS_BAD, "%s", strerror(errno));
    else
        complain(complaint, STATUS_BAD, "is empty, without even a header line");
    free(text);
    return NULL;
}

int sheet_read(FILE *in, struct sheet **sheet, struct complaint *complaint)
{
    char *text = slurp(in, complaint);
    if (!text)
        return STATUS_BAD;
    struct sheet *fresh = sheet_new();
    int status;
    char *start = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
    const char *first = start + strspn(start, " \t\r\n");
    if (!fresh)
        status = out_of_memory(complaint);
    else if (*first == '{' || *first == '[')
        status = read_json(start, fresh, complaint);
    else
        status = read_delimited(start, fresh, complaint);
    free(text);
    if (status)
        sheet_free(fresh);
    else
        *sheet = fresh;
    return status;
}
