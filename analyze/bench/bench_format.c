#include "analyze/bench/bench_format.h"

#include <stdbool.h>
#include <string.h>

#include "analyze/bench/bench_rows.h"

/* ------------------------------------------------------------------------------------------ keys -- */

/* Deeper values can't be on any requested path. */
enum { DEPTH_MAX = 6, PATH_MAX_LENGTH = 96 };

struct outline {
    const char *const *paths;
    size_t path_count;
    uint32_t seen;
    char path[PATH_MAX_LENGTH + 4];
    size_t length;
    size_t depth;                /* of open objects and arrays */
    size_t start[DEPTH_MAX + 1]; /* the length of the path of each of them */
    bool object[DEPTH_MAX + 1];
    bool key_next;
};

static bool is_watched(const struct outline *outline)
{
    return outline->depth <= DEPTH_MAX;
}

static void append(struct outline *outline, const char *text, size_t length)
{
    size_t room = PATH_MAX_LENGTH - outline->length;
    if (length > room)
        length = room;
    memcpy(outline->path + outline->length, text, length);
    outline->length += length;
    outline->path[outline->length] = '\0';
}

static void compare(struct outline *outline)
{
    for (size_t i = 0; i < outline->path_count; i++)
        if (strcmp(outline->path, outline->paths[i]) == 0)
            outline->seen |= UINT32_C(1) << i;
}

/* A value that is not a key begins: kind is appended to its path. In an object its key came before, in an array the
 * path is the array's. */
static void begin_value(struct outline *outline, const char *kind)
{
    if (!is_watched(outline))
        return;
    if (outline->depth && !outline->object[outline->depth]) {
        outline->length = outline->start[outline->depth];
        append(outline, "[]", 2);
    } else if (!outline->depth) {
        outline->length = 0;
        outline->path[0] = '\0';
    }
    size_t length = outline->length;
    append(outline, kind, strlen(kind));
    compare(outline);
    outline->length = length;
}

static void open_container(struct outline *outline, bool object)
{
    begin_value(outline, object ? "" : "[");
    outline->depth++;
    if (!is_watched(outline))
        return;
    outline->start[outline->depth] = outline->length;
    outline->object[outline->depth] = object;
    outline->key_next = object;
}

static void close_container(struct outline *outline)
{
    if (outline->depth)
        outline->depth--;
    outline->key_next = false;
}

static void take_key(struct outline *outline, const char *key, size_t length)
{
    outline->key_next = false;
    if (!is_watched(outline))
        return;
    outline->length = outline->start[outline->depth];
    if (outline->length)
        append(outline, ".", 1);
    append(outline, key, length);
    compare(outline);
}

/* From the opening quote to the closing one, or the end of the text. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\' && at + 1 < end)
            at++;
    return at;
}

static const char *take_string(struct outline *outline, const char *at, const char *end)
{
    const char *close = skip_string(at, end);
    if (outline->key_next)
        take_key(outline, at + 1, (size_t)(close - at) - (close > at));
    else
        begin_value(outline, "");
    return close < end ? close : end - 1;
}

static bool is_number_start(char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

static const char *take_number(struct outline *outline, const char *at, const char *end)
{
    begin_value(outline, "#");
    while (at + 1 < end && at[1] && strchr("+-.eE0123456789", at[1]))
        at++;
    return at;
}

/*
 * Which of these paths (at most 32) occur in a JSON text, as a bit each, without parsing it: a truncated document still
 * shows its format. "results[].command" is the key "command" in an element of the array "results"; followed by "#", its
 * value is a number; by "[", an array. "[][]#" is a number in an array in the outermost one. Values one after the other
 * (JSON lines) are each outermost. Text that is not JSON gives arbitrary bits. O(length).
 */
static uint32_t outline_of(const char *text, size_t length, const char *const *paths, size_t path_count)
{
    struct outline outline = {.paths = paths, .path_count = path_count};
    const char *end = text + length;
    for (const char *at = text; at < end; at++) {
        if (*at == '"')
            at = take_string(&outline, at, end);
        else if (*at == '{' || *at == '[')
            open_container(&outline, *at == '{');
        else if (*at == '}' || *at == ']')
            close_container(&outline);
        else if (*at == ',')
            outline.key_next = outline.depth && is_watched(&outline) && outline.object[outline.depth];
        else if (is_number_start(*at))
            at = take_number(&outline, at, end);
    }
    return outline.seen;
}

/* ------------------------------------------------------------------------------------------ formats -- */

