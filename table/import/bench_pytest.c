/*
 * The output of pytest-benchmark's --benchmark-json: {"benchmarks": [{"name", "fullname", "params", "stats": {"data",
 * "mean", …}}]}. "data", the time of each round in seconds, is present with --benchmark-save-data (and in
 * --benchmark-json of versions before 3); without it there is one mean per benchmark.
 */
#include "table/import/bench_rows.h"

static const char *const own[] = {"name", "run", "time", "rounds", NULL};

static void pytest_add_time(struct bench *bench, const json_t *entry, const char *name, const json_t *time)
{
    json_t *parameters = json_object_get(entry, "params");
    bench_row(bench);
    bench_text(bench, "name", name);
    for (void *at = json_object_iter(parameters); at; at = json_object_iter_next(parameters, at))
        bench_json(bench, bench_label(bench, json_object_iter_key(at)), json_object_iter_value(at));
    bench_count(bench, "run", bench_repeated(bench, name));
    bench_json(bench, "time", time);
}

void bench_read_pytest(struct bench *bench, const json_t *root)
{
    const json_t *benchmarks = json_object_get(root, "benchmarks");
    bench->own = own;
    bench->meaning.value = "time";
    bench->meaning.unit = "s";
    bench_label_columns(bench, benchmarks, "params");
    bench_column(bench, "run");
    for (size_t i = 0; !bench->status && i < json_array_size(benchmarks); i++) {
        bench_set_location(bench, "benchmark %zu", i + 1);
        const json_t *entry = json_array_get(benchmarks, i);
        const json_t *stats = json_object_get(entry, "stats"), *data = json_object_get(stats, "data");
        const json_t *full = json_object_get(entry, "fullname");
        const char *name = json_string_value(full ? full : json_object_get(entry, "name"));
        size_t mark = bench_mark(bench);
        if (!name) {
            bench_fail(bench, "no 'name'");
        } else {
            bench_subject(bench, name);
            for (size_t k = 0; !bench->status && k < json_array_size(data); k++)
                if (bench_measured(bench, "data", k, json_array_get(data, k)))
                    pytest_add_time(bench, entry, name, json_array_get(data, k));
            if (!json_array_size(data) && bench_measured(bench, "mean", 0, json_object_get(stats, "mean"))) {
                pytest_add_time(bench, entry, name, json_object_get(stats, "mean"));
                bench_json(bench, "rounds", json_object_get(stats, "rounds"));
                bench->meaning.remark =
                    "holds one mean per benchmark, not its rounds, which --benchmark-save-data would keep";
            }
            bench_demand(bench, mark);
        }
    }
    bench_group_labels(bench);
}
