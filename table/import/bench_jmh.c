/*
 * The output of JMH's -rf json: an array of benchmarks, each with "primaryMetric": {"scoreUnit", "rawData": for each
 * fork a list of scores, one per iteration}. In SampleTime mode it is "rawDataHistogram": pairs [value, count] instead
 * of each score.
 */
#include "table/import/bench_rows.h"

#include <string.h>

/* A histogram's pair becomes as many rows as it counts, up to this limit, since a row takes some 400 bytes. */
enum { SAMPLES_MAX = 1000000 };

static const char *const own[] = {"name", "mode", "threads", "fork", "iteration", "run", "score", "unit", NULL};

/* The position of a score in the document. */
struct point {
    const json_t *benchmark, *metric;
    size_t fork, iteration;
    size_t run; /* from 1, over all forks */
};

static void jmh_add_score(struct bench *bench, struct point *point, const json_t *score)
{
    json_t *parameters = json_object_get(point->benchmark, "params");
    bench_row(bench);
    bench_json(bench, "name", json_object_get(point->benchmark, "benchmark"));
    for (void *at = json_object_iter(parameters); at; at = json_object_iter_next(parameters, at))
        bench_json(bench, bench_label(bench, json_object_iter_key(at)), json_object_iter_value(at));
    bench_json(bench, "mode", json_object_get(point->benchmark, "mode"));
    bench_json(bench, "threads", json_object_get(point->benchmark, "threads"));
    bench_count(bench, "fork", point->fork + 1);
    bench_count(bench, "iteration", point->iteration + 1);
    bench_count(bench, "run", point->run);
    bench_json(bench, "score", score);
    bench_json(bench, "unit", json_object_get(point->metric, "scoreUnit"));
}

static void jmh_read_pair(struct bench *bench, struct point *point, const json_t *pair)
{
    const json_t *value = json_array_get(pair, 0), *count = json_array_get(pair, 1);
    json_int_t times = json_integer_value(count);
    if (!json_is_integer(count) || times < 0 || json_array_size(pair) != 2) {
        bench_fail(bench, "'rawDataHistogram' holds something other than pairs of a value and a count");
        return;
    }
    if (times > SAMPLES_MAX - (json_int_t)bench->csv->row_count) {
        bench_fail(bench,
                   "'rawDataHistogram' holds more than the %d samples that are read; use a mode with one score per "
                   "iteration (avgt, thrpt)",
                   SAMPLES_MAX);
        return;
    }
    for (json_int_t i = 0; i < times; i++) {
        point->run++;
        if (bench_measured(bench, "rawDataHistogram", point->iteration, value))
            jmh_add_score(bench, point, value);
    }
}

static void jmh_read_forks(struct bench *bench, struct point *point, const json_t *forks, bool histogram)
{
    for (point->fork = 0; !bench->status && point->fork < json_array_size(forks); point->fork++) {
        const json_t *iterations = json_array_get(forks, point->fork);
        if (!json_is_array(iterations))
            bench_fail(bench, "fork %zu of its raw data is not a list", point->fork + 1);
        for (point->iteration = 0; point->iteration < json_array_size(iterations); point->iteration++) {
            const json_t *entry = json_array_get(iterations, point->iteration);
            if (histogram && !json_is_array(entry))
                bench_fail(bench, "an iteration of 'rawDataHistogram' is not a list");
            for (size_t i = 0; histogram && !bench->status && i < json_array_size(entry); i++)
                jmh_read_pair(bench, point, json_array_get(entry, i));
            if (histogram)
                continue;
            point->run++;
            if (bench_measured(bench, "rawData", point->iteration, entry)) {
                jmh_add_score(bench, point, entry);
                /* A profiler's measurement in the same iteration; older versions put a middle dot before its name. */
                json_t *all = json_object_get(point->benchmark, "secondaryMetrics");
                for (void *at = json_object_iter(all); at; at = json_object_iter_next(all, at)) {
                    const char *key = json_object_iter_key(at);
                    const json_t *raw = json_object_get(json_object_iter_value(at), "rawData");
                    const json_t *score = json_array_get(json_array_get(raw, point->fork), point->iteration);
                    if (strncmp(key, "\xc2\xb7", 2) == 0)
                        key += 2;
                    if (json_is_number(score))
                        bench_json(bench, bench_metric(bench, key), score);
                }
            }
        }
    }
}

void bench_read_jmh(struct bench *bench, const json_t *root)
{
    bench->own = own;
    bench->meaning.value = "score";
    bench->meaning.process = "fork";
    bench_label_columns(bench, root, "params");
    for (size_t i = 1; own[i]; i++)
        bench_column(bench, own[i]);
    for (size_t i = 0; !bench->status && i < json_array_size(root); i++) {
        bench_set_location(bench, "result %zu", i + 1);
        const json_t *benchmark = json_array_get(root, i);
        const char *name = json_string_value(json_object_get(benchmark, "benchmark"));
        struct point point = {.benchmark = benchmark, .metric = json_object_get(benchmark, "primaryMetric")};
        size_t mark = bench_mark(bench);
        if (!name) {
            bench_fail(bench, "no 'benchmark' with its name");
            continue;
        }
        bench_subject(bench, name);
        const json_t *scores = json_object_get(point.metric, "rawData");
        const json_t *histogram = json_object_get(point.metric, "rawDataHistogram");
        if (!json_is_string(json_object_get(point.metric, "scoreUnit")))
            bench_fail(bench, "no 'scoreUnit' in a 'primaryMetric'");
        else if (!json_is_array(scores) && !json_is_array(histogram))
            bench_fail(bench, "neither 'rawData' nor 'rawDataHistogram'");
        else if (!json_array_size(scores ? scores : histogram))
            bench_fail(bench, "its raw data are empty: it has only the mean (was jmh.json.rawData false?)");
        jmh_read_forks(bench, &point, scores ? scores : histogram, !scores);
        bench_demand(bench, mark);
    }
    bench_group_labels(bench);
    bench_group_varying(bench, "mode");
    bench_group_varying(bench, "threads");
    bench_group_unit(bench);
}
