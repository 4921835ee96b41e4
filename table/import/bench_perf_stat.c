/*
 * The output of perf stat -x: lines "VALUE,UNIT,EVENT,RUNTIME,PERCENT,METRIC,METRIC UNIT", as described in
 * perf-stat(1), "CSV FORMAT". They may begin with a time (-I), or a CPU, core, socket or node and a count; after the
 * event there may be a variance (-r). The delimiter is any of , ; and tab.
 */
#include "table/import/bench_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FRONT_MAX = 3 };

static bool perf_stat_is_unit(const char *text)
{
    while (isalpha((unsigned char)*text) || *text == '/' || *text == '%')
        text++;
    return !*text;
}

/* The position of the value in this line; SIZE_MAX if it is not one of perf's. *variance: one follows the event. */
static size_t perf_stat_find_value(const struct bench_cells *cells, bool *variance)
{
    char value[64], unit[32], event[256], next[64], after[64];
    for (size_t at = 0; at <= FRONT_MAX; at++) {
        bench_cell(cells, at, value, sizeof value);
        bench_cell(cells, at + 1, unit, sizeof unit);
        bench_cell(cells, at + 2, event, sizeof event);
        /* "0.52%" */
        const char *text = bench_cell(cells, at + 3, next, sizeof next);
        size_t length = strlen(text);
        *variance = length > 1 && text[length - 1] == '%' && strspn(text, "0123456789.") == length - 1;
        bench_cell(cells, at + 3 + *variance, next, sizeof next);
        bench_cell(cells, at + 4 + *variance, after, sizeof after);
        if ((bench_is_number(value) || strncmp(value, "<not ", 5) == 0) && perf_stat_is_unit(unit) &&
            isalpha((unsigned char)*event) && bench_is_number(next) && bench_is_number(after) &&
            strtod(after, NULL) <= 100)
            return at;
    }
    return SIZE_MAX;
}

static void perf_stat_read_line(struct bench *bench, const struct bench_cells *cells, void *own)
{
    char value[64], text[256];
    bool variance;
    size_t at = perf_stat_find_value(cells, &variance);
    (void)own;
    if (at == SIZE_MAX)
        return; /* only metrics, or output of the measured program */
    bench_cell(cells, at, value, sizeof value);
    if (!bench_is_number(value)) {
        bench_leave_out(bench, "of %s was %s", bench_cell(cells, at + 2, text, sizeof text), value);
        return;
    }
    bench_row(bench);
    bench_text(bench, "name", bench_cell(cells, at + 2, text, sizeof text));
    bench_count(bench, "run", bench_repeated(bench, text));
    /* The cells in front: "S0 1" is kept unchanged, under one name. */
    char front[64], all[256] = "";
    size_t length = 0;
    for (size_t i = 0; i < at; i++) {
        bench_cell(cells, i, front, sizeof front);
        if (i == 0 && bench_is_number(front) && strchr(front, '.'))
            bench_text(bench, "at", front);
        else
            length += (size_t)snprintf(all + length, sizeof all - length, "%s%s", length ? " " : "", front);
    }
    bench_text(bench, "cpu", all);
    bench_text(bench, "value", value);
    bench_text(bench, "unit", *bench_cell(cells, at + 1, text, sizeof text) ? text : "events");
    bench_text(bench, "counted_percent", bench_cell(cells, at + 4 + variance, text, sizeof text));
    if (variance)
        bench->meaning.remark = "holds means over the runs of perf stat -r, not the runs";
}

static char perf_stat_delimiter(const char *text, size_t length)
{
    static const char delimiters[] = {',', ';', '\t'};
    size_t size;
    const char *line = bench_first_line(text, length, &size);
    for (size_t i = 0; i < sizeof delimiters; i++)
        if (memchr(line, delimiters[i], size))
            return delimiters[i];
    return '\0';
}

void bench_read_perf_stat(struct bench *bench, const char *text, size_t length)
{
    bench->meaning.value = "value";
    bench_label_columns(bench, NULL, NULL);
    bench_column(bench, "run");
    bench_cut(bench, text, length, perf_stat_delimiter(text, length), perf_stat_read_line, NULL);
    bench_group_labels(bench);
    bench_group_varying(bench, "cpu");
    bench_group_unit(bench);
}

bool bench_is_perf_stat(const char *text, size_t length)
{
    enum { LINE = 512, CELLS = 16 };
    char copy[LINE + ROWS_SLACK], delimiter = perf_stat_delimiter(text, length);
    struct rows_cell cells[CELLS];
    struct rows_split split;
    size_t size;
    bool variance;
    const char *line = bench_first_line(text, length, &size);
    if (!delimiter || size == 0 || size + 1 >= LINE)
        return false;
    memcpy(copy, line, size);
    copy[size] = '\n';
    rows_split_init(&split, delimiter, copy, size + 1, cells, CELLS);
    if (!rows_split_next(&split) || split.trouble)
        return false;
    const struct bench_cells row = {cells, split.count < CELLS ? split.count : CELLS, 1};
    return perf_stat_find_value(&row, &variance) != SIZE_MAX;
}
