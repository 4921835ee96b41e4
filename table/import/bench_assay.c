/*
 * What assay record itself measured: series.json (collect/record/series_file.h), and a directory of several
 * (bench_directory.h): {"assay series": [{"directory": NAME, "state": series.json, or "problem": TEXT}, …]}.
 */
#include "table/import/bench_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/shell_word.h"

static const char *const own[] = {"name",      "label",       "directory",    "clock",      "mode",
                                  "run",       "wall_time",   "cpu_time",     "max_rss",    "page_faults",
                                  "user_time", "system_time", "major_faults", "conditions", NULL};

/* What is measured of a run, those that are shown by default first. A value is the sum of two numbers of series.json;
 * `decimals` is the power of ten of its unit. */
static const struct metric {
    const char *column, *unit, *key, *also;
    int decimals;
} metrics[] = {
    {"wall_time", "s", "wall_ns", NULL, 9},
    {"cpu_time", "s", "user_ns", "system_ns", 9},
    {"max_rss", "MB", "max_rss_bytes", NULL, 6},
    {"page_faults", "faults", "minor_faults", "major_faults", 0},
    {"user_time", "s", "user_ns", NULL, 9},
    {"system_time", "s", "system_ns", NULL, 9},
    {"major_faults", "faults", "major_faults", NULL, 0},
};
enum { METRICS = sizeof metrics / sizeof *metrics, SHOWN = 4 };
_Static_assert((int)METRICS <= (int)BENCH_METRICS_MAX, "all are metrics");

enum { NAME_BYTES = 4096 };

/* The command as a shell reads it. */
static void assay_name(const json_t *state, char name[NAME_BYTES])
{
    const json_t *command = json_object_get(json_object_get(state, "configuration"), "command");
    *name = '\0';
    for (size_t i = 0; i < json_array_size(command); i++) {
        const char *word = json_string_value(json_array_get(command, i));
        if (word)
            shell_word_append(name, NAME_BYTES, word);
    }
}

static json_t *assay_labels(const json_t *state)
{
    return json_object_get(json_object_get(state, "configuration"), "labels");
}

/* "gc=serial, heap=64m". */
static void assay_add_label(struct bench *bench, const json_t *state)
{
    char all[4096] = "", one[512];
    const char *name;
    json_t *value;
    json_object_foreach(assay_labels(state), name, value)
    {
        if (!json_is_string(value))
            continue;
        snprintf(one, sizeof one, "%.200s=%.300s", name, json_string_value(value));
        error_list(all, sizeof all, one);
        bench_json(bench, bench_label(bench, name), value);
    }
    bench_text(bench, "label", all);
}

/* What else distinguishes a run, as bench_document.conditions. `id` names it. `changes`: of its environment, or NULL.
 */
static void assay_add_conditions(struct bench *bench, const json_t *state, const json_t *changes, char id[16])
{
    static const char *const keys[] = {"mode", "engine", "program"};
    const json_t *configuration = json_object_get(state, "configuration");
    json_t *all = json_object(), *environment = json_copy(json_object_get(configuration, "environment")), *value;
    const char *name;
    char text[256];
    if (changes)
        json_object_update(environment, (json_t *)(uintptr_t)changes);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set(all, keys[i], json_object_get(configuration, keys[i]));
    json_object_foreach(environment, name, value)
    {
        snprintf(text, sizeof text, "environment variable %.220s", name);
        if (!json_is_null(value))
            json_object_set(all, text, value);
    }
    json_decref(environment);
    char *dump = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
    snprintf(id, 16, "%08" PRIx32, dump ? checksum_crc32c(dump, strlen(dump)) : 0);
    if (!bench->conditions)
        bench->conditions = json_object();
    if (!dump || json_object_set(bench->conditions, id, all) != 0)
        bench_fail(bench, "out of memory");
    free(dump);
    json_decref(all);
}

/* Whether the run counts: one that failed may have ended early. */
static bool assay_succeeded(struct bench *bench, const json_t *entry)
{
    const json_t *ending = json_object_get(entry, "exit");
    json_int_t signal = json_integer_value(json_object_get(ending, "signal")),
               status = json_integer_value(json_object_get(ending, "status"));
    if (json_is_true(json_object_get(entry, "interrupted")))
        bench_leave_out(bench, "%s", "interrupted");
    else if (signal != 0)
        bench_leave_out(bench, "ended by signal %" JSON_INTEGER_FORMAT, signal);
    else if (status != 0)
        bench_leave_out(bench, "failed (exit status %" JSON_INTEGER_FORMAT ")", status);
    else
        return true;
    return false;
}

