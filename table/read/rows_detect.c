/* What a file is, by its beginning. */
#include <stdlib.h>
#include <string.h>

#include "table/read/rows_parts.h"

/* ------------------------------------------------------------------------------------------ text with delimiters -- */

/* The end of the header line, which quotes may carry over a newline; NULL if it is not there. */
static const char *detect_header_end(const char *line, const char *end)
{
    bool quoted = false;
    for (const char *c = line; c < end; c++) {
        quoted ^= *c == '"';
        if (!quoted && *c == '\n')
            return c;
    }
    return memchr(line, '\n', (size_t)(end - line));
}

/* The first of these that occurs outside quotes in the line. For a line without any of them: blanks. They also work for
 * a single column. */
static char detect_delimiter(const char *line, const char *end)
{
    static const char candidates[] = {'\t', ',', ';'};
    for (size_t i = 0; i < sizeof candidates; i++) {
        bool quoted = false;
        for (const char *c = line; c < end; c++) {
            quoted ^= *c == '"';
            if (!quoted && *c == candidates[i])
                return candidates[i];
        }
    }
    return ' ';
}

/* Whether it is only "1.2 ms": then there is one column, and the blank is not a separator. */
static bool detect_is_quantity_line(const char *line, const char *end)
{
    struct decimal value;
    const struct quantity_unit *unit;
    const char *newline = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
    size_t length = line < end ? (size_t)((newline ? newline : end) - line) : 0;
    length -= length > 0 && line[length - 1] == '\r';
    return quantity_parse((struct rows_cell){line, length}, &value, &unit);
}

static const char *detect_format_name(char delimiter)
{
    switch (delimiter) {
    case ',':
        return "CSV";
    case ';':
        return "CSV with semicolons";
    case '\t':
        return "TSV";
    default:
        return "columns between blanks";
    }
}

/* The position after the comment lines and blank lines from `at` on; *last: that of the last comment line, or `at`. */
static size_t detect_skip_comments(const char *text, size_t length, size_t at, uint64_t *lines, size_t *last)
{
    for (*last = at;;) {
        size_t first = at;
        while (first < length && strchr(" \t\r", text[first]))
            first++;
        if (first == length || (text[first] != '\n' && text[first] != '#'))
            return first == length ? length : at;
        const char *newline = memchr(text + first, '\n', length - first);
        if (!newline)
            return length;
        if (text[first] == '#')
            *last = at;
        at = (size_t)(newline - text) + 1;
        ++*lines;
    }
}

/* How many cells a line has, without regard to quotes, and how many of them are numbers. */
static size_t detect_count_cells(const char *line, const char *end, char delimiter, size_t *numbers)
{
    size_t count = 0;
    *numbers = 0;
    while (line < end) {
        const char *stop = line;
        while (delimiter == ' ' && stop < end && strchr(" \t", *stop))
            stop++;
        const char *cell = stop;
        while (stop < end && !(delimiter == ' ' ? strchr(" \t\r", *stop) != NULL : *stop == delimiter))
            stop++;
        if (delimiter != ' ' || stop > cell) {
            count++;
            *numbers += quantity_vote((struct rows_cell){cell, (size_t)(stop - cell)}) > 0;
        }
        line = stop + 1;
    }
    return count;
}

/* Whether the comment line in front of the first row is its header, "# x y": as many names as the row has cells. */
static bool detect_is_header_comment(const char *comment, const char *row, const char *row_end, char delimiter)
{
    const char *names = comment + strspn(comment, " \t");
    size_t numbers, names_numbers, cells = detect_count_cells(row, row_end, delimiter, &numbers);
    if (*names != '#' || memchr(names, '\n', (size_t)(row - names)) != row - 1)
        return false;
    return detect_count_cells(names + 1, row - 1, delimiter, &names_numbers) == cells && cells > 1 && numbers > 0 &&
           names_numbers == 0;
}

