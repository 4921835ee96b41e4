/*
 * ReBench's data file: lines of cells between tabs, "invocation, iteration, value, unit, criterion", then what tells
 * its runs apart, whose columns a header may name. Lines with # are metadata, anywhere: each series of runs that was
 * added to the file begins with some.
 */
#include "table/import/bench_rows.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { INVOCATION, ITERATION, VALUE, UNIT, CRITERION, LABELS, COLUMNS_MAX = 32 };

/* The columns that versions without a header write, as far as a line has cells; those after `var_value` came later. */
static const char *const names[] = {"invocation", "iteration", "value",  "unit",       "criterion",
                                    "benchmark",  "executor",  "suite",  "extra_args", "cores",
                                    "input_size", "var_value", "machine"};
static const char *const late_names[] = {"tag", "machine", "run_id"};
enum { NAMES = sizeof names / sizeof *names, TAGGED = 15 };

static const char *const own[] = {"name", "run_id", "invocation", "iteration", "value", "unit", "criterion", NULL};

struct file {
    char header[COLUMNS_MAX][40]; /* names of the columns, if the file has them */
    size_t count;
    json_t *runs, *benchmarks; /* by their numbers */
};

static const char *rebench_column_name(const struct file *file, const struct bench_cells *cells, size_t i)
{
    if (i < file->count)
        return file->header[i];
    if (cells->count >= TAGGED && i + 1 >= NAMES && i + 1 - NAMES < sizeof late_names / sizeof *late_names)
        return late_names[i + 1 - NAMES];
    return i < NAMES ? names[i] : "other";
}

/* Keeps "# run_id: 3={…}" and the like. */
static void rebench_read_metadata(struct bench *bench, struct file *file, const char *line, size_t length,
                                  size_t number)
{
    static const char run[] = "# run_id: ", benchmark[] = "# benchmark: ";
    bool is_run = length >= sizeof run && memcmp(line, run, sizeof run - 1) == 0;
    bool is_benchmark = length >= sizeof benchmark && memcmp(line, benchmark, sizeof benchmark - 1) == 0;
    size_t start = is_run ? sizeof run - 1 : sizeof benchmark - 1;
    const char *equals = is_run || is_benchmark ? memchr(line + start, '=', length - start) : NULL;
    char key[24];
    if (!equals)
        return;
    snprintf(key, sizeof key, "%.*s", (int)(equals - line - (ptrdiff_t)start), line + start);
    json_t *about = bench_parse(bench, equals + 1, length - (size_t)(equals + 1 - line), number);
    if (about)
        json_object_set_new(is_run ? file->runs : file->benchmarks, key, about);
}

