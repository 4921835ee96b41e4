/*
 * A table of methods and their shares, as Instruments, VTune and spreadsheets export: CSV, TSV or semicolons, with a
 * first line that names a column of methods and one of numbers. Numbers are read as decimals and become integers by the
 * power of ten that all of them need, so nothing is rounded. Rows are kept until the power is known.
 *
 * Where methods are indented, as in what Instruments calls a deep copy, the table is a tree: a row's callers are the
 * rows above it that are indented less. A column of a row's own weight is used as it is; any other includes the rows
 * below, whose weights are subtracted.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "table/csv/split.h"
#include "trace/import/reading.h"
#include "trace/import/stack.h"
#include "base/grow.h"

enum { COLUMNS_MAX = 64, DECIMALS_MAX = 18 };

static const char *const method_names[] = {"method",       "function", "symbol",
                                           "symbol name",  "name",     "function / call stack",
                                           "symbol names", "symbols",  "function stack"};
/* Names of own weights come first. */
static const char *const share_names[] = {"share",         "self",       "self %",       "self time",     "self weight",
                                          "cpu time:self", "bytes used", "weight",       "percent",       "%",
                                          "samples",       "cpu time",   "time",         "count",         "value",
                                          "ticks",         "hits",       "running time", "cpu time:total"};

/* Cuts a line into cells in place; how many, or 0 if its quotes are wrong. The byte behind it may be changed, and
 * ROWS_SLACK more can be read. */
static size_t csv_profile_split_line(char *line, size_t length, char delimiter, char *cells[COLUMNS_MAX])
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

/* A column's name counts without what is in parentheses at its end: "Self (ms)" and "Symbol Name(s)". */
static size_t csv_profile_find_column(char *const *cells, size_t count, const char *const *names, size_t name_count)
{
    for (size_t n = 0; n < name_count; n++)
        for (size_t i = 0; i < count; i++) {
            const char *title = cells[i], *open = strrchr(title, '(');
            size_t length = strlen(title);
            if (strcasecmp(title, names[n]) == 0)
                return i;
            if (open && open > title && title[length - 1] == ')')
                length = (size_t)(open - title);
            while (length > 0 && title[length - 1] == ' ')
                length--;
            if (length == strlen(names[n]) && strncasecmp(title, names[n], length) == 0)
                return i;
        }
    return SIZE_MAX;
}

struct columns {
    char delimiter;
    size_t method, share, count;
    char title[64]; /* of the shares */
    bool own;       /* they do not include the rows below */
};

static bool csv_profile_parse_head(char *line, size_t length, struct columns *columns)
{
    char *cells[COLUMNS_MAX];
    columns->delimiter = strchr(line, '\t') ? '\t' : strchr(line, ',') ? ',' : ';';
    columns->count = csv_profile_split_line(line, length, columns->delimiter, cells);
    columns->method =
        csv_profile_find_column(cells, columns->count, method_names, sizeof method_names / sizeof *method_names);
    columns->share =
        csv_profile_find_column(cells, columns->count, share_names, sizeof share_names / sizeof *share_names);
    if (columns->method == SIZE_MAX || columns->share == SIZE_MAX)
        return false;
    snprintf(columns->title, sizeof columns->title, "%s", cells[columns->share]);
    columns->own = strncasecmp(columns->title, "self", 4) == 0 || strcasestr(columns->title, ":self");
    return true;
}

static bool csv_profile_recognize(const unsigned char *head, size_t length)
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
    return csv_profile_parse_head(line, size, &columns);
}

/* ------------------------------------------------------------------------------------------ rows -- */

struct row {
    uint32_t frame;
    unsigned decimals;
    size_t indent;
    uint64_t digits;  /* in the end the weight, in the unit of all rows */
    uint64_t below;   /* weights of the rows directly below it */
    const char *unit; /* "ns", "cycles", "bytes", or NULL */
};

/* A unit at the start of a text makes the row one of ns, cycles or bytes: returns what follows it, or NULL if there is
 * none or the number is too large. Units of bytes mean what they mean in speedscope. */
