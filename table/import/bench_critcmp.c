/*
 * critcmp --export: {"name", "benchmarks": {NAME: {"criterion_estimates_v1": {"mean": {"point_estimate"}, …}}}}, one
 * mean per benchmark in nanoseconds.
 */
#include "table/import/bench_rows.h"

#include <string.h>

static const char *const own[] = {"name", "run", "time", NULL};

void bench_read_critcmp(struct bench *bench, const json_t *root)
{
    const char *name;
    json_t *benchmark;
    bench->own = own;
    bench->meaning.value = "time";
    bench->meaning.unit = "ns";
    bench->meaning.remark = "holds one mean per benchmark; its measurements are in criterion's sample.json";
    bench_label_columns(bench, NULL, NULL);
    json_object_foreach(json_object_get(root, "benchmarks"), name, benchmark)
    {
        const json_t *estimates = json_object_get(benchmark, "criterion_estimates_v1");
        const json_t *mean = json_object_get(json_object_get(estimates, "mean"), "point_estimate");
        bench_subject(bench, name);
        if (!bench_measured(bench, "mean", 0, mean))
            continue;
        bench_row(bench);
        bench_text(bench, "name", name);
        bench_count(bench, "run", 1);
        bench_json(bench, "time", mean);
    }
    bench_set_location(bench, "%s", "");
    bench_group_labels(bench);
}
