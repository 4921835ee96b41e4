/*
 * The output of `go test -bench`, in the format of golang.org/design/14313-benchmark-format: lines "BenchmarkName-8
 * COUNT VALUE UNIT VALUE UNIT ..." and, above them, configuration "key: value". All other lines are ignored, as that
 * document requires; only failed benchmarks ("--- FAIL: BenchmarkName") are counted.
 */
#include "table/import/bench_rows.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/text_stream.h"

#define BLANKS " \t\r\n\v\f"

static const char *const own[] = {"name", "base", "run", "iterations", NULL};

struct go {
    struct bench *bench;
    json_t *configuration; /* what applies to the following lines */
    json_t *keys;          /* of all configuration so far */
    json_t *parameters;    /* keys of all names so far: "size" of BenchmarkSort/size=1k-8 */
    json_t *counts;        /* by package and name: the number of occurrences */
    json_t *units;         /* "better=higher" and the like, by unit */
    size_t number;         /* of the line */
};

static bool go_is_count(const char *text)
{
    return text && *text && !text[strspn(text, "0123456789")];
}

/* The name in a result line, which is cut after it: a benchmark and a whole number. */
static char *go_split_result(char *line, char **rest, char **count)
{
    static const char prefix[] = "Benchmark";
    if (strncmp(line, prefix, sizeof prefix - 1) != 0)
        return NULL;
    char *name = strtok_r(line, BLANKS, rest);
    *count = strtok_r(NULL, BLANKS, rest);
    return strlen(name) >= sizeof prefix && go_is_count(*count) ? name : NULL;
}

bool bench_is_go(const char *text, size_t length)
{
    struct rows_cell line;
    for (const char *end = text + length; rows_line(&text, end, &line);) {
        char copy[512], *rest, *count;
        if (line.length == 0 || *line.text != 'B')
            continue;
        snprintf(copy, sizeof copy, "%.*s", (int)(line.length < sizeof copy ? line.length : sizeof copy - 1),
                 line.text);
        if (!go_split_result(copy, &rest, &count))
            continue;
        const char *value = strtok_r(NULL, BLANKS, &rest), *unit = strtok_r(NULL, BLANKS, &rest);
        if (value && unit && bench_is_number(value) && !bench_is_number(unit))
            return true;
    }
    return false;
}

static json_t *go_text_json(struct go *go, const char *text)
{
    json_t *value = text_json(text, strlen(text));
    if (!value)
        bench_fail(go->bench, "out of memory");
    return value;
}

/* A key begins with a lower-case letter and has neither blanks nor upper-case letters; no value ends its validity. */
static void go_read_configuration(struct go *go, char *line)
{
    char *colon = strchr(line, ':');
    if (!colon || !islower((unsigned char)*line) || (colon[1] && !strchr(BLANKS, colon[1])))
        return;
    *colon = '\0';
    for (const char *at = line; *at; at++)
        if (isspace((unsigned char)*at) || isupper((unsigned char)*at))
            return;
    char *value = colon + 1 + strspn(colon + 1, BLANKS);
    value[strcspn(value, "\r\n")] = '\0';
    if (*value) {
        json_object_set_new(go->configuration, line, go_text_json(go, value));
        json_object_set_new(go->keys, line, json_true());
    } else {
        json_object_del(go->configuration, line);
    }
}

/* How often this benchmark has occurred in this package, including this time. */
static size_t go_count_occurrence(struct go *go, const char *name)
{
    char key[1024];
    const char *package = json_string_value(json_object_get(go->configuration, "pkg"));
    snprintf(key, sizeof key, "%s %s", package ? package : "", name);
    json_int_t count = json_integer_value(json_object_get(go->counts, key)) + 1;
    json_object_set_new(go->counts, key, json_integer(count));
    return (size_t)count;
}

