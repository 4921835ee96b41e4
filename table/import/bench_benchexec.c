/*
 * The CSV of BenchExec's table-generator: tabs, and three header lines. "tool" has the tool above each
 * column, "run set" the run set, and the third the name of the column ("cputime (s)"); to the left are the columns that
 * name the task. Each task and run set is a row here.
 */
#include "table/import/bench_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const own[] = {"name", "tool", "run set", "run", NULL};

struct table {
    size_t lines;                     /* of the header read so far */
    size_t count, first;              /* columns; the first of a run set */
    char *head[3][BENCH_COLUMNS_MAX]; /* tool, run set, name */
};

/* Whether a run set begins with this column. */
static bool benchexec_starts_run_set(const struct table *table, size_t column)
{
    size_t before = column - 1;
    if (column == table->first)
        return true;
    if (strcmp(table->head[0][column], table->head[0][before]) != 0 ||
        strcmp(table->head[1][column], table->head[1][before]) != 0)
        return true;
    return strcmp(table->head[2][column], table->head[2][table->first]) == 0; /* the same run set, twice */
}

void bench_benchexec_value(struct bench *bench)
{
    static const char *const wanted[] = {"cputime (s)", "walltime (s)", " (s)", " ("};
    const char *name = NULL;
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted && !name; w++)
        for (size_t c = sizeof own / sizeof *own - 1; c < bench->csv->column_count && !name; c++)
            if (strstr(bench->csv->names[c], wanted[w]))
                name = bench->csv->names[c];
    bench->meaning.value = name;
    if (name && strstr(name, " (s)"))
        bench->meaning.unit = "s";
}

static void benchexec_read_header(struct bench *bench, const struct bench_cells *cells, struct table *table)
{
    char text[256];
    if (table->lines > 0 && cells->count != table->count) {
        bench_fail(bench, "line %zu has %zu cells, but the first has %zu", cells->line, cells->count, table->count);
        return;
    }
    table->count = cells->count;
    for (size_t i = 0; i < cells->count; i++)
        if (!(table->head[table->lines][i] = strdup(bench_cell(cells, i, text, sizeof text))))
            bench_fail(bench, "out of memory");
    if (bench->status || ++table->lines < 3)
        return;
    for (table->first = 1; table->first < table->count && !*table->head[0][table->first];)
        table->first++;
    for (size_t i = 0; own[i]; i++)
        bench_column(bench, own[i]);
    for (size_t i = table->first; i < table->count; i++)
        bench_column(bench, bench_metric(bench, table->head[2][i]));
    bench_benchexec_value(bench);
}

bool bench_benchexec_ended(struct bench *bench, const char *status)
{
    if (strcmp(status, "DONE") == 0 || !isupper((unsigned char)status[0]) || !isupper((unsigned char)status[1]))
        return true;
    bench_leave_out(bench, "ended with %s", status);
    return false;
}

static void benchexec_read_line(struct bench *bench, const struct bench_cells *cells, void *own_state)
{
    struct table *table = own_state;
    if (table->lines < 3) {
        benchexec_read_header(bench, cells, table);
        return;
    }
    if (cells->count > table->count) { /* a run set that has ended early leaves the last cells of its rows out */
        bench_fail(bench, "line %zu has %zu cells, but the header has %zu", cells->line, cells->count, table->count);
        return;
    }
    for (size_t from = table->first, to; from < table->count; from = to) {
        for (to = from + 1; to < table->count && !benchexec_starts_run_set(table, to);)
            to++;
        char name[700] = "", key[1250], text[256];
        size_t status = from, length = 0;
        while (status < to && strcmp(table->head[2][status], "status") != 0)
            status++;
        if (status < to && !bench_benchexec_ended(bench, bench_cell(cells, status, text, 64)))
            continue;

        /* The task's file, and what else names it. */
        for (size_t i = 0; i < table->first && length < sizeof name; i++)
            if (*bench_cell(cells, i, text, sizeof text))
                length += (size_t)snprintf(name + length, sizeof name - length, "%s%s", length ? " " : "", text);
        const char *tool = table->head[0][from], *set = table->head[1][from];
        snprintf(key, sizeof key, "%zu:%s%zu:%s%s", strlen(name), name, strlen(tool), tool, set);
        bench_row(bench);
        bench_text(bench, "name", name);
        bench_text(bench, "tool", tool);
        bench_text(bench, "run set", set);
        bench_count(bench, "run", bench_repeated(bench, key));
        for (size_t i = from; i < to; i++)
            bench_text(bench, bench_metric(bench, table->head[2][i]), bench_cell(cells, i, text, sizeof text));
    }
}

void bench_read_benchexec(struct bench *bench, const char *text, size_t length)
{
    struct table table = {0};
    bench->own = own;
    bench_cut(bench, text, length, '\t', benchexec_read_line, &table);
    if (!bench->status && !bench->meaning.value)
        bench_fail(bench, "no column has a unit, such as \"cputime (s)\"");
    bench->label_end = 1;
    bench_group_labels(bench);
    bench_group_varying(bench, "tool");
    bench_group_varying(bench, "run set");
    for (size_t line = 0; line < 3; line++)
        for (size_t i = 0; i < table.count; i++)
            free(table.head[line][i]);
}

bool bench_is_benchexec(const char *text, size_t length)
{
    const char *newline = memchr(text, '\n', length);
    return newline && length > 5 && strncmp(text, "tool\t", 5) == 0 && (size_t)(text + length - newline) > 9 &&
           strncmp(newline + 1, "run set\t", 8) == 0;
}
