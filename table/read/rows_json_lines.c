/*
 * Rows that are JSON objects, one per line. Almost all lines are flat objects whose strings have no escapes: these are
 * scanned in place. Jansson parses all other lines, including wrong ones.
 */
#include <stdlib.h>
#include <string.h>

#include "table/read/rows_parts.h"

/* A scan ends at the line's newline at the latest, which no token holds. */
struct line {
    const char *at;
    struct rows_cell token;
};

static void json_line_skip_blanks(struct line *line)
{
    while (*line->at == ' ' || *line->at == '\t' || *line->at == '\r')
        line->at++;
}

static bool json_line_scan_char(struct line *line, char c)
{
    json_line_skip_blanks(line);
    if (*line->at != c)
        return false;
    line->at++;
    return true;
}

/* A string without escapes, from after its opening quote. */
static bool json_line_scan_string(struct line *line)
{
    const char *c = line->at;
    while (*c != '"' && *c != '\\' && (unsigned char)*c >= ' ')
        c++;
    line->token = (struct rows_cell){line->at, (size_t)(c - line->at)};
    line->at = c + 1;
    return *c == '"';
}

static const char *json_line_skip_digits(const char *c)
{
    while (*c >= '0' && *c <= '9')
        c++;
    return c;
}

static bool json_line_scan_value(struct line *line, bool group)
{
    json_line_skip_blanks(line);
    if (*line->at == '"') {
        line->at++;
        return json_line_scan_string(line);
    }
    if (*line->at == '-' || (*line->at >= '0' && *line->at <= '9')) {
        /* RFC 8259: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? A group's text must be an integer,
         * unchanged. */
        bool integer = group;
        const char *start = line->at, *first = start + (*start == '-'), *c = json_line_skip_digits(first);
        bool good = c > first && (*first != '0' || c == first + 1) && !(integer && *start == '-' && *first == '0');
        if (good && *c == '.') {
            const char *fraction = c + 1;
            c = json_line_skip_digits(fraction);
            good = !integer && c > fraction;
        }
        if (good && (*c == 'e' || *c == 'E')) {
            const char *power = c + 1 + (c[1] == '+' || c[1] == '-');
            c = json_line_skip_digits(power);
            good = !integer && c > power;
        }
        line->token = (struct rows_cell){start, (size_t)(c - start)};
        line->at = c;
        return good;
    }
    /* true, false: as texts; null: no value. */
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(line->at, words[i], length) == 0) {
            line->token = (struct rows_cell){line->at, i < 2 ? length : 0};
            line->at += length;
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------------ rows -- */

struct lines {
    struct rows_sink *sink;
    const struct rows_table *table;
    size_t *lengths;         /* of the columns' names */
    bool *group;             /* the column is one, or holds units */
    struct rows_cell *cells; /* of the columns, and the path */
    char (*texts)[ROWS_NUMBER_TEXT];
};

static const char missing[] = "";

static bool json_lines_init(struct lines *lines, struct rows_sink *sink)
{
    const struct rows_table *table = sink->table;
    *lines = (struct lines){.sink = sink, .table = table};
    lines->lengths = calloc(table->column_count + 1, sizeof *lines->lengths);
    lines->group = calloc(table->column_count + ROWS_BEYOND, sizeof *lines->group);
    lines->cells = rows_make_cells(table);
    lines->texts = calloc(sink->columns->group_count + 1, sizeof *lines->texts);
    if (!lines->lengths || !lines->group || !lines->cells || !lines->texts)
        return rows_sink_no_memory(sink);
    for (size_t c = 0; c < table->column_count; c++)
        lines->lengths[c] = strlen(table->names[c]);
    for (size_t g = 0; g < sink->columns->group_count; g++)
        lines->group[table->group_at[g]] = true;
    for (size_t v = 0; v < (table->wide_count > 0 ? table->wide_count : sink->columns->value_count); v++)
        if (table->source[v].how == ROWS_UNIT_BY_COLUMN)
            lines->group[table->source[v].column] = true;
    return true;
}

/* The column of the key, most often the one after that of the previous key; column_count if there is none. */
static size_t json_lines_find_column(const struct lines *lines, struct rows_cell key, size_t guess)
{
    size_t count = lines->table->column_count;
    for (size_t i = 0; i < count; i++) {
        size_t c = guess + i < count ? guess + i : guess + i - count;
        if (lines->lengths[c] == key.length && memcmp(lines->table->names[c], key.text, key.length) == 0)
            return c;
    }
    return count;
}

/* Stores the line's values in their cells, if it is a flat object. */
static bool json_lines_scan_object(struct lines *lines, const char *text)
{
    struct line line = {.at = text};
    size_t guess = 0, count = lines->table->column_count;
    for (size_t c = 0; c < count; c++)
        lines->cells[c] = (struct rows_cell){missing, 0};
    if (!json_line_scan_char(&line, '{'))
        return false;
    do {
        if (!json_line_scan_char(&line, '"') || !json_line_scan_string(&line))
            return false;
        size_t column = json_lines_find_column(lines, line.token, guess);
        if (!json_line_scan_char(&line, ':') || !json_line_scan_value(&line, column < count && lines->group[column]))
            return false;
        if (column == count)
            continue;
        if (lines->cells[column].text != missing) /* the key again */
            return false;
        lines->cells[column] = line.token;
        guess = column + 1 < count ? column + 1 : 0;
    } while (json_line_scan_char(&line, ','));
    return json_line_scan_char(&line, '}') && json_line_scan_char(&line, '\n');
}

static bool json_lines_read_line(struct lines *lines, const char *text, size_t length, uint64_t position)
{
    json_error_t error;
    if (json_lines_scan_object(lines, text))
        return rows_take_cells(lines->sink, lines->cells, position);
    if (strspn(text, " \t\r") == length) /* up to the newline: a blank line */
        return true;
    json_t *item = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!item)
        return rows_sink_bad(lines->sink, position, NULL, "is not a JSON object: %s", error.text);
    bool more = rows_take_object(lines->sink, item, position, lines->texts);
    json_decref(item);
    return more;
}

uint64_t rows_part_json_lines(const struct rows_part *part, struct rows_sink *sink)
{
    struct lines lines;
    bool more = json_lines_init(&lines, sink);
    const char *end = part->text + part->length;
    uint64_t count = 0;
    for (const char *at = part->text, *newline; more && at < end; at = newline + 1) {
        newline = memchr(at, '\n', (size_t)(end - at));
        more = json_lines_read_line(&lines, at, (size_t)(newline - at), count++);
    }
    if (more)
        rows_sink_end(sink);
    free(lines.lengths);
    free(lines.group);
    free(lines.cells);
    free(lines.texts);
    return count;
}