/* An integer of a smaller unit: 1500000000 ns are "1.5" s. */
static void assay_add_value(struct bench *bench, const struct metric *metric, const json_t *ending)
{
    char text[64];
    const json_t *value = json_object_get(ending, metric->key), *other = json_object_get(ending, metric->also);
    json_int_t sum = json_integer_value(value) + json_integer_value(other), unit = 1;
    if (!json_is_integer(value) || (metric->also && !json_is_integer(other)) || sum < 0)
        return; /* an earlier version did not measure it */
    for (int i = 0; i < metric->decimals; i++)
        unit *= 10;
    int length = snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, sum / unit);
    if (metric->decimals > 0 && sum % unit != 0) {
        length += snprintf(text + length, sizeof text - (size_t)length, ".%0*" JSON_INTEGER_FORMAT, metric->decimals,
                           sum % unit);
        while (text[length - 1] == '0')
            text[--length] = '\0';
    }
    bench_text(bench, metric->column, text);
}

/* A series, in the columns that all its rows share. */
struct assay_series {
    const json_t *state;
    const char *directory; /* NULL: that of the document */
    char name[NAME_BYTES], conditions[16];
};

static void assay_add_run(struct bench *bench, const struct assay_series *series, const json_t *entry)
{
    const json_t *ending = json_object_get(entry, "exit"),
                 *configuration = json_object_get(series->state, "configuration");
    bench_row(bench);
    bench_text(bench, "name", series->name);
    assay_add_label(bench, series->state);
    bench_text(bench, "directory", series->directory);
    bench_json(bench, "clock", json_object_get(entry, "clock"));
    bench_json(bench, "mode", json_object_get(configuration, "mode"));
    bench_json(bench, "run", json_object_get(entry, "run"));
    for (size_t m = 0; m < METRICS; m++)
        assay_add_value(bench, &metrics[m], ending);
    const json_t *changes = json_object_get(entry, "environment");
    char own_conditions[16];
    if (changes)
        assay_add_conditions(bench, series->state, changes, own_conditions);
    bench_text(bench, "conditions", changes ? own_conditions : series->conditions);
}

static void assay_read_series(struct bench *bench, const json_t *state, const char *directory)
{
    struct assay_series series = {.state = state, .directory = directory};
    const json_t *done = json_object_get(state, "done");
    size_t mark = bench_mark(bench);
    const char *mode = json_string_value(json_object_get(json_object_get(state, "configuration"), "mode"));
    if (!mode || strcmp(mode, "time") != 0)
        bench->meaning.remark = "holds recorded runs, whose values include what recording costs";
    assay_name(state, series.name);
    bench_subject(bench, series.name);
    assay_add_conditions(bench, state, NULL, series.conditions);
    if (!json_is_array(done))
        bench_fail(bench, "no array 'done'");
    for (size_t i = 0; !bench->status && i < json_array_size(done); i++) {
        const json_t *entry = json_array_get(done, i);
        if (assay_succeeded(bench, entry) &&
            bench_measured(bench, "wall_ns", i, json_object_get(json_object_get(entry, "exit"), "wall_ns")))
            assay_add_run(bench, &series, entry);
    }
    bench_demand(bench, mark);
}

static void assay_begin(struct bench *bench, const json_t *labels)
{
    const char *name;
    json_t *value;
    bench->own = own;
    bench->meaning.each_file = true;
    bench_column(bench, "name");
    bench_column(bench, "label");
    bench->label_end = 1 + (json_object_size(labels) > 0);
    json_object_foreach((json_t *)(uintptr_t)labels, name, value) bench_column(bench, bench_label(bench, name));
    for (const char *const *column = own + 2; *column; column++)
        bench_column(bench, *column);
}

static void assay_end(struct bench *bench)
{
    struct bench_meaning *meaning = &bench->meaning;
    bench_set_location(bench, "%s", "");
    bench_group_labels(bench);
    bench_group_varying(bench, "directory");
    bench_group_varying(bench, "mode");
    bench_group_varying(bench, "clock");
    meaning->value = metrics[0].column;
    meaning->unit = metrics[0].unit;
    meaning->shown_metrics = SHOWN;
    for (size_t m = 0; m < METRICS; m++) {
        meaning->metrics[m] = metrics[m].column;
        meaning->declared[m].unit = metrics[m].unit;
    }
}

void bench_read_assay(struct bench *bench, const json_t *root)
{
    assay_begin(bench, assay_labels(root));
    assay_read_series(bench, root, NULL);
    assay_end(bench);
}

void bench_read_assay_directory(struct bench *bench, const json_t *root)
{
    const json_t *all = json_object_get(root, "assay series");
    json_t *labels = json_object();
    for (size_t i = 0; i < json_array_size(all); i++)
        json_object_update_missing(labels, assay_labels(json_object_get(json_array_get(all, i), "state")));
    assay_begin(bench, labels);
    json_decref(labels);
    for (size_t i = 0; !bench->status && i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        const char *directory = json_string_value(json_object_get(one, "directory")),
                   *problem = json_string_value(json_object_get(one, "problem"));
        bench_set_location(bench, "%s", "");
        if (problem)
            bench_fail(bench, "%s/series.json: %s", directory ? directory : "", problem);
        else
            assay_read_series(bench, json_object_get(one, "state"), directory);
    }
    assay_end(bench);
}
