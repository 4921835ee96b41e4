/*
 * The output of Renaissance's --json: {"format_version", "data": {NAME: {"results": [{"duration_ns", …}, …]}}}, an
 * object per repetition.
 */
#include "table/import/bench_rows.h"

#include <string.h>

static const char *const own[] = {"name", "run", "time", NULL};

static void renaissance_read_benchmark(struct bench *bench, const char *name, const json_t *benchmark)
{
    size_t i, mark = bench_mark(bench);
    const json_t *result;
    bench_subject(bench, name);
    json_array_foreach(json_object_get(benchmark, "results"), i, result)
    {
        const json_t *time = json_object_get(result, "duration_ns");
        if (!bench_measured(bench, "results", i, time))
            continue;
        bench_row(bench);
        bench_text(bench, "name", name);
        bench_count(bench, "run", i + 1);
        bench_json(bench, "time", time);
        for (void *at = json_object_iter((json_t *)(uintptr_t)result); at;
             at = json_object_iter_next((json_t *)(uintptr_t)result, at))
            if (strcmp(json_object_iter_key(at), "duration_ns") != 0)
                bench_json(bench, bench_metric(bench, json_object_iter_key(at)), json_object_iter_value(at));
    }
    bench_demand(bench, mark);
}

void bench_read_renaissance(struct bench *bench, const json_t *root)
{
    const char *name;
    json_t *benchmark;
    bench->own = own;
    bench->meaning.value = "time";
    bench->meaning.unit = "ns";
    bench_label_columns(bench, NULL, NULL);
    json_object_foreach(json_object_get(root, "data"), name, benchmark)
        renaissance_read_benchmark(bench, name, benchmark);
    bench_set_location(bench, "%s", "");
    bench_group_labels(bench);
}
