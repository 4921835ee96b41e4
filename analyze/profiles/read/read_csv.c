/*
 * A table of methods and their shares, as xctrace, VTune and spreadsheets export: CSV, TSV or semicolons, with a first
 * line that names a column of methods and one of numbers. Numbers are read as decimals and become integers by the power
 * of ten that all of them need, so nothing is rounded. Rows are kept until the power is known.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "analyze/delimited/split.h"
#include "analyze/profiles/read/reading.h"
#include "base/grow.h"

enum { COLUMNS_MAX = 64, DECIMALS_MAX = 18 };

static const char *const method_names[] = {"method",      "function", "symbol",
                                           "symbol name", "name",     "function / call stack"};
static const char *const share_names[] = {"share",  "self",    "self %", "self time", "self weight",
                                          "weight", "percent", "%",      "samples",   "cpu time",
                                          "time",   "count",   "value",  "ticks",     "hits"};

static char delimiter_of(const char *line)
{
    return strchr(line, '\t') ? '\t' : strchr(line, ',') ? ',' : ';';
}

/* Cuts a line into cells in place; how many, or 0 if its quotes are wrong. The byte behind it may be changed, and
 * ROWS_SLACK more can be read. */
static size_t split(char *line, size_t length, char delimiter, char *cells[COLUMNS_MAX])
{
    struct rows_cell found[COLUMNS_MAX];
    struct rows_split split;
    line[length] = '\n';
    rows_split_init(&split, delimiter, line, length + 1, found, COLUMNS_MAX);
    if (!rows_split_next(&split) || split.trouble)
        return 0;
    size_t count = split.count < COLUMNS_MAX ? split.count : COLUMNS_MAX;
    for (size_t i = 0; i < count; i++)
        cells[i] = rows_terminate(found[i]);
    return count;
}

static size_t column_of(char *const *cells, size_t count, const char *const *names, size_t name_count)
{
    for (size_t n = 0; n < name_count; n++)
        for (size_t i = 0; i < count; i++)
            if (strcasecmp(cells[i], names[n]) == 0)
                return i;
    return SIZE_MAX;
}

struct columns {
    char delimiter;
    size_t method, share, count;
    char unit[64];
};

static bool parse_head(char *line, size_t length, struct columns *columns)
{
    char *cells[COLUMNS_MAX];
    columns->delimiter = delimiter_of(line);
    columns->count = split(line, length, columns->delimiter, cells);
    columns->method = column_of(cells, columns->count, method_names, sizeof method_names / sizeof *method_names);
    columns->share = column_of(cells, columns->count, share_names, sizeof share_names / sizeof *share_names);
    if (columns->method == SIZE_MAX || columns->share == SIZE_MAX)
        return false;
    snprintf(columns->unit, sizeof columns->unit, "%s", cells[columns->share]);
    return true;
}

static bool looks(const unsigned char *head, size_t length)
{
    enum { LINE_MAX_BYTES = 1024 };
    char line[LINE_MAX_BYTES + ROWS_SLACK];
    struct columns columns;
    const unsigned char *end = memchr(head, '\n', length);
    size_t size = end ? (size_t)(end - head) : length;
    if (size >= LINE_MAX_BYTES || memchr(head, '\0', size))
        return false;
    memcpy(line, head, size);
    line[size] = '\0';
    return parse_head(line, size, &columns);
}

/* ------------------------------------------------------------------------------------------ rows -- */

struct row {
    uint32_t frame;
    unsigned decimals;
    uint64_t digits;
    bool timed; /* it has a unit of time: then it counts ns */
};

/* A unit of time at the start of a text makes the row one of ns: returns what follows it, or NULL if there is none or
 * the number is too large. */