/* The name of a run that is given by its number. */
static const char *rebench_run_name(const struct file *file, const char *number, char *name, size_t size)
{
    char key[24];
    json_t *id = json_object_get(json_object_get(file->runs, number), "benchmark_id");
    if (json_is_string(id))
        snprintf(key, sizeof key, "%.20s", json_string_value(id));
    else
        snprintf(key, sizeof key, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
    const char *known = json_string_value(json_object_get(json_object_get(file->benchmarks, key), "name"));
    if (known)
        snprintf(name, size, "%s", known);
    else
        snprintf(name, size, "run %.20s", number);
    return name;
}

/* What tells runs apart: columns behind the criterion. */
static void rebench_set_labels(struct bench *bench, struct file *file, const struct bench_cells *cells)
{
    char text[512], name[300];
    const char *first = rebench_column_name(file, cells, LABELS);
    bool numbered = strcmp(first, "run_id") == 0;
    bench_cell(cells, LABELS, text, sizeof text);
    bench_text(bench, "name", numbered ? rebench_run_name(file, text, name, sizeof name) : text);
    if (numbered) {
        /* The run's plain members, as columns. */
        json_t *about = json_object_get(file->runs, text);
        static const char *const others[] = {"benchmark_id", "cmdline", "location", "name"};
        const char *key;
        json_t *value;
        json_object_foreach(about, key, value)
        {
            bool other = json_is_object(value) || json_is_array(value);
            for (size_t i = 0; i < sizeof others / sizeof *others; i++)
                other |= strcmp(key, others[i]) == 0;
            if (!other)
                bench_json(bench, bench_label(bench, key), value);
        }
        bench_text(bench, "run_id", text);
    }
    for (size_t i = LABELS + 1; i < cells->count; i++)
        if (strcmp(rebench_column_name(file, cells, i), "run_id") != 0)
            bench_text(bench, bench_label(bench, rebench_column_name(file, cells, i)),
                       bench_cell(cells, i, text, sizeof text));
}

static void rebench_read_line(struct bench *bench, struct file *file, struct rows_cell line, size_t number)
{
    struct rows_cell cell[COLUMNS_MAX];
    struct bench_cells cells = {cell, 0, number};
    if (line.length > 0 && *line.text == '#') {
        rebench_read_metadata(bench, file, line.text, line.length, number);
        return;
    }
    if (rows_trim(line).length == 0)
        return;
    for (const char *at = line.text, *end = line.text + line.length; cells.count < COLUMNS_MAX; cells.count++) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        cell[cells.count] = (struct rows_cell){at, (size_t)((tab ? tab : end) - at)};
        if (!tab) {
            cells.count++;
            break;
        }
        at = tab + 1;
    }
    char text[512], value[64];
    if (strcmp(bench_cell(&cells, INVOCATION, text, sizeof text), "invocation") == 0) {
        /* "extraArgs" of newer versions is "extra_args" of older ones, so that their files can be compared. */
        char cell_text[40];
        file->count = cells.count < COLUMNS_MAX ? cells.count : COLUMNS_MAX;
        for (size_t i = 0; i < file->count; i++) {
            bench_cell(&cells, i, cell_text, sizeof cell_text);
            const char *name = strcmp(cell_text, "extraArgs") == 0   ? "extra_args"
                               : strcmp(cell_text, "inputSize") == 0 ? "input_size"
                               : strcmp(cell_text, "varValue") == 0  ? "var_value"
                               : strcmp(cell_text, "runId") == 0     ? "run_id"
                                                                     : cell_text;
            snprintf(file->header[i], sizeof file->header[i], "%s", name);
        }
        return;
    }
    if (cells.count <= LABELS || !bench_is_number(bench_cell(&cells, VALUE, value, sizeof value))) {
        bench_fail(bench, "line %zu: is no measurement", cells.line);
        return;
    }
    bench_row(bench);
    rebench_set_labels(bench, file, &cells);
    bench_text(bench, "invocation", bench_cell(&cells, INVOCATION, text, sizeof text));
    bench_text(bench, "iteration", bench_cell(&cells, ITERATION, text, sizeof text));
    bench_text(bench, "value", value);
    bench_text(bench, "unit", bench_cell(&cells, UNIT, text, sizeof text));
    bench_text(bench, "criterion", bench_cell(&cells, CRITERION, text, sizeof text));
}

void bench_read_rebench(struct bench *bench, const char *text, size_t length)
{
    struct file file = {.count = 0, .runs = json_object(), .benchmarks = json_object()};
    static const char *const labels[] = {"executor",  "suite", "extra_args", "cores",  "input_size",
                                         "var_value", "tag",   "machine",    "run_id", "criterion"};
    struct rows_cell line;
    const char *end = text + length;
    bench->own = own;
    bench->meaning.value = "value";
    bench->meaning.process = "invocation";
    bench->meaning.aspect = "criterion";
    bench_label_columns(bench, NULL, NULL);
    for (size_t number = 1; !bench->status && rows_line(&text, end, &line); number++)
        rebench_read_line(bench, &file, line, number);
    bench_group_labels(bench);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        bench_group_varying(bench, labels[i]);
    bench_group_unit(bench);
    json_decref(file.runs);
    json_decref(file.benchmarks);
}

/* By its header, or by a first line of measurement below a line that ReBench writes. */
bool bench_is_rebench(const char *text, size_t length)
{
    static const char header[] = "invocation\titeration\tvalue\tunit\tcriterion", start[] = "# Execution Start: ";
    if (bench_begins(text, length, header, NULL))
        return true;
    const char *found = memmem(text, length < 4096 ? length : 4096, start, sizeof start - 1);
    return found && *text == '#' && (found == text || found[-1] == '\n');
}