/* The name without its parts, and those of them that have a key. */
static void go_set_parts(struct go *go, const char *name)
{
    const char *dash = strrchr(name, '-'); /* of "-8" at the end, which Go puts there for GOMAXPROCS */
    size_t length = dash && go_is_count(dash + 1) ? (size_t)(dash - name) : strlen(name);
    char *copy = strndup(name, length), *rest;
    if (!copy) {
        bench_fail(go->bench, "out of memory");
        return;
    }
    const char *base = strtok_r(copy, "/", &rest);
    bench_text(go->bench, "base", base);
    for (char *part; (part = strtok_r(NULL, "/", &rest));) {
        /* A part "key=value" of a name, under the key; a column with another meaning keeps its name. */
        char *equals = strchr(part, '=');
        if (equals && equals != part && equals[1]) {
            *equals = '\0';
            char column[160];
            bool known = json_object_get(go->parameters, part);
            bool taken = !known && (csv_column(go->bench->csv, part) != CSV_NONE || json_object_get(go->keys, part));
            snprintf(column, sizeof column, "%s%s", taken ? "parameter_" : "",
                     taken ? part : bench_label(go->bench, part));
            if (!taken && !known)
                json_object_set_new(go->parameters, part, json_true());
            bench_text(go->bench, column, equals + 1);
        }
    }
    free(copy);
}

static void go_set_metric(struct go *go, const char *value, const char *unit)
{
    struct bench *bench = go->bench;
    char column[160];
    snprintf(column, sizeof column, "%s%s", json_object_get(go->parameters, unit) ? "metric_" : "",
             bench_metric(bench, unit));
    size_t known = bench->csv->column_count;
    bench_column(bench, column);
    size_t at = csv_column(bench->csv, column);
    const char **metrics = bench->meaning.metrics;
    size_t count = 0;
    while (metrics[count])
        count++;
    /* Metrics beyond the limit can still be requested by name. */
    if (at != CSV_NONE && at >= known && count < BENCH_METRICS_MAX)
        metrics[count] = bench->csv->names[at];
    if (!bench_is_number(value))
        bench_fail(bench, "line %zu: '%.60s' is not a number", go->number, value);
    else if (isfinite(strtod(value, NULL)))
        bench_text(bench, column, value);
    if (at != CSV_NONE && (!bench->meaning.value || strcmp(unit, "ns/op") == 0))
        bench->meaning.value = bench->meaning.unit = bench->csv->names[at];
}

/* Only count and value: output of the benchmark has replaced its name. */
static bool go_is_nameless(char *line)
{
    char *rest;
    const char *count = strtok_r(line, BLANKS, &rest), *value = strtok_r(NULL, BLANKS, &rest);
    const char *unit = value ? strtok_r(NULL, BLANKS, &rest) : NULL;
    return go_is_count(count) && unit && bench_is_number(value) && strcmp(unit, "ns/op") == 0;
}

static void go_read_line(struct go *go, char *line)
{
    static const char failed[] = "--- FAIL: Benchmark";
    char *rest, *count;
    if (*line == 'B') {
        const char *name = go_split_result(line, &rest, &count);
        if (name) {
            struct bench *bench = go->bench;
            const char *value = strtok_r(NULL, BLANKS, &rest);
            if (!value)
                bench_fail(bench, "line %zu: '%.100s' has no measured value", go->number, name);
            bench_row(bench);
            bench_text(bench, "name", name);
            for (void *at = json_object_iter(go->configuration); at; at = json_object_iter_next(go->configuration, at))
                bench_json(bench, bench_label(bench, json_object_iter_key(at)), json_object_iter_value(at));
            go_set_parts(go, name);
            bench_count(bench, "run", go_count_occurrence(go, name));
            bench_text(bench, "iterations", count);
            for (; value && !bench->status; value = strtok_r(NULL, BLANKS, &rest)) {
                const char *unit = strtok_r(NULL, BLANKS, &rest);
                if (unit)
                    go_set_metric(go, value, unit);
                else
                    bench_fail(bench, "line %zu: '%.60s' has no unit", go->number, value);
            }
        }
    } else if (strncmp(line + strspn(line, " "), failed, sizeof failed - 1) == 0) {
        bench_leave_out(go->bench, "failed");
    } else if (strncmp(line, "Unit", 4) == 0 && isspace((unsigned char)line[4])) {
        /* "Unit score better=higher" and "Unit pause-ns assume=exact", for the whole document. */
        char *unit_line = line + 4;
        char *unit_rest, *unit = strtok_r(unit_line, BLANKS, &unit_rest), *pair;
        while (unit && (pair = strtok_r(NULL, BLANKS, &unit_rest))) {
            json_t *known = json_object_get(go->units, unit), *stated = known ? known : json_array();
            json_array_append_new(stated, go_text_json(go, pair));
            if (!known)
                json_object_set_new(go->units, unit, stated);
        }
    } else if (isalpha((unsigned char)*line)) {
        go_read_configuration(go, line);
    } else if (go_is_nameless(line)) {
        bench_leave_out(go->bench, "printed something between its name and its result");
    }
}

