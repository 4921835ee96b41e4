/*
 * The output of hyperfine's --export-json. Version 1 has arrays "times", "exit_codes" and (since 1.19)
 * "memory_usage_byte" in addition to the means; version 2 ("schema_version": 2) an array "measurements" of one object
 * per run.
 */
#include "table/import/bench_rows.h"

#include <string.h>

/* The metrics of version 2, in the order of their columns; wall-clock time is "time" in both versions. */
static const struct metric {
    const char *key, *column;
} metrics[] = {
    {"time_wall_clock", "time"},
    {"time_cpu", "time_cpu"},
    {"time_user", "time_user"},
    {"time_system", "time_system"},
    {"memory_peak_resident", "memory_peak_resident"},
    {"cpu_cycles", "cpu_cycles"},
    {"instructions", "instructions"},
    {"cache_references", "cache_references"},
    {"cache_misses", "cache_misses"},
    {"branch_misses", "branch_misses"},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

static const char *const own[] = {"name",
                                  "run",
                                  "time",
                                  "time_cpu",
                                  "time_user",
                                  "time_system",
                                  "memory_peak_resident",
                                  "memory_usage_byte",
                                  "cpu_cycles",
                                  "instructions",
                                  "cache_references",
                                  "cache_misses",
                                  "branch_misses",
                                  NULL};

static const char *hyperfine_name(const json_t *result)
{
    const char *name = json_string_value(json_object_get(result, "name"));
    return name ? name : json_string_value(json_object_get(result, "command"));
}

static void hyperfine_add_row(struct bench *bench, const json_t *result, size_t run)
{
    json_t *parameters = json_object_get(result, "parameters");
    bench_row(bench);
    bench_text(bench, "name", hyperfine_name(result));
    for (void *at = json_object_iter(parameters); at; at = json_object_iter_next(parameters, at)) {
        const json_t *value = json_object_iter_value(at);
        if (json_is_object(value)) /* version 2 wraps a parameter's value in an object */
            value = json_object_get(value, "value");
        bench_json(bench, bench_label(bench, json_object_iter_key(at)), value);
    }
    bench_count(bench, "run", run);
}

/* A missing code (versions before 1.11) says nothing; null is a run that a signal ended. */
static bool hyperfine_succeeded(struct bench *bench, const json_t *code)
{
    if (!code)
        return true;
    if (json_is_null(code))
        bench_leave_out(bench, "ended by a signal");
    else if (!json_is_integer(code))
        bench_fail(bench, "an exit code is not a whole number");
    else if (json_integer_value(code))
        bench_leave_out(bench, "failed (exit code %" JSON_INTEGER_FORMAT ")", json_integer_value(code));
    else
        return true;
    return false;
}

static const json_t *hyperfine_metric_value(const json_t *measurement, const struct metric *metric)
{
    return json_object_get(json_object_get(measurement, metric->key), "value");
}

static void hyperfine_read_result(struct bench *bench, const json_t *result)
{
    const char *name = hyperfine_name(result);
    const json_t *measurements = json_object_get(result, "measurements");
    size_t mark = bench_mark(bench);
    if (!name) {
        bench_fail(bench, "no 'command'");
        return;
    }
    bench_subject(bench, name);
    if (json_is_array(measurements)) {
        for (size_t i = 0; !bench->status && i < json_array_size(measurements); i++) {
            const json_t *measurement = json_array_get(measurements, i);
            const json_t *time = hyperfine_metric_value(measurement, &metrics[0]);
            if (!time)
                bench_fail(bench, "run %zu has no 'time_wall_clock'", i + 1);
            if (!hyperfine_succeeded(bench, json_object_get(measurement, "exit_code")) ||
                !bench_measured(bench, "time_wall_clock", i, time))
                continue;
            hyperfine_add_row(bench, result, i + 1);
            for (size_t m = 0; m < METRICS; m++)
                bench_json(bench, metrics[m].column, hyperfine_metric_value(measurement, &metrics[m]));
        }
    } else {
        const json_t *times = json_object_get(result, "times"), *codes = json_object_get(result, "exit_codes");
        const json_t *memory = json_object_get(result, "memory_usage_byte");
        if (!json_is_array(times))
            bench_fail(bench, "no array 'times': it has only the mean of its runs");
        else if (codes && json_array_size(codes) != json_array_size(times))
            bench_fail(bench, "there are %zu times but %zu exit codes", json_array_size(times), json_array_size(codes));
        for (size_t i = 0; !bench->status && i < json_array_size(times); i++) {
            const json_t *time = json_array_get(times, i);
            if (!hyperfine_succeeded(bench, json_array_get(codes, i)) || !bench_measured(bench, "times", i, time))
                continue;
            hyperfine_add_row(bench, result, i + 1);
            bench_json(bench, "time", time);
            bench_json(bench, "memory_usage_byte", json_array_get(memory, i));
        }
    }
    bench_demand(bench, mark);
}

void bench_read_hyperfine(struct bench *bench, const json_t *root)
{
    const json_t *results = json_object_get(root, "results");
    bench->own = own;
    bench->meaning.value = "time";
    bench->meaning.unit = "s";
    /* A command that was given twice is two benchmarks, not one with twice the runs: the second one is "make (2)". */
    for (size_t i = json_array_size(results); i-- > 1;) {
        json_t *result = json_array_get(results, i);
        size_t before = 0;
        for (size_t k = 0; k < i; k++) {
            /* The subject of a result, by name and parameters. */
            const json_t *b = json_array_get(results, k);
            const char *name_a = hyperfine_name(result), *name_b = hyperfine_name(b);
            const json_t *parameters_a = json_object_get(result, "parameters"),
                         *parameters_b = json_object_get(b, "parameters");
            before += name_a && name_b && strcmp(name_a, name_b) == 0 &&
                      (parameters_a == parameters_b || json_equal(parameters_a, parameters_b));
        }
        if (before > 0 &&
            json_object_set_new(result, "name", json_sprintf("%s (%zu)", hyperfine_name(result), before + 1)) != 0)
            bench_fail(bench, "out of memory");
    }
    bench_label_columns(bench, results, "parameters");
    bench_column(bench, "run");
    bench_column(bench, "time");
    for (size_t i = 0; !bench->status && i < json_array_size(results); i++) {
        bench_set_location(bench, "result %zu", i + 1);
        hyperfine_read_result(bench, json_array_get(results, i));
    }
    bench_group_labels(bench);
}
