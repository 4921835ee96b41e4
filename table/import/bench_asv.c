/*
 * A result file of airspeed velocity (asv): {"result_columns": ["result", "params", …], "results": {NAME: [results,
 * params, …]}}. A benchmark's results are a list over all combinations of its parameters' values, the last parameter
 * varying fastest; "samples" has the measured values behind each, if asv ran with --record-samples. Version 1 has
 * {"result", "params"} or a plain value for each name.
 */
#include "table/import/bench_rows.h"

#include <string.h>

enum { PARAMETERS_MAX = 16 };

static const char *const own[] = {"name", "run", "value", "unit", NULL};

struct benchmark {
    const char *name;
    const json_t *results, *params, *samples;
};

static const json_t *asv_column_value(const json_t *columns, const json_t *entry, const char *name)
{
    size_t i;
    const json_t *column;
    json_array_foreach(columns, i, column) if (json_is_string(column) && strcmp(json_string_value(column), name) ==
                                                                             0) return json_array_get(entry, i);
    return NULL;
}

static void asv_add_value(struct bench *bench, const struct benchmark *benchmark, size_t combination, size_t run,
                          const json_t *value)
{
    /* asv names the kind of a benchmark in front of its function's name. */
    const char *dot = strrchr(benchmark->name, '.'), *function = dot ? dot + 1 : benchmark->name, *unit = "";
    if (strncmp(function, "time_", 5) == 0 || strncmp(function, "timeraw_", 8) == 0)
        unit = "s";
    if (strncmp(function, "mem_", 4) == 0 || strncmp(function, "peakmem_", 8) == 0)
        unit = "B";
    bench_row(bench);
    bench_text(bench, "name", benchmark->name);
    for (size_t p = json_array_size(benchmark->params); p-- > 0;) {
        const json_t *values = json_array_get(benchmark->params, p);
        size_t count = json_array_size(values);
        char label[32];
        snprintf(label, sizeof label, "parameter%zu", p + 1);
        if (count > 0)
            bench_json(bench, label, json_array_get(values, combination % count));
        combination = count > 0 ? combination / count : combination;
    }
    bench_count(bench, "run", run);
    bench_json(bench, "value", value);
    bench_text(bench, "unit", unit);
}

static void asv_read_benchmark(struct bench *bench, const json_t *columns, const char *name, const json_t *entry)
{
    struct benchmark benchmark = {.name = name, .results = entry};
    bench_subject(bench, name);
    if (json_is_array(entry)) {
        benchmark.results = asv_column_value(columns, entry, "result");
        benchmark.params = asv_column_value(columns, entry, "params");
        benchmark.samples = asv_column_value(columns, entry, "samples");
    } else if (json_is_object(entry)) {
        benchmark.results = json_object_get(entry, "result");
        benchmark.params = json_object_get(entry, "params");
        benchmark.samples = json_object_get(entry, "samples");
    }
    size_t count = json_is_array(benchmark.results) ? json_array_size(benchmark.results) : 1;
    if (json_array_size(benchmark.params) > PARAMETERS_MAX)
        bench_fail(bench, "more than %d parameters", PARAMETERS_MAX);
    for (size_t i = 0; !bench->status && i < count; i++) {
        const json_t *samples = json_array_get(benchmark.samples, i);
        const json_t *result =
            json_is_array(benchmark.results) ? json_array_get(benchmark.results, i) : benchmark.results;
        for (size_t run = 0; run < json_array_size(samples); run++)
            if (bench_measured(bench, "samples", run, json_array_get(samples, run)))
                asv_add_value(bench, &benchmark, i, run + 1, json_array_get(samples, run));
        if (json_array_size(samples) == 0) {
            bench->meaning.remark =
                "has one result per benchmark, not its samples, which asv run --record-samples keeps";
            if (bench_measured(bench, "result", i, result))
                asv_add_value(bench, &benchmark, i, 1, result);
        }
    }
}

void bench_read_asv(struct bench *bench, const json_t *root)
{
    const json_t *columns = json_object_get(root, "result_columns"), *entry;
    const char *name;
    size_t most = 0;
    bench->own = own;
    bench->meaning.value = "value";
    bench_label_columns(bench, NULL, NULL);
    json_object_foreach(json_object_get(root, "results"), name, entry)
    {
        const json_t *params =
            json_is_array(entry) ? asv_column_value(columns, entry, "params") : json_object_get(entry, "params");
        most = json_array_size(params) > most ? json_array_size(params) : most;
    }
    for (size_t p = 0; p < most && p < PARAMETERS_MAX; p++) {
        char label[32];
        snprintf(label, sizeof label, "parameter%zu", p + 1);
        bench_column(bench, label);
    }
    bench->label_end = bench->csv->column_count;
    json_object_foreach(json_object_get(root, "results"), name, entry) asv_read_benchmark(bench, columns, name, entry);
    bench_set_location(bench, "%s", "");
    bench_group_labels(bench);
    bench_group_unit(bench);
}
