/*
 * The output of criterion.rs. A sample is a number of iterations and the time that all of them took, so the measured
 * value is their quotient. sample.json is {"iters": [...], "times": [...]}, before 0.3 [[...], [...]], and has neither
 * name nor unit (ns, unless the program has its own Measurement); raw.csv has both, and so has cargo-criterion's
 * --message-format=json, one JSON object per line.
 */
#include "table/import/bench_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void criterion_add_sample(struct bench *bench, const char *name, size_t run, double iterations, double time,
                                 const char *unit)
{
    if (!(iterations > 0)) {
        bench_fail(bench, "sample %zu has no iterations", run);
        return;
    }
    bench_row(bench);
    bench_text(bench, "name", name);
    bench_count(bench, "run", run);
    bench_real(bench, "iterations", iterations);
    bench_real(bench, "time", time / iterations);
    bench_real(bench, "total", time);
    bench_text(bench, "unit", unit);
}

static void criterion_add_samples(struct bench *bench, const char *name, const json_t *iterations, const json_t *times,
                                  const char *unit)
{
    if (!json_is_array(iterations) || !json_is_array(times) || json_array_size(iterations) != json_array_size(times))
        bench_fail(bench, "no lists of iterations and of times with the same length");
    for (size_t i = 0; !bench->status && i < json_array_size(times); i++) {
        const json_t *count = json_array_get(iterations, i), *time = json_array_get(times, i);
        if (bench_measured(bench, "iterations", i, count) && bench_measured(bench, "times", i, time))
            criterion_add_sample(bench, name, i + 1, json_number_value(count), json_number_value(time), unit);
    }
}

static size_t criterion_count_char(const char *text, size_t length, char wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += text[i] == wanted;
    return count;
}

/* A list of two lists of numbers: nothing else distinguishes the old sample.json from any other list. */
bool bench_is_criterion_pair(const char *text, size_t length)
{
    return criterion_count_char(text, length, '[') == 3;
}

/* The four fences of Tukey. */
bool bench_is_criterion_tukey(const char *text, size_t length)
{
    return criterion_count_char(text, length, '[') == 1 && criterion_count_char(text, length, ',') == 3;
}

/* What bench_directory_open() has made of a directory. */
void bench_read_criterion_directory(struct bench *bench, const json_t *root)
{
    size_t i;
    const json_t *entry;
    bench->meaning.value = "time";
    bench->meaning.also = "total";
    bench->meaning.unit = "ns";
    bench_label_columns(bench, NULL, NULL);
    json_array_foreach(json_object_get(root, "criterion"), i, entry)
    {
        const json_t *sample = json_object_get(entry, "sample"), *benchmark = json_object_get(entry, "benchmark");
        const char *name = json_string_value(json_object_get(benchmark, "full_id"));
        if (!name)
            name = json_string_value(json_object_get(benchmark, "title"));
        bench_subject(bench, name ? name : "without a name");
        criterion_add_samples(bench, name, json_object_get(sample, "iters"), json_object_get(sample, "times"), "ns");
    }
    bench_set_location(bench, "%s", "");
    bench_group_labels(bench);
}

void bench_read_criterion_sample(struct bench *bench, const json_t *root)
{
    bool pair = json_is_array(root) && json_array_size(root) == 2;
    bench->meaning.value = "time";
    bench->meaning.also = "total";
    criterion_add_samples(bench, NULL, pair ? json_array_get(root, 0) : json_object_get(root, "iters"),
                          pair ? json_array_get(root, 1) : json_object_get(root, "times"), "ns");
    bench_group_unit(bench);
}

void bench_read_criterion_estimates(struct bench *bench, const json_t *root)
{
    (void)root;
    bench_fail(bench, "no measured values: this is %s; the values are in sample.json and raw.csv in the folder new/",
               bench->meaning.format);
}

/* --- raw.csv --- */

static const char header_start[] = "group,function,value,";

