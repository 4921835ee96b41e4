/*
 * The output of Renaissance's --json: {"format_version", "data": {NAME: {"results": [{"duration_ns", …}, …]}}}, an
 * object per repetition.
 */
#include "table/import/bench_rows.h"

#include <string.h>

static const char *const own[] = {"name", "run", "time", NULL};

void bench_read_renaissance(struct bench *bench, const json_t *root)
{
    const char *name, *key;
    json_t *benchmark, *result, *member;
    bench->own = own;
    bench->meaning.value = "time";
    bench->meaning.process = "file";
    bench->meaning.unit = "ns";
    bench_label_columns(bench, NULL, NULL);
    json_object_foreach(json_object_get(root, "data"), name, benchmark)
    {
        size_t i, mark = bench_mark(bench);
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
            json_object_foreach(result, key, member) if (strcmp(key, "duration_ns") != 0)
                bench_json(bench, bench_metric(bench, key), member);
        }
        bench_demand(bench, mark);
    }
    bench_set_location(bench, "%s", "");
    bench_group_labels(bench);
}