static const char *csv_profile_parse_unit(const char *text, struct row *row)
{
    static const struct {
        const char *name, *unit;
        uint64_t factor;
        unsigned power;
    } units[] = {{"h", "ns", 3600, 9},         {"min", "ns", 60, 9},        {"ms", "ns", 1, 6},
                 {"us", "ns", 1, 3},           {"\xc2\xb5s", "ns", 1, 3},   {"\xce\xbcs", "ns", 1, 3},
                 {"ns", "ns", 1, 0},           {"s", "ns", 1, 9},           {"cycles", "cycles", 1, 0},
                 {"Kc", "cycles", 1, 3},       {"Mc", "cycles", 1, 6},      {"Gc", "cycles", 1, 9},
                 {"bytes", "bytes", 1, 0},     {"Bytes", "bytes", 1, 0},    {"KB", "bytes", 1 << 10, 0},
                 {"KiB", "bytes", 1 << 10, 0}, {"MB", "bytes", 1 << 20, 0}, {"MiB", "bytes", 1 << 20, 0},
                 {"GB", "bytes", 1 << 30, 0},  {"GiB", "bytes", 1 << 30, 0}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t length = strlen(units[i].name);
        if (strncmp(text, units[i].name, length) != 0 || (text[length] != '\0' && !strchr(" )", text[length])))
            continue;
        unsigned __int128 digits = (unsigned __int128)row->digits * units[i].factor;
        for (unsigned p = 0; p < units[i].power; p++)
            if (row->decimals > 0)
                row->decimals--;
            else
                digits *= 10;
        row->digits = (uint64_t)digits;
        row->unit = units[i].unit;
        return digits <= UINT64_MAX ? text + length : NULL;
    }
    return NULL;
}

struct csv {
    struct reading *reading;
    struct columns columns;
    struct row *rows;
    size_t capacity, count;
    unsigned decimals; /* the maximum over all rows */
    const char *unit;  /* that of the rows, or NULL */
    bool plain;        /* they have none */
};

/* The number of a row, in the unit that the column's name gives if it has none of its own; 0 needs no unit. */
static bool csv_profile_parse_number(struct csv *csv, const char *cell, struct row *row)
{
    const char *open = strrchr(csv->columns.title, '(');
    if (csv->columns.own && strcmp(cell, "-") == 0) { /* nothing of its own */
        *row = (struct row){0};
        return true;
    }
    /* "12.50", " 12.5 %", and from Instruments "1.25 s  60.0%" or "56.0ms  2.1%": digits and the number of decimals. */
    unsigned digits = 0, decimals = 0;
    bool point = false;
    uint64_t value = 0;
    cell += strspn(cell, " ");
    for (; isdigit((unsigned char)*cell) || (*cell == '.' && !point); cell++) {
        point |= *cell == '.';
        if (*cell == '.')
            continue;
        if (value > (UINT64_MAX - 9) / 10 || decimals == DECIMALS_MAX)
            return false;
        value = value * 10 + (uint64_t)(*cell - '0');
        decimals += point;
        digits++;
    }
    cell += strspn(cell, " ");
    *row = (struct row){.digits = value, .decimals = decimals};
    if (*cell != '%' && *cell != '\0') {
        cell = csv_profile_parse_unit(cell, row);
        if (!cell)
            return false;
        cell += strspn(cell, " 0123456789.");
    }
    cell += *cell == '%';
    if (digits == 0 || cell[strspn(cell, " ")] != '\0')
        return false;
    if (open && !row->unit)
        csv_profile_parse_unit(open + 1, row);
    if (row->digits == 0)
        return true;
    bool first = !csv->unit && !csv->plain;
    if (!first && (row->unit ? csv->plain || strcmp(row->unit, csv->unit) != 0 : !csv->plain))
        return false;
    csv->unit = row->unit;
    csv->plain = !row->unit;
    return true;
}

/* The path to row i: the rows above it that are indented less, each by less than the one below it. False without
 * memory. */
static bool csv_profile_descend(const struct csv *csv, struct stack *path, size_t i)
{
    while (path->depth > 0 && csv->rows[path->frames[path->depth - 1]].indent >= csv->rows[i].indent)
        path->depth--;
    return stack_push(path, (uint32_t)i);
}

/* Subtracts from each row the rows below it. */
static bool csv_profile_subtract_below(struct csv *csv, struct stack *path)
{
    uint64_t heavier = 0;
    path->depth = 0;
    for (size_t i = 0; i < csv->count; i++) {
        if (!csv_profile_descend(csv, path, i))
            return false;
        if (path->depth > 1)
            csv->rows[path->frames[path->depth - 2]].below += csv->rows[i].digits;
    }
    for (size_t i = 0; i < csv->count; i++) {
        struct row *row = &csv->rows[i];
        heavier += row->below > row->digits;
        row->digits -= row->below > row->digits ? row->digits : row->below;
    }
    if (heavier > 0)
        error_append(&csv->reading->note,
                     "%" PRIu64 " rows have less than the rows below them together, and count as 0", heavier);
    return true;
}

