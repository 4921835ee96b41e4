/*
 * What DaCapo prints: "===== DaCapo 9.12-MR1 avrora PASSED in 1234 msec =====", and with -n also "completed warmup 1 in
 * 1300 msec". All else is the benchmarks' own output.
 */
#include "table/import/bench_rows.h"

#include <stdio.h>
#include <string.h>

static const char *const own[] = {"name", "warmup", "run", "time", "invocation", NULL};

struct result {
    char name[100];
    size_t warmup; /* its number; 0: the timed iteration */
    unsigned long ms;
    bool failed;
};

/* Whether the line, without what stands before it, is a result. The version may have blanks. */
static bool dacapo_parse_line(const char *line, struct result *result)
{
    static const char start[] = "===== DaCapo ";
    const char *from = strstr(line, start), *state;
    *result = (struct result){.failed = false};
    if (!from)
        return false;
    if ((state = strstr(from, " completed warmup ")))
        sscanf(state, " completed warmup %zu in %lu msec", &result->warmup, &result->ms);
    else if ((state = strstr(from, " PASSED in ")))
        sscanf(state, " PASSED in %lu msec", &result->ms);
    else if ((state = strstr(from, " FAILED ")))
        result->failed = true;
    else
        return false;
    const char *name = state;
    while (name > from && name[-1] != ' ')
        name--;
    snprintf(result->name, sizeof result->name, "%.*s", (int)(state - name), name);
    return true;
}

/* The number of the benchmark's invocation that printed this: one ends with its timed iteration, or with a failure, and
 * begins with the first warm-up. `state`: by benchmark. */
static size_t dacapo_find_invocation(json_t *state, const struct result *result)
{
    json_t *last = json_object_get(state, result->name);
    json_int_t invocation = json_integer_value(json_object_get(last, "invocation"));
    json_int_t warmup = json_integer_value(json_object_get(last, "warmup"));
    if (warmup == 0 || (result->warmup > 0 && (json_int_t)result->warmup <= warmup))
        invocation++;
    json_object_set_new(state, result->name,
                        json_pack("{s:I, s:I}", "invocation", invocation, "warmup", (json_int_t)result->warmup));
    return (size_t)invocation;
}

void bench_read_dacapo(struct bench *bench, const char *text, size_t length)
{
    struct rows_cell line;
    char copy[512];
    json_t *state = json_object();
    bench->own = own;
    bench->meaning.process = "invocation";
    bench->meaning.aspect = "warmup";
    bench->meaning.aspect_is_phase = true;
    bench->meaning.value = "time";
    bench->meaning.unit = "ms";
    bench_label_columns(bench, NULL, NULL);
    for (const char *end = text + length; !bench->status && rows_line(&text, end, &line);) {
        struct result result;
        snprintf(copy, sizeof copy, "%.*s", (int)line.length, line.text);
        if (dacapo_parse_line(copy, &result)) {
            size_t invocation = dacapo_find_invocation(state, &result);
            bench_subject(bench, result.name);
            if (result.failed) {
                bench_leave_out(bench, "failed");
            } else {
                bench_row(bench);
                bench_text(bench, "name", result.name);
                bench_text(bench, "warmup", result.warmup > 0 ? "yes" : "no");
                bench_count(bench, "run", result.warmup > 0 ? result.warmup : bench_repeated(bench, result.name));
                bench_count(bench, "time", result.ms);
                bench_count(bench, "invocation", invocation);
            }
        }
    }
    json_decref(state);
    bench_group_labels(bench);
    bench_group_varying(bench, "warmup");
}

bool bench_is_dacapo(const char *text, size_t length)
{
    static const char start[] = "===== DaCapo ";
    struct rows_cell line;
    char copy[512];
    for (const char *end = text + length; (text = memmem(text, (size_t)(end - text), start, sizeof start - 1));) {
        struct result result;
        if (!rows_line(&text, end, &line))
            return false;
        snprintf(copy, sizeof copy, "%.*s", (int)line.length, line.text);
        if (dacapo_parse_line(copy, &result))
            return true;
    }
    return false;
}