static int detect_csv(const struct rows_head *head, struct rows_table *table, size_t *used, struct error_text *message)
{
    const char *const text = head->text;
    const size_t length = head->length;
    const bool ended = head->ended;
    uint64_t lines = 0;
    size_t comment, at = detect_skip_comments(text, length, *used, &lines, &comment);
    if (at == length)
        return ended ? error_set(message, STATUS_BAD, "holds nothing but comments") : ROWS_MORE;
    const char *newline = detect_header_end(text + at, text + length);
    char delimiter = detect_delimiter(text + at, newline ? newline : text + length);
    if (delimiter == ' ' && (detect_is_quantity_line(text + at, text + length) ||
                             (newline && detect_is_quantity_line(newline + 1, text + length))))
        delimiter = ',';
    if (table->header == ROWS_HEADER_GUESSED && comment < at &&
        detect_is_header_comment(text + comment, text + at, newline ? newline : text + length, delimiter)) {
        at = (size_t)((const char *)memchr(text + comment, '#', at - comment) - text) + 1;
        lines--;
    }
    size_t whole = rows_split_whole(text + at, length - at, delimiter);
    if (whole == 0 && !ended && length < ROWS_LONGEST)
        return ROWS_MORE;
    if (whole == 0 && !ended)
        return error_set(message, STATUS_BAD, "begins with a line of more than %d MB: it is not a table",
                         ROWS_LONGEST >> 20);
    *used = at;
    table->kind = ROWS_DELIMITED;
    table->delimiter = delimiter;
    table->format = detect_format_name(delimiter);
    table->lines = lines;
    whole = ended ? length - at : whole;
    int status = rows_read_columns(text + at, whole, table, used, message);
    if (status != ROWS_MORE)
        return status;
    for (size_t i = 0; i < table->column_count; i++) /* the supposed header is data */
        free(table->names[i]);
    table->column_count = 0;
    *used = at;
    table->lines = lines;
    table->header = ROWS_HEADER_ABSENT;
    return rows_read_columns(text + at, whole, table, used, message);
}

/* ------------------------------------------------------------------------------------------ any file -- */

int rows_detect(const struct rows_head *head, struct rows_table *table, size_t *used, struct error_text *message)
{
    const char *const text = head->text;
    const size_t length = head->length;
    /* What is not text at all. */
    static const char utf16[] = "is UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8";
    const char *nul = memchr(text, '\0', length < ROWS_HEAD_BYTES ? length : ROWS_HEAD_BYTES);
    if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return error_set(message, STATUS_BAD, "%s", utf16);
    if (length >= 4 && (nul == text || nul == text + 1) && (text[0] != '\0') != (text[1] != '\0') &&
        (text[2] != '\0') != (text[3] != '\0'))
        return error_set(message, STATUS_BAD, "%s", utf16);
    if (nul)
        return error_set(message, STATUS_BAD, "is binary data, not a table: byte %zu is NUL", (size_t)(nul - text) + 1);
    for (size_t i = 0; i < length && text[i] != '\n'; i++)
        if ((unsigned char)text[i] < ' ' && !strchr("\t\r\v\f\033", text[i]))
            return error_set(message, STATUS_BAD, "is binary data, not a table: byte %zu is a control character",
                             i + 1);
    *used = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    size_t first = *used;
    while (first < length && strchr(" \t\r\n", text[first]))
        first++;
    if (first == length)
        return head->ended ? error_set(message, STATUS_BAD, length ? "holds nothing but blanks" : "is empty")
                           : ROWS_MORE;
    const char *newline = memrchr(text, '\n', length);
    size_t lines = head->ended ? length : newline ? (size_t)(newline - text) + 1 : *used;
    bool tool = lines > *used && bench_format_of(text + *used, lines - *used);
    const struct rows_head rest = {text + *used, length - *used, head->ended};
    if (tool || text[first] == '{' || text[first] == '[') {
        /* A tool's format is detected from its first lines, but read as a whole. */
        if (!tool && rows_detect_json_lines(rest.text, rest.length, table))
            return STATUS_GOOD;
        if (!rest.ended)
            return ROWS_MORE;
        *used = rest.length;
        return rows_detect_document(rest.text, rest.length, table, message);
    }
    return detect_csv(head, table, used, message);
}
