/*
 * The output of pyperf (once "perf"), formats 5, 6 and 1.0: {"version", "metadata", "benchmarks": [{"metadata", "runs":
 * [{"metadata", "warmups", "values"}]}]}. A run is a process; inner metadata overrides outer. In format
 * 5 values are called "samples", and a benchmark's metadata "common_metadata". Values are times of one loop iteration.
 */
#include "table/import/bench_rows.h"

#include <string.h>

static const char *const own[] = {"name", "process", "loops", "run", "time", "value", "unit", NULL};

/* A run, and what contains it. */
struct level {
    const json_t *run, *benchmark, *suite;
};

static const json_t *pyperf_object_metadata(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(json_object_get(object, "metadata"), key);
    return value ? value : json_object_get(json_object_get(object, "common_metadata"), key);
}

static const json_t *pyperf_metadata(const struct level *level, const char *key)
{
    const json_t *value = pyperf_object_metadata(level->run, key);
    if (!value)
        value = pyperf_object_metadata(level->benchmark, key);
    return value ? value : pyperf_object_metadata(level->suite, key);
}

static const char *pyperf_unit(const struct level *level)
{
    const char *unit = json_string_value(pyperf_metadata(level, "unit"));
    return !unit || strcmp(unit, "second") == 0 ? "s" : unit;
}

/* Adds the i-th value of a process, of the list `key`. */
static void pyperf_add_value(struct bench *bench, const struct level *level, size_t process, size_t *count,
                             const char *key, size_t i, const json_t *value)
{
    ++*count;
    if (!bench_measured(bench, key, i, value))
        return;
    bench_row(bench);
    bench_text(bench, "name", json_string_value(pyperf_metadata(level, "name")));
    bench_count(bench, "process", process);
    bench_json(bench, "loops", pyperf_metadata(level, "loops"));
    bench_count(bench, "run", *count);
    bench_json(bench, bench->meaning.value, value);
    bench_text(bench, "unit", pyperf_unit(level));
}

/* Runs without values calibrated the number of loops: they only have warm-ups. Where warm-ups are wanted, other runs
 * begin with theirs, pairs of a number of loops and a value. */
static void pyperf_read_run(struct bench *bench, const struct level *level, size_t process, size_t *count)
{
    const json_t *values = json_object_get(level->run, "values"), *warmups = json_object_get(level->run, "warmups");
    if (!values)
        values = json_object_get(level->run, "samples");
    if (!json_is_object(level->run) || (values && !json_is_array(values)))
        bench_fail(bench, "the values of run %zu are not a list", process);
    bool wanted = bench->warmups && json_array_size(values) > 0;
    for (size_t i = 0; wanted && !bench->status && i < json_array_size(warmups); i++)
        pyperf_add_value(bench, level, process, count, "warmups", i, json_array_get(json_array_get(warmups, i), 1));
    for (size_t i = 0; !bench->status && i < json_array_size(values); i++)
        pyperf_add_value(bench, level, process, count, "values", i, json_array_get(values, i));
}

void bench_read_pyperf(struct bench *bench, const json_t *root)
{
    const json_t *benchmarks = json_object_get(root, "benchmarks");
    const json_t *version = json_object_get(root, "version");
    const char *text = json_string_value(version);
    json_int_t number = json_integer_value(version);
    if (number != 5 && number != 6 && !(text && strcmp(text, "1.0") == 0)) {
        bench_fail(bench, "its 'version' is not one of pyperf's formats 5, 6 and 1.0");
        return;
    }
    bench->own = own;
    bench->meaning.value = "time";
    bench->meaning.process = "process";
    for (size_t i = 0; i < json_array_size(benchmarks); i++) {
        const json_t *benchmark = json_array_get(benchmarks, i);
        struct level level = {json_array_get(json_object_get(benchmark, "runs"), 0), benchmark, root};
        if (strcmp(pyperf_unit(&level), "s") != 0)
            bench->meaning.value = "value";
    }
    bench_label_columns(bench, NULL, NULL);
    bench_column(bench, "process");
    bench_column(bench, "loops");
    bench_column(bench, "run");
    bench_column(bench, bench->meaning.value);
    for (size_t i = 0; !bench->status && i < json_array_size(benchmarks); i++) {
        bench_set_location(bench, "benchmark %zu", i + 1);
        const json_t *benchmark = json_array_get(benchmarks, i);
        const json_t *runs = json_object_get(benchmark, "runs");
        struct level level = {json_array_get(runs, 0), benchmark, root};
        const char *name = json_string_value(pyperf_metadata(&level, "name"));
        size_t mark = bench_mark(bench);
        size_t count = 0;
        if (!json_is_array(runs))
            bench_fail(bench, "no array 'runs'");
        else if (!name)
            bench_fail(bench, "no 'name' in its metadata");
        else
            bench_subject(bench, name);
        for (size_t run = 0; !bench->status && run < json_array_size(runs); run++) {
            level.run = json_array_get(runs, run);
            pyperf_read_run(bench, &level, run + 1, &count);
        }
        bench_demand(bench, mark);
    }
    bench_group_labels(bench);
    bench_group_unit(bench);
}