void bench_read_go(struct bench *bench, const char *text, size_t length)
{
    struct go go = {.bench = bench,
                    .configuration = json_object(),
                    .keys = json_object(),
                    .parameters = json_object(),
                    .counts = json_object(),
                    .units = json_object()};
    char *copy = rows_split_copy(text, &length);
    const char *at = copy;
    struct rows_cell line;
    bench->own = own;
    bench_label_columns(bench, NULL, NULL);
    if (!copy || !go.configuration || !go.keys || !go.parameters || !go.counts || !go.units)
        bench_fail(bench, "out of memory");
    for (go.number = 1; copy && !bench->status && rows_line(&at, copy + length, &line); go.number++)
        go_read_line(&go, rows_terminate(line));
    free(copy);
    /* By the name, and by configuration that changed. */
    bench_group_labels(bench);
    for (void *key = json_object_iter(go.keys); key; key = json_object_iter_next(go.keys, key))
        bench_group_varying(bench, bench_label(bench, json_object_iter_key(key)));
    struct bench_meaning *meaning = &go.bench->meaning;
    for (size_t m = 0; meaning->metrics[m]; m++) {
        size_t i;
        json_t *stated;
        json_array_foreach(json_object_get(go.units, meaning->metrics[m]), i, stated)
        {
            const char *declared = json_string_value(stated);
            if (strcmp(declared, "better=higher") == 0 || strcmp(declared, "better=lower") == 0)
                meaning->declared[m].better = strcmp(declared, "better=higher") == 0 ? 1 : -1;
            else if (strcmp(declared, "assume=exact") == 0)
                meaning->declared[m].exact = true;
        }
    }
    json_decref(go.units);
    json_decref(go.configuration);
    json_decref(go.keys);
    json_decref(go.parameters);
    json_decref(go.counts);
}

/* ---------------------------------------------------------------------------- go test -json -- */

void bench_read_go_json(struct bench *bench, const char *text, size_t length)
{
    json_t *outputs = json_object(), *parts, *part;
    struct rows_cell line;
    const char *end = text + length, *name;
    char *all = NULL;
    size_t all_length = 0;
    for (size_t number = 1; !bench->status && rows_line(&text, end, &line); number++) {
        json_t *message =
            memchr(line.text, '{', line.length) ? bench_parse(bench, line.text, line.length, number) : NULL;
        const json_t *output = json_object_get(message, "Output"), *package = json_object_get(message, "Package");
        const char *key = json_is_string(package) ? json_string_value(package) : "";
        parts = json_object_get(outputs, key);
        if (json_is_string(output) && !parts)
            json_object_set_new(outputs, key, parts = json_array());
        if (json_is_string(output))
            json_array_append(parts, (json_t *)(uintptr_t)output);
        json_decref(message);
    }

    /* What each package has printed: a benchmark's line may come in several messages, and those of other packages
     * between. */
    FILE *joined = bench->status ? NULL : text_stream_open(&all, &all_length);
    if (joined) {
        json_object_foreach(outputs, name, parts)
        {
            size_t i;
            if (*name)
                fprintf(joined, "pkg: %s\n", name);
            json_array_foreach(parts, i, part) fputs(json_string_value(part), joined);
            fputc('\n', joined);
        }
    }
    if (text_stream_close(joined, &all))
        bench_read_go(bench, all, all_length);
    else if (!bench->status)
        bench_fail(bench, "out of memory");
    json_decref(outputs);
    free(all);
}
