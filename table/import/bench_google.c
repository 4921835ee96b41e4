/*
 * The output of Google Benchmark's --benchmark_out_format=json: {"context", "benchmarks": [one object per repetition,
 * and one per aggregate of repetitions]}. Custom counters are keys among the others.
 */
#include "table/import/bench_rows.h"

#include <string.h>

static const char *const own[] = {"name", "run", "iterations", "threads", "real_time", "cpu_time", "unit", NULL};

/* Keys that are neither counters nor columns. */
static const char *const about[] = {
    "run_name",
    "run_type",
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "time_unit",
    "error_occurred",
    "error_message",
    "skipped",
    "skip_message",
    "aggregate_name",
    "aggregate_unit",
    "big_o",
    NULL,
};

/* The preceding entry: it identifies aggregates in documents from before run_type and repetition_index. */
struct before {
    const char *name;
    size_t run;
};

static bool google_is_in_list(const char *const *list, const char *key)
{
    for (; *list; list++)
        if (strcmp(*list, key) == 0)
            return true;
    return false;
}

static bool google_is_aggregate(const json_t *entry, const char *name, const struct before *before)
{
    const char *type = json_string_value(json_object_get(entry, "run_type"));
    if (type)
        return strcmp(type, "aggregate") == 0;
    static const char *const suffixes[] = {"_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS", NULL};
    size_t length = before->name ? strlen(before->name) : 0;
    bool fitted = json_object_get(entry, "cpu_coefficient") || json_object_get(entry, "rms");
    bool named_after = /* "BM_x_mean" after "BM_x" */
        length && strncmp(name, before->name, length) == 0 && google_is_in_list(suffixes, name + length);
    return named_after || (fitted && !json_object_get(entry, "real_time"));
}

static void google_read_entry(struct bench *bench, json_t *entry, struct before *before)
{
    const char *name = json_string_value(json_object_get(entry, "name"));
    const json_t *time = json_object_get(entry, "real_time"), *index = json_object_get(entry, "repetition_index");
    if (!name) {
        bench_fail(bench, "no 'name'");
        return;
    }
    if (google_is_aggregate(entry, name, before))
        return;
    bench_subject(bench, name);
    before->run = before->name && strcmp(before->name, name) == 0 ? before->run + 1 : 1;
    before->name = name;

    /* Errors and skips of the benchmark itself; newer versions have "skipped" in addition to "error_occurred". */
    const char *error = json_string_value(json_object_get(entry, "error_message"));
    const char *skip = json_string_value(json_object_get(entry, "skip_message"));
    bool failed = json_is_true(json_object_get(entry, "error_occurred"));
    if (failed)
        bench_leave_out(bench, "failed (%.100s)", error ? error : "no message");
    else if (json_is_true(json_object_get(entry, "skipped")))
        bench_leave_out(bench, "skipped (%.100s)", skip ? skip : "no message");
    if (failed || json_is_true(json_object_get(entry, "skipped")))
        return;
    if (!time)
        bench_fail(bench, "no 'real_time'");
    if (bench_measured(bench, "real_time", 0, time)) {
        size_t run = json_is_integer(index) ? (size_t)json_integer_value(index) + 1 : before->run;
        const json_t *unit = json_object_get(entry, "time_unit");
        bench_row(bench);
        bench_json(bench, "name", json_object_get(entry, "name"));
        bench_count(bench, "run", run);
        bench_json(bench, "iterations", json_object_get(entry, "iterations"));
        bench_json(bench, "threads", json_object_get(entry, "threads"));
        bench_json(bench, "real_time", json_object_get(entry, "real_time"));
        bench_json(bench, "cpu_time", json_object_get(entry, "cpu_time"));
        bench_text(bench, "unit", json_is_string(unit) ? json_string_value(unit) : "ns");
        for (void *at = json_object_iter(entry); at; at = json_object_iter_next(entry, at)) {
            const char *key = json_object_iter_key(at);
            const json_t *value = json_object_iter_value(at);
            if (!google_is_in_list(own, key) && !google_is_in_list(about, key))
                bench_json(bench, key, value);
            else if (json_is_number(value) && (strcmp(key, "run") == 0 || strcmp(key, "unit") == 0))
                bench_json(bench, bench_metric(bench, key), value);
        }
    }
}

void bench_read_google(struct bench *bench, const json_t *root)
{
    const json_t *benchmarks = json_object_get(root, "benchmarks");
    struct before before = {NULL, 0};
    bench->own = own;
    bench->meaning.value = "real_time";
    bench->meaning.also = "cpu_time";
    bench_label_columns(bench, NULL, NULL);
    for (size_t i = 1; own[i]; i++)
        bench_column(bench, own[i]);
    for (size_t i = 0; !bench->status && i < json_array_size(benchmarks); i++) {
        bench_set_location(bench, "benchmark %zu", i + 1);
        google_read_entry(bench, json_array_get(benchmarks, i), &before);
    }
    bench_set_location(bench, "%s", "");
    if (json_array_size(benchmarks) && !bench->csv->row_count && !bench->left_out)
        bench_fail(bench,
                   "no measured values: only aggregates of repetitions (was --benchmark_report_aggregates_only set?)");
    bench_group_labels(bench);
    bench_group_unit(bench);
}