static const char *take_unit(const char *text, struct row *row)
{
    static const struct {
        const char *name;
        uint64_t factor;
        unsigned power;
    } units[] = {{"min", 60, 9},      {"ms", 1, 6}, {"us", 1, 3}, {"\xc2\xb5s", 1, 3},
                 {"\xce\xbcs", 1, 3}, {"ns", 1, 0}, {"s", 1, 9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t length = strlen(units[i].name);
        if (strncmp(text, units[i].name, length) != 0 || (text[length] != '\0' && text[length] != ' '))
            continue;
        unsigned __int128 digits = (unsigned __int128)row->digits * units[i].factor;
        for (unsigned p = 0; p < units[i].power; p++)
            if (row->decimals > 0)
                row->decimals--;
            else
                digits *= 10;
        row->digits = (uint64_t)digits;
        row->timed = true;
        return digits <= UINT64_MAX ? text + length : NULL;
    }
    return NULL;
}

/* "12.50", " 12.5 %", and from Instruments "1.25 s  60.0%": digits and the number of decimals. */
static bool parse_decimal(const char *text, struct row *row)
{
    unsigned digits = 0, decimals = 0;
    bool point = false;
    uint64_t value = 0;
    text += strspn(text, " ");
    for (; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
        point |= *text == '.';
        if (*text == '.')
            continue;
        if (value > (UINT64_MAX - 9) / 10 || decimals == DECIMALS_MAX)
            return false;
        value = value * 10 + (uint64_t)(*text - '0');
        decimals += point;
        digits++;
    }
    text += strspn(text, " ");
    *row = (struct row){.digits = value, .decimals = decimals};
    if (*text != '%' && *text != '\0') {
        text = take_unit(text, row);
        if (!text)
            return false;
        text += strspn(text, " 0123456789.");
    }
    text += *text == '%';
    return digits > 0 && text[strspn(text, " ")] == '\0';
}

struct csv {
    struct reading *reading;
    struct columns columns;
    struct row *rows;
    size_t room, count;
    unsigned decimals; /* the maximum over all rows */
    bool timed;        /* they have units of time */
};

static bool take_row(struct csv *csv, char *line, size_t length, uint64_t number)
{
    char *cells[COLUMNS_MAX], shown[64];
    struct row row;
    snprintf(shown, sizeof shown, "%s", line);
    size_t count = split(line, length, csv->columns.delimiter, cells);
    if (count != csv->columns.count || !*cells[csv->columns.method] ||
        !parse_decimal(cells[csv->columns.share], &row) || (csv->count > 0 && row.timed != csv->timed)) {
        reading_bad(csv->reading, "line %" PRIu64 ": not a method and a number: '%s'", number, shown);
        return true;
    }
    struct row *rows = grow(csv->rows, &csv->room, csv->count, sizeof *rows);
    if (!rows)
        return false;
    csv->rows = rows;
    row.frame =
        sink_frame(csv->reading->sink, &(struct sink_frame){.method = cells[csv->columns.method], .position = -1});
    rows[csv->count++] = row;
    csv->timed = row.timed;
    csv->decimals = row.decimals > csv->decimals ? row.decimals : csv->decimals;
    return true;
}

static int put_rows(struct csv *csv, struct complaint *complaint)
{
    char unit[80];
    snprintf(unit, sizeof unit, csv->decimals ? "%s/1e%u" : "%s", csv->timed ? "ns" : csv->columns.unit, csv->decimals);
    struct sink_sample sample = {
        .profile = sink_profile(csv->reading->sink, &(struct sink_profile){csv->columns.unit, unit, 0,
                                                                           UNKNOWN_TIMES | UNKNOWN_THREADS |
                                                                               UNKNOWN_PERIOD | UNKNOWN_STACKS}),
        .thread = sink_thread(csv->reading->sink, 0, ""),
        .depth = 1};
    for (size_t i = 0; i < csv->count; i++) {
        const struct row *row = &csv->rows[i];
        unsigned __int128 weight = row->digits;
        for (unsigned d = row->decimals; d < csv->decimals; d++)
            weight *= 10;
        if (weight > UINT64_MAX)
            return complain(complaint, STATUS_BAD, "its numbers need more than 19 digits in total");
        sample.weight = (uint64_t)weight;
        sample.frames = &row->frame;
        sink_sample(csv->reading->sink, &sample);
    }
    return STATUS_GOOD;
}

static int read_csv(struct reading *reading, struct complaint *complaint)
{
    struct csv csv = {.reading = reading};
    uint64_t number = 0;
    size_t length;
    char *line = source_line(reading->source, &length, &number);
    bool good = true;
    if (!line || !parse_head(line, length, &csv.columns))
        return complain(complaint, STATUS_BAD, "line 1: no column of methods and numbers");
    while (good && !sink_failed(reading->sink) && (line = source_line(reading->source, &length, &number))) {
        if (memchr(line, '\0', length))
            reading_bad(reading, "line %" PRIu64 ": a NUL in a line", number);
        else if (line[strspn(line, " \t")] && line[0] != '#')
            good = take_row(&csv, line, length, number);
    }
    int status = good ? put_rows(&csv, complaint) : complain(complaint, STATUS_BAD, "out of memory");
    free(csv.rows);
    return status;
}

const struct profile_format format_csv = {"csv", looks, read_csv};
