/*
 * Tables with one line per benchmark: hyperfine's --export-csv, pytest-benchmark's --benchmark-csv and nanobench's CSV.
 * They hold means or medians of runs, not the runs, so there is one value per benchmark and file.
 */
#include "table/import/bench_rows.h"

#include <stdlib.h>
#include <string.h>

/* The columns before `labels` are the name's; those that begin with `prefix` hold parameters. */
struct summary {
    char delimiter;
    const char *name, *value, *unit, *prefix;
    const char *remark;
};

static const struct summary hyperfine = {
    ',', "command",    "mean",
    "s", "parameter_", "holds one mean per benchmark, not its runs, which hyperfine --export-json writes"};
static const struct summary pytest = {
    ',',      "name",
    "mean",   "s",
    "param:", "holds one mean per benchmark, not its rounds, which --benchmark-json with --benchmark-save-data writes"};
static const struct summary nanobench = {
    ';', "name",  "elapsed",
    "s", "title", "holds one median per benchmark, not its epochs, which nanobench's JSON template writes"};

struct reading {
    const struct summary *summary;
    char **names; /* of the header's columns */
    size_t count;
};

static bool summary_is_label(const struct summary *summary, const char *name)
{
    return strncmp(name, summary->prefix, strlen(summary->prefix)) == 0;
}

/* "size" for parameter_size; "title" for title. */
static const char *summary_label(struct bench *bench, const struct summary *summary, const char *name)
{
    size_t length = strlen(summary->prefix);
    return name[length] ? bench_label(bench, name + length) : name;
}

/* What tells benchmarks apart, to count the occurrences of each. */
static size_t summary_count_run(struct bench *bench, const struct bench_cells *cells, const struct reading *reading)
{
    char key[1024] = "", text[256];
    size_t length = 0;
    for (size_t i = 0; i < reading->count && length < sizeof key; i++)
        if (strcmp(reading->names[i], reading->summary->name) == 0 ||
            summary_is_label(reading->summary, reading->names[i]))
            length += (size_t)snprintf(key + length, sizeof key - length, "%zu:%s",
                                       strlen(bench_cell(cells, i, text, sizeof text)), text);
    return bench_repeated(bench, key);
}

/* Whether its measured value is a number. Tools leave it blank if a benchmark failed. */
static bool summary_is_measured(struct bench *bench, const struct bench_cells *cells, const struct reading *reading)
{
    char text[64], *end;
    for (size_t i = 0; i < reading->count; i++) {
        if (strcmp(reading->names[i], reading->summary->value) != 0)
            continue;
        bench_cell(cells, i, text, sizeof text);
        strtod(text, &end);
        if (end > text && !*end)
            return true;
        if (*text)
            bench_fail(bench, "line %zu: '%.40s' is not a number", cells->line, text);
        else
            bench_leave_out(bench, "had no measured value");
    }
    return false;
}

static void summary_read_line(struct bench *bench, const struct bench_cells *cells, void *own)
{
    struct reading *reading = own;
    if (!reading->names) {
        char text[256];
        reading->names = calloc(cells->count, sizeof *reading->names);
        for (size_t i = 0; reading->names && i < cells->count; i++, reading->count++)
            if (!(reading->names[i] = strdup(bench_cell(cells, i, text, sizeof text))))
                break;
        if (reading->count < cells->count)
            bench_fail(bench, "out of memory");
        bench_label_columns(bench, NULL, NULL);
        for (size_t i = 0; i < reading->count; i++)
            if (summary_is_label(reading->summary, reading->names[i]))
                bench_column(bench, summary_label(bench, reading->summary, reading->names[i]));
        bench->label_end = bench->csv->column_count;
        bench_column(bench, "run");
    } else if (cells->count != reading->count)
        bench_fail(bench, "line %zu has %zu cells, but the header has %zu", cells->line, cells->count, reading->count);
    else if (summary_is_measured(bench, cells, reading)) {
        const struct summary *summary = reading->summary;
        char text[512];
        bench_row(bench);
        for (size_t i = 0; i < reading->count; i++) {
            const char *name = reading->names[i];
            bench_cell(cells, i, text, sizeof text);
            if (strcmp(name, summary->name) == 0)
                bench_text(bench, "name", text);
            else if (summary_is_label(summary, name))
                bench_text(bench, summary_label(bench, summary, name), text);
            else
                bench_text(bench, name, text);
        }
        bench_count(bench, "run", summary_count_run(bench, cells, reading));
    }
}

static void summary_read(struct bench *bench, const struct summary *summary, const char *text, size_t length)
{
    static const char *const own[] = {"name", "run", "mean", "elapsed", NULL};
    struct reading reading = {.summary = summary};
    bench->own = own;
    bench->meaning.value = summary->value;
    bench->meaning.unit = summary->unit;
    bench->meaning.remark = summary->remark;
    bench_cut(bench, text, length, summary->delimiter, summary_read_line, &reading);
    bench_group_labels(bench);
    for (size_t i = 0; i < reading.count; i++)
        free(reading.names[i]);
    free(reading.names);
}

void bench_read_hyperfine_csv(struct bench *bench, const char *text, size_t length)
{
    summary_read(bench, &hyperfine, text, length);
}

void bench_read_pytest_csv(struct bench *bench, const char *text, size_t length)
{
    summary_read(bench, &pytest, text, length);
}

void bench_read_nanobench_csv(struct bench *bench, const char *text, size_t length)
{
    summary_read(bench, &nanobench, text, length);
}

bool bench_is_pytest_csv(const char *text, size_t length)
{
    return bench_begins(text, length, "name,", ",mean,stddev,") && bench_begins(text, length, "", ",rounds");
}