/* The keys that distinguish JSON formats. */
enum {
    ASSAY = 1 << 0,
    RESULT_COMMAND = 1 << 1,
    RESULT_TIME = 1 << 2,
    RESULT_MEASUREMENT = 1 << 3,
    RESULT_MEAN = 1 << 4,
    RESULT_USER = 1 << 5,
    RESULT_SYSTEM = 1 << 6,
    JMH_BENCHMARK = 1 << 7,
    JMH_METRIC = 1 << 8,
    BENCHMARK_RUNS = 1 << 9,
    CONTEXT = 1 << 10,
    BENCHMARKS = 1 << 11,
    ITERS = 1 << 12,
    TIMES = 1 << 13,
    PAIR_NUMBER = 1 << 14,
    LIST_NUMBER = 1 << 15,
    ESTIMATE = 1 << 16,
    ESTIMATE_OLD = 1 << 17,
    GROUP_ID = 1 << 18,
    FUNCTION_ID = 1 << 19,
    VALUE_STR = 1 << 20,
    REASON = 1 << 21,
    MEASURED_VALUES = 1 << 22,
    BENCHMARK_MEAN = 1 << 23,
    BENCHMARK_DATA = 1 << 24,
    RESULT_ELAPSED = 1 << 25,
    RESULT_MEDIAN_ELAPSED = 1 << 26,
};

/* In the order of the bits. */
static const char *const paths[] = {
    "assay",
    "results[].command",
    "results[].times[",
    "results[].measurements[",
    "results[].mean",
    "results[].user",
    "results[].system",
    "[].benchmark",
    "[].primaryMetric",
    "benchmarks[].runs[",
    "context",
    "benchmarks[",
    "iters[",
    "times[",
    "[][]#",
    "[]#",
    "mean.point_estimate#",
    "Mean.point_estimate#",
    "group_id",
    "function_id",
    "value_str",
    "reason",
    "measured_values[",
    "benchmarks[].stats.mean",
    "benchmarks[].stats.data[",
    "results[].measurements[].elapsed",
    "results[].median(elapsed)",
};
_Static_assert(1 << (sizeof paths / sizeof *paths - 1) == RESULT_MEDIAN_ELAPSED, "a bit a path");

/* A format has one of the two readers. A JSON format has all keys of `all`, none of `none`, and passes `is`, if set. */
struct format {
    const char *name;
    uint32_t all, none;
    void (*read_json)(struct bench *bench, const json_t *root);
    bool (*is)(const char *text, size_t length);
    void (*read_text)(struct bench *bench, const char *text, size_t length);
};

static const struct format formats[] = {
    {"hyperfine JSON", RESULT_COMMAND | RESULT_TIME, ASSAY, bench_read_hyperfine, NULL, NULL},
    {"hyperfine JSON", RESULT_COMMAND | RESULT_MEASUREMENT, ASSAY, bench_read_hyperfine, NULL, NULL},
    {"hyperfine JSON", RESULT_COMMAND | RESULT_MEAN | RESULT_USER | RESULT_SYSTEM, ASSAY, bench_read_hyperfine, NULL,
     NULL},
    {"nanobench JSON", RESULT_ELAPSED, ASSAY | RESULT_COMMAND, bench_read_nanobench, NULL, NULL},
    {"nanobench JSON", RESULT_MEDIAN_ELAPSED, ASSAY | RESULT_COMMAND, bench_read_nanobench, NULL, NULL},
    {"pytest-benchmark JSON", BENCHMARK_MEAN, 0, bench_read_pytest, NULL, NULL},
    {"pytest-benchmark JSON", BENCHMARK_DATA, 0, bench_read_pytest, NULL, NULL},
    {"JMH JSON", JMH_BENCHMARK | JMH_METRIC, 0, bench_read_jmh, NULL, NULL},
    {"pyperf JSON", BENCHMARK_RUNS, 0, bench_read_pyperf, NULL, NULL},
    {"Google Benchmark JSON", CONTEXT | BENCHMARKS, 0, bench_read_google, NULL, NULL},
    {"criterion sample.json", ITERS | TIMES, 0, bench_read_criterion_sample, NULL, NULL},
    {"criterion sample.json", PAIR_NUMBER, LIST_NUMBER, bench_read_criterion_sample, bench_is_criterion_pair, NULL},
    {"criterion estimates.json", ESTIMATE, 0, bench_read_criterion_estimates, NULL, NULL},
    {"criterion estimates.json", ESTIMATE_OLD, 0, bench_read_criterion_estimates, NULL, NULL},
    {"criterion tukey.json", LIST_NUMBER, PAIR_NUMBER, bench_read_criterion_estimates, bench_is_criterion_tukey, NULL},
    {"criterion benchmark.json", GROUP_ID | FUNCTION_ID | VALUE_STR, 0, bench_read_criterion_estimates, NULL, NULL},
    {"cargo-criterion JSON lines", REASON | MEASURED_VALUES, 0, NULL, NULL, bench_read_cargo_criterion},
    {"criterion raw.csv", 0, 0, NULL, bench_is_criterion_raw, bench_read_criterion_raw},
    {"hyperfine CSV", 0, 0, NULL, bench_is_hyperfine_csv, bench_read_hyperfine_csv},
    {"pytest-benchmark CSV", 0, 0, NULL, bench_is_pytest_csv, bench_read_pytest_csv},
    {"nanobench CSV", 0, 0, NULL, bench_is_nanobench_csv, bench_read_nanobench_csv},
    {"nanobench Markdown", 0, 0, NULL, bench_is_nanobench_markdown, bench_read_nanobench_markdown},
    {"Catch2 XML", 0, 0, NULL, bench_is_catch2, bench_read_catch2},
    {"Catch2 text", 0, 0, NULL, bench_is_catch2_console, bench_read_catch2_console},
    {"BenchExec XML", 0, 0, NULL, bench_is_benchexec_xml, bench_read_benchexec_xml},
    {"BenchExec table", 0, 0, NULL, bench_is_benchexec, bench_read_benchexec},
    {"perf stat -x", 0, 0, NULL, bench_is_perf_stat, bench_read_perf_stat},
    {"Go benchmark text", 0, 0, NULL, bench_is_go, bench_read_go},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static bool is_json(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && text[at] && strchr(" \t\r\n", text[at]))
        at++;
    return at < length && (text[at] == '{' || text[at] == '[');
}