bool bench_is_criterion_raw(const char *text, size_t length)
{
    const char *end = memchr(text, '\n', length);
    size_t header = end ? (size_t)(end - text) : length;
    return header > sizeof header_start && memcmp(text, header_start, sizeof header_start - 1) == 0 &&
           memmem(text, header, "iteration_count", strlen("iteration_count"));
}

/* criterion's own id: group, function and value, if present, joined by slashes. */
static void criterion_join_name(const struct csv *raw, size_t row, char *name, size_t size)
{
    size_t length = 0;
    *name = '\0';
    for (size_t column = 0; column < 3 && length < size; column++) {
        const char *part = csv_cell(raw, row, column);
        if (part)
            length += (size_t)snprintf(name + length, size - length, "%s%s", length ? "/" : "", part);
    }
}

void bench_read_criterion_raw(struct bench *bench, const char *text, size_t length)
{
    FILE *in = fmemopen((char *)text, length, "r");
    struct csv *raw = NULL;
    size_t run = 0;
    if (!in) {
        bench_fail(bench, "out of memory");
        return;
    }
    bench->status = csv_read(in, &raw, bench->message);
    fclose(in);
    bench->meaning.value = "time";
    bench->meaning.also = "total";
    bench_label_columns(bench, NULL, NULL);
    for (size_t row = 0; !bench->status && row < raw->row_count; row++) {
        size_t time = csv_column(raw, "sample_measured_value"), unit = csv_column(raw, "unit");
        size_t count = csv_column(raw, "iteration_count");
        char before[1024], name[1024];
        double taken, iterations;
        if (row)
            criterion_join_name(raw, row - 1, before, sizeof before);
        criterion_join_name(raw, row, name, sizeof name);
        run = row && strcmp(before, name) == 0 ? run + 1 : 1;
        if (time == CSV_NONE)
            time = csv_column(raw, "sample_time_nanos");
        if (time == CSV_NONE || count == CSV_NONE) {
            bench_fail(bench, "no column of measured values");
            continue;
        }
        if (!csv_number(raw, row, time, &taken) || !csv_number(raw, row, count, &iterations))
            bench_fail(bench, "row %zu: a cell is not a number", row + 1);
        else if (taken != taken || iterations != iterations)
            bench_leave_out(bench, "gave no finite number");
        else
            criterion_add_sample(bench, name, run, iterations, taken,
                                 unit == CSV_NONE ? "ns" : csv_cell(raw, row, unit));
    }
    csv_free(raw);
    bench_group_labels(bench);
    bench_group_unit(bench);
}

/* --- cargo-criterion --- */

void bench_read_cargo_criterion(struct bench *bench, const char *text, size_t length)
{
    const char *end = text + length;
    struct rows_cell line;
    bench->meaning.value = "time";
    bench->meaning.also = "total";
    bench_label_columns(bench, NULL, NULL);
    for (size_t number = 1; !bench->status && rows_line(&text, end, &line); number++)
        if (memchr(line.text, '{', line.length)) {
            json_t *message = bench_parse(bench, line.text, line.length, number);
            const char *reason = json_string_value(json_object_get(message, "reason"));
            const char *name = json_string_value(json_object_get(message, "id"));
            bench_set_location(bench, "line %zu", number);
            if (!bench->status && !reason)
                bench_fail(bench, "no 'reason'");
            else if (reason && strcmp(reason, "benchmark-complete") == 0) {
                size_t mark = bench_mark(bench);
                if (name)
                    bench_subject(bench, name);
                criterion_add_samples(bench, name, json_object_get(message, "iteration_count"),
                                      json_object_get(message, "measured_values"),
                                      json_string_value(json_object_get(message, "unit")));
                bench_demand(bench, mark);
            }
            bench_set_location(bench, "%s", "");
            json_decref(message);
        }
    bench_group_labels(bench);
    bench_group_unit(bench);
}
