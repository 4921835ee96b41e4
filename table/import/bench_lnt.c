/*
 * LLVM's: LNT's report, {"format_version": "2", "run", "tests": [{"name", "execution_time": number or list, …}]} or the
 * older {"Tests": [{"Name": "suite.program.exec", "Data": list}]}; and lit --output, {"tests": [{"name", "code",
 * "elapsed", "metrics": {"exec_time", …}}]}.
 */
#include "table/import/bench_rows.h"

#include <string.h>

static const char *const own[] = {"name", "run", "execution_time", "value", "exec_time", "elapsed", NULL};

/* ---------------------------------------------------------------------------- LNT -- */

void bench_read_lnt(struct bench *bench, const json_t *root)
{
    size_t i;
    json_t *test;
    bench->own = own;
    bench->meaning.value = "execution_time";
    bench->meaning.unit = "s";
    bench_label_columns(bench, NULL, NULL);
    bench_column(bench, "run");
    bench_column(bench, "execution_time");
    json_array_foreach(json_object_get(root, "tests"), i, test)
    {
        const char *name = json_string_value(json_object_get(test, "name"));
        bench_set_location(bench, "test %zu", i + 1);
        if (name) {
            const char *key;
            json_t *values;
            size_t most = 0, count;
            json_object_foreach(test, key, values) if (strcmp(key, "name") != 0 &&
                                                       (count = json_is_array(values) ? json_array_size(values)
                                                                                      : json_is_number(values)) > most)
                most = count;
            for (size_t sample = 0; sample < most; sample++) {
                bench_row(bench);
                bench_text(bench, "name", name);
                bench_count(bench, "run", bench_repeated(bench, name));
                json_object_foreach(test, key, values)
                {
                    const json_t *value = json_is_array(values) ? json_array_get(values, sample)
                                          : sample == 0         ? values
                                                                : NULL;
                    if (json_is_number(value))
                        bench_json(bench, strcmp(key, "execution_time") == 0 ? key : bench_metric(bench, key), value);
                }
            }
        } else
            bench_fail(bench, "no 'name'");
    }
    bench_set_location(bench, "%s", "");
    bench_group_labels(bench);
}

/* A test's name ends with what was measured: exec and compile are times, status is not. */
void bench_read_lnt_old(struct bench *bench, const json_t *root)
{
    size_t i, k;
    json_t *test, *value;
    bench->own = own;
    bench->meaning.value = "value";
    bench_label_columns(bench, NULL, NULL);
    json_array_foreach(json_object_get(root, "Tests"), i, test)
    {
        const char *name = json_string_value(json_object_get(test, "Name"));
        const char *dot = name ? strrchr(name, '.') : NULL;
        bench_set_location(bench, "test %zu", i + 1);
        if (!name)
            bench_fail(bench, "no 'Name'");
        if (!name || (dot && strcmp(dot, ".status") == 0))
            continue;
        json_array_foreach(json_object_get(test, "Data"), k, value)
        {
            if (!bench_measured(bench, "Data", k, value))
                continue;
            bench_row(bench);
            bench_text(bench, "name", name);
            bench_count(bench, "run", bench_repeated(bench, name));
            bench_json(bench, "value", value);
        }
    }
    bench_set_location(bench, "%s", "");
    bench_group_labels(bench);
}

/* ---------------------------------------------------------------------------- lit -- */

void bench_read_lit(struct bench *bench, const json_t *root)
{
    size_t i;
    json_t *test;
    bool measured = false;
    bench->own = own;
    bench->meaning.unit = "s";
    bench_label_columns(bench, NULL, NULL);
    json_array_foreach(json_object_get(root, "tests"), i, test)
    {
        const char *name = json_string_value(json_object_get(test, "name"));
        bench_set_location(bench, "test %zu", i + 1);
        measured |= json_is_number(json_object_get(json_object_get(test, "metrics"), "exec_time"));
        if (name) {
            const char *key, *code = json_string_value(json_object_get(test, "code"));
            json_t *value;
            bench_subject(bench, name);
            if (!code || (strcmp(code, "PASS") != 0 && strcmp(code, "FLAKYPASS") != 0 && strcmp(code, "XPASS") != 0)) {
                bench_leave_out(bench, "did not pass (%.40s)", code ? code : "no code");
            } else {
                bench_row(bench);
                bench_text(bench, "name", name);
                bench_count(bench, "run", bench_repeated(bench, name));
                bench_json(bench, "elapsed", json_object_get(test, "elapsed"));
                json_object_foreach(json_object_get(test, "metrics"), key, value) if (json_is_number(value))
                    bench_json(bench, strcmp(key, "exec_time") == 0 ? key : bench_metric(bench, key), value);
            }
        } else
            bench_fail(bench, "no 'name'");
    }
    bench->meaning.value = measured ? "exec_time" : "elapsed";
    bench_set_location(bench, "%s", "");
    bench_group_labels(bench);
}