static bool csv_profile_pass_rows(struct csv *csv, bool tree, struct stack *path, struct stack *stack)
{
    char unit[80];
    snprintf(unit, sizeof unit, csv->decimals ? "%s/1e%u" : "%s", csv->unit ? csv->unit : csv->columns.title,
             csv->decimals);
    const struct sink_profile wanted = {.name = csv->columns.title,
                                        .unit = unit,
                                        .weight = csv->columns.title,
                                        .unknown = UNKNOWN_TIMES | UNKNOWN_THREADS | UNKNOWN_PERIOD |
                                                   (tree ? 0 : UNKNOWN_STACKS)};
    struct sink_sample sample = {.profile = sink_open_profile(csv->reading->sink, &wanted),
                                 .thread = sink_add_thread(csv->reading->sink, 0, "")};
    path->depth = 0;
    for (size_t i = 0; i < csv->count; i++) {
        path->depth = tree ? path->depth : 0;
        if (!csv_profile_descend(csv, path, i))
            return false;
        stack->depth = 0;
        for (size_t d = path->depth; d-- > 0;)
            if (!stack_push(stack, csv->rows[path->frames[d]].frame))
                return false;
        sample.weight = csv->rows[i].digits;
        sample.frames = stack->frames;
        sample.depth = stack->depth;
        sink_add_sample(csv->reading->sink, &sample);
    }
    return true;
}

static int csv_profile_finish_rows(struct csv *csv, struct error_text *message)
{
    struct stack path = {0}, stack = {0};
    /* All rows get the power of ten of the one that has most decimals. */
    bool fits = csv->count <= UINT32_MAX;
    for (size_t i = 0; fits && i < csv->count; i++) {
        unsigned __int128 weight = csv->rows[i].digits;
        for (unsigned d = csv->rows[i].decimals; d < csv->decimals; d++)
            weight *= 10;
        fits = weight <= UINT64_MAX;
        csv->rows[i].digits = (uint64_t)weight;
    }
    if (!fits)
        return error_set(message, STATUS_BAD, "its numbers need more than 19 digits in total");

    /* Rows may be below other rows: the first one is outermost then. */
    bool deeper = false, outside = false;
    for (size_t i = 0; i < csv->count; i++) {
        outside |= csv->rows[i].indent < csv->rows[0].indent;
        deeper |= csv->rows[i].indent > csv->rows[0].indent;
    }
    const bool tree = deeper && !outside;
    bool good = (!tree || csv->columns.own || csv_profile_subtract_below(csv, &path)) &&
                csv_profile_pass_rows(csv, tree, &path, &stack);
    stack_free(&path);
    stack_free(&stack);
    return good ? STATUS_GOOD : error_set(message, STATUS_BAD, "out of memory");
}

static int read_csv(struct reading *reading, struct error_text *message)
{
    struct csv csv = {.reading = reading};
    uint64_t number = 0;
    size_t length;
    char *line = source_read_line(reading->source, &length, &number);
    bool good = true;
    if (!line || !csv_profile_parse_head(line, length, &csv.columns))
        return error_set(message, STATUS_BAD, "line 1: no column of methods and numbers");
    while (good && !sink_has_failed(reading->sink) && (line = source_read_line(reading->source, &length, &number))) {
        if (memchr(line, '\0', length)) {
            reading_report_bad(reading, "line %" PRIu64 ": a NUL in a line", number);
            continue;
        }
        if (!line[strspn(line, " \t")] || line[0] == '#')
            continue;
        char *cells[COLUMNS_MAX], shown[64];
        struct row row;
        snprintf(shown, sizeof shown, "%s", line);
        size_t count = csv_profile_split_line(line, length, csv.columns.delimiter, cells);
        char *method = count == csv.columns.count ? cells[csv.columns.method] : "";
        size_t indent = strspn(method, " ");
        if (!method[indent] || !csv_profile_parse_number(&csv, cells[csv.columns.share], &row)) {
            reading_report_bad(reading, "line %" PRIu64 ": not a method and a number: '%s'", number, shown);
            continue;
        }
        struct row *rows = grow(csv.rows, &csv.capacity, csv.count, sizeof *rows);
        good = rows;
        if (!good)
            break;
        for (size_t end = strlen(method); end > 0 && method[end - 1] == ' ';)
            method[--end] = '\0';
        csv.rows = rows;
        row.frame = sink_add_frame(reading->sink, &(struct sink_frame){.method = method + indent, .position = -1});
        row.indent = indent;
        rows[csv.count++] = row;
        csv.decimals = row.decimals > csv.decimals ? row.decimals : csv.decimals;
    }
    int status = good ? csv_profile_finish_rows(&csv, message) : error_set(message, STATUS_BAD, "out of memory");
    free(csv.rows);
    return status;
}

const struct profile_format format_csv = {"csv", csv_profile_recognize, read_csv};
