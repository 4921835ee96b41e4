/*
 * The output of perf stat -j: a JSON object a line, {"counter-value": "1.04", "unit": "msec", "event": "task-clock",
 * …}, with "interval" (-I), "cpu" and the like in front.
 */
#include "table/import/bench_rows.h"

#include <stdlib.h>
#include <string.h>

static const char *const own[] = {"name", "run", "at", "cpu", "value", "unit", "counted_percent", NULL};

static void perf_json_read_message(struct bench *bench, const json_t *message)
{
    const char *event = json_string_value(json_object_get(message, "event"));
    const char *value = json_string_value(json_object_get(message, "counter-value"));
    const char *unit = json_string_value(json_object_get(message, "unit"));
    if (!event || !value)
        return; /* only a metric */
    /* Where the value was counted: "S0", "CPU3". */
    static const char *const keys[] = {"cpu", "core", "die", "socket", "node", "thread", "cgroup"};
    const json_t *location = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !location; i++)
        location = json_object_get(message, keys[i]);
    if (!bench_is_number(value)) {
        bench_leave_out(bench, "of %s was %s", event, value);
        return;
    }
    bench_row(bench);
    bench_text(bench, "name", event);
    bench_count(bench, "run", bench_repeated(bench, event));
    bench_json(bench, "at", json_object_get(message, "interval"));
    bench_json(bench, "cpu", location);
    bench_text(bench, "value", value);
    bench_text(bench, "unit", unit && *unit ? unit : "events");
    bench_json(bench, "counted_percent", json_object_get(message, "pcnt-running"));
    if (json_object_get(message, "variance"))
        bench->meaning.remark = "holds means over the runs of perf stat -r, not the runs";
}

void bench_read_perf_json(struct bench *bench, const char *text, size_t length)
{
    const char *end = text + length;
    struct rows_cell line;
    bench->own = own;
    bench->meaning.value = "value";
    bench_label_columns(bench, NULL, NULL);
    bench_column(bench, "run");
    for (size_t number = 1; !bench->status && rows_line(&text, end, &line); number++) {
        const char *brace = memchr(line.text, '{', line.length);
        size_t size = brace ? (size_t)(line.text + line.length - brace) : 0;
        json_t *message = brace ? bench_parse(bench, brace, size, number) : NULL;
        if (message)
            perf_json_read_message(bench, message);
        json_decref(message);
    }
    bench_group_labels(bench);
    bench_group_varying(bench, "cpu");
    bench_group_unit(bench);
}