static const struct format *json_format(const char *text, size_t length)
{
    uint32_t seen = outline_of(text, length, paths, sizeof paths / sizeof *paths);
    for (size_t i = 0; i < FORMATS; i++) {
        const struct format *format = &formats[i];
        bool keys = format->all && (seen & format->all) == format->all && !(seen & format->none);
        if (keys && (!format->is || format->is(text, length)))
            return format;
    }
    return NULL;
}

static const struct format *text_format(const char *text, size_t length)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (!formats[i].all && formats[i].is(text, length))
            return &formats[i];
    return NULL;
}

static void skip_byte_order_mark(const char **text, size_t *length)
{
    if (*length >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0) {
        *text += 3;
        *length -= 3;
    }
}

static const struct format *format_of(const char *text, size_t length)
{
    const struct format *format = is_json(text, length) ? json_format(text, length) : NULL;
    return format ? format : text_format(text, length);
}

const char *bench_format_of(const char *text, size_t length)
{
    skip_byte_order_mark(&text, &length);
    const struct format *format = format_of(text, length);
    return format ? format->name : NULL;
}

static void read_document(struct bench *bench, const struct format *format, const char *text, size_t length)
{
    if (format->read_text) {
        format->read_text(bench, text, length);
        return;
    }
    json_t *root = bench_parse(bench, text, length, 1);
    if (root)
        format->read_json(bench, root);
    json_decref(root);
}

static void demand_rows(struct bench *bench)
{
    struct complaint why;
    bench_left_out_text(bench, &why);
    bench_place(bench, "%s", "");
    if (!bench->sheet->row_count && bench->left_out)
        bench_fail(bench, "no measured values: %s", why.text);
    else if (!bench->sheet->row_count)
        bench_fail(bench, "no measured values");
}

int bench_read(const char *text, size_t length, struct bench_document *document, struct complaint *complaint)
{
    skip_byte_order_mark(&text, &length);
    const struct format *format = format_of(text, length);
    struct bench bench = {.complaint = complaint, .sheet = format ? sheet_new() : NULL};
    if (!format)
        return complain(complaint, STATUS_USAGE, "is not the output of a known benchmark tool");
    if (!bench.sheet)
        return complain(complaint, STATUS_BAD, "out of memory");
    bench.meaning.format = format->name;
    read_document(&bench, format, text, length);
    demand_rows(&bench);
    json_t *lost = bench.status ? NULL : bench_lost(&bench);
    json_decref(bench.counts);
    json_decref(bench.failed);
    if (bench.status) {
        sheet_free(bench.sheet);
        return bench.status;
    }
    if (bench.left_out)
        bench_left_out_text(&bench, &document->reason);
    else
        document->reason.text[0] = '\0';
    document->lost = lost;
    document->sheet = bench.sheet;
    document->meaning = bench.meaning;
    document->left_out = bench.left_out;
    return STATUS_GOOD;
}
