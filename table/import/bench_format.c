#include "table/import/bench_format.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "table/import/bench_rows.h"

/* ------------------------------------------------------------------------------------------ keys -- */

/* Deeper values can't be on any requested path. */
enum { DEPTH_MAX = 6, PATH_MAX_LENGTH = 96 };

struct outline {
    const char *const *paths;
    size_t path_count;
    uint64_t seen;
    char path[PATH_MAX_LENGTH + 4];
    size_t length;
    size_t depth;                /* of open objects and arrays */
    size_t start[DEPTH_MAX + 1]; /* the length of the path of each of them */
    bool object[DEPTH_MAX + 1];
    bool key_next;
};

static bool outline_is_watched(const struct outline *outline)
{
    return outline->depth <= DEPTH_MAX;
}

static void outline_append(struct outline *outline, const char *text, size_t length)
{
    size_t capacity = PATH_MAX_LENGTH - outline->length;
    if (length > capacity)
        length = capacity;
    memcpy(outline->path + outline->length, text, length);
    outline->length += length;
    outline->path[outline->length] = '\0';
}

static void outline_mark_path(struct outline *outline)
{
    for (size_t i = 0; i < outline->path_count; i++)
        if (strcmp(outline->path, outline->paths[i]) == 0)
            outline->seen |= UINT64_C(1) << i;
}

/* A value that is not a key begins: kind is appended to its path. In an object its key came before, in an array the
 * path is the array's. */
static void outline_begin_value(struct outline *outline, const char *kind)
{
    if (!outline_is_watched(outline))
        return;
    if (outline->depth && !outline->object[outline->depth]) {
        outline->length = outline->start[outline->depth];
        outline_append(outline, "[]", 2);
    } else if (!outline->depth) {
        outline->length = 0;
        outline->path[0] = '\0';
    }
    size_t length = outline->length;
    outline_append(outline, kind, strlen(kind));
    outline_mark_path(outline);
    outline->length = length;
}

/* From the opening quote to the closing one, or the end of the text. */
static const char *outline_scan_string(struct outline *outline, const char *at, const char *end)
{
    const char *close = at + 1;
    for (; close < end && *close != '"'; close++)
        if (*close == '\\' && close + 1 < end)
            close++;
    if (outline->key_next) {
        const char *key = at + 1;
        size_t length = (size_t)(close - at) - (close > at);
        outline->key_next = false;
        if (outline_is_watched(outline)) {
            outline->length = outline->start[outline->depth];
            if (outline->length)
                outline_append(outline, ".", 1);
            outline_append(outline, key, length);
            outline_mark_path(outline);
        }
    } else
        outline_begin_value(outline, "");
    return close < end ? close : end - 1;
}

/*
 * Which of these paths (at most 64) occur in a JSON text, as a bit each, without parsing it: a truncated document still
 * shows its format. "results[].command" is the key "command" in an element of the array "results"; followed by "#", its
 * value is a number; by "[", an array. "[][]#" is a number in an array in the outermost one. Values one after the other
 * (JSON lines) are each outermost. Text that is not JSON gives arbitrary bits. O(length).
 */
static uint64_t outline_scan_text(const char *text, size_t length, const char *const *paths, size_t path_count)
{
    struct outline outline = {.paths = paths, .path_count = path_count};
    const char *end = text + length;
    assert(path_count <= 64);
    for (const char *at = text; at < end; at++) {
        if (*at == '"')
            at = outline_scan_string(&outline, at, end);
        else if (*at == '{' || *at == '[') {
            bool object = *at == '{';
            outline_begin_value(&outline, object ? "" : "[");
            outline.depth++;
            if (outline_is_watched(&outline)) {
                outline.start[outline.depth] = outline.length;
                outline.object[outline.depth] = object;
                outline.key_next = object;
            }
        } else if (*at == '}' || *at == ']') {
            outline.depth -= outline.depth > 0;
            outline.key_next = false;
        } else if (*at == ',')
            outline.key_next = outline.depth && outline_is_watched(&outline) && outline.object[outline.depth];
        else if (*at == '-' || (*at >= '0' && *at <= '9')) {
            outline_begin_value(&outline, "#");
            while (at + 1 < end && at[1] && strchr("+-.eE0123456789", at[1]))
                at++;
        }
    }
    return outline.seen;
}

/* ------------------------------------------------------------------------------------------ formats -- */

enum { KEYS_MAX = 4, PATHS_MAX = 64 };

/* A format has one of the two readers. A JSON format has all keys of `all` (outline_scan_text() says how they are
 * written), none of `none`, holds `needle` and passes `is`, if these are set. Text of another format passes `is`, or if
 * that is NULL, its first line begins with `start` and holds `needle`. */
struct format {
    const char *name;
    const char *all[KEYS_MAX], *none[KEYS_MAX];
    void (*read_json)(struct bench *bench, const json_t *root);
    bool (*is)(const char *text, size_t length);
    void (*read_text)(struct bench *bench, const char *text, size_t length);
    const char *needle, *start;
};

static const struct format formats[] = {
    {"assay record series.json", .all = {"series", "configuration", "done["}, .read_json = bench_read_assay},
    {"assay record directory", .all = {"assay series["}, .read_json = bench_read_assay_directory},
    {"hyperfine JSON", .all = {"results[].command", "results[].times["}, .none = {"assay"},
     .read_json = bench_read_hyperfine},
    {"hyperfine JSON", .all = {"results[].command", "results[].measurements["}, .none = {"assay"},
     .read_json = bench_read_hyperfine},
    {"hyperfine JSON", .all = {"results[].command", "results[].mean", "results[].user", "results[].system"},
     .none = {"assay"}, .read_json = bench_read_hyperfine},
    {"nanobench JSON", .all = {"results[].measurements[].elapsed"}, .none = {"assay", "results[].command"},
     .read_json = bench_read_nanobench},
    {"nanobench JSON", .all = {"results[].median(elapsed)"}, .none = {"assay", "results[].command"},
     .read_json = bench_read_nanobench},
    {"pytest-benchmark JSON", .all = {"benchmarks[].stats.mean"}, .read_json = bench_read_pytest},
    {"pytest-benchmark JSON", .all = {"benchmarks[].stats.data["}, .read_json = bench_read_pytest},
    {"JMH JSON", .all = {"[].benchmark", "[].primaryMetric"}, .read_json = bench_read_jmh},
    {"pyperf JSON", .all = {"benchmarks[].runs["}, .read_json = bench_read_pyperf},
    {"Google Benchmark JSON", .all = {"context", "benchmarks["}, .read_json = bench_read_google},
    {"criterion directory", .all = {"criterion["}, .read_json = bench_read_criterion_directory},
    {"criterion sample.json", .all = {"iters[", "times["}, .read_json = bench_read_criterion_sample},
    {"criterion sample.json", .all = {"[][]#"}, .none = {"[]#"}, .read_json = bench_read_criterion_sample,
     .is = bench_is_criterion_pair},
    {"criterion estimates.json", .all = {"mean.point_estimate#"}, .read_json = bench_read_criterion_estimates},
    {"criterion estimates.json", .all = {"Mean.point_estimate#"}, .read_json = bench_read_criterion_estimates},
    {"criterion tukey.json", .all = {"[]#"}, .none = {"[][]#"}, .read_json = bench_read_criterion_estimates,
     .is = bench_is_criterion_tukey},
    {"criterion benchmark.json", .all = {"group_id", "function_id", "value_str"},
     .read_json = bench_read_criterion_estimates},
    {"cargo-criterion JSON lines", .all = {"reason", "measured_values["}, .read_text = bench_read_cargo_criterion},
    {"Renaissance JSON", .all = {"format_version#", "data"}, .read_json = bench_read_renaissance,
     .needle = "\"duration_ns\""},
    {"Krun JSON", .all = {"wallclock_times", "config"}, .read_json = bench_read_krun},
    {"critcmp JSON", .all = {"name"}, .read_json = bench_read_critcmp, .needle = "\"criterion_estimates_v1\""},
    {"asv JSON", .all = {"result_columns[", "results"}, .read_json = bench_read_asv},
    {"lit JSON", .all = {"tests[].name", "tests[].code"}, .read_json = bench_read_lit},
    {"LNT JSON", .all = {"tests[].name", "run"}, .read_json = bench_read_lnt},
    {"LNT JSON", .all = {"Tests[].Name", "Tests[].Data["}, .read_json = bench_read_lnt_old},
    {"sadf JSON", .all = {"sysstat", "sysstat.hosts["}, .read_json = bench_read_sadf},
    {"go test JSON lines", .all = {"Action", "Output"}, .read_text = bench_read_go_json,
     .needle = "\"Output\":\"Benchmark"},
    {"perf stat JSON lines", .all = {"counter-value", "event"}, .read_text = bench_read_perf_json},
    {"criterion raw.csv", .is = bench_is_criterion_raw, .read_text = bench_read_criterion_raw},
    {"hyperfine CSV", .read_text = bench_read_hyperfine_csv, .needle = ",max", .start = "command,mean,stddev,"},
    {"pytest-benchmark CSV", .is = bench_is_pytest_csv, .read_text = bench_read_pytest_csv},
    {"nanobench CSV", .read_text = bench_read_nanobench_csv,
     .start = "\"title\";\"name\";\"unit\";\"batch\";\"elapsed\""},
    {"nanobench Markdown", .is = bench_is_nanobench_markdown, .read_text = bench_read_nanobench_markdown},
    {"Catch2 XML", .is = bench_is_catch2, .read_text = bench_read_catch2},
    {"Catch2 text", .is = bench_is_catch2_console, .read_text = bench_read_catch2_console},
    {"BenchExec XML", .is = bench_is_benchexec_xml, .read_text = bench_read_benchexec_xml},
    {"BenchExec table", .is = bench_is_benchexec, .read_text = bench_read_benchexec},
    {"ReBench data", .is = bench_is_rebench, .read_text = bench_read_rebench},
    {"JMH CSV", .read_text = bench_read_jmh_csv, .needle = "\"Score\"", .start = "\"Benchmark\",\"Mode\",\"Threads\","},
    {"JMH CSV", .read_text = bench_read_jmh_csv, .needle = "\"Score\"", .start = "\"Benchmark\";\"Mode\";\"Threads\";"},
    {"JMH text", .is = bench_is_jmh_log, .read_text = bench_read_jmh_log},
    {"Google Benchmark CSV", .read_text = bench_read_google_csv,
     .start = "name,iterations,real_time,cpu_time,time_unit"},
    {"Google Benchmark text", .is = bench_is_google_console, .read_text = bench_read_google_console},
    {"hyperfine Markdown", .read_text = bench_read_hyperfine_markdown, .needle = "Relative",
     .start = "| Command | Mean ["},
    {"DaCapo text", .is = bench_is_dacapo, .read_text = bench_read_dacapo},
    {"Phoronix Test Suite CSV", .is = bench_is_phoronix, .read_text = bench_read_phoronix},
    {"Phoronix Test Suite CSV", .is = bench_is_phoronix_raw, .read_text = bench_read_phoronix_raw},
    {"sysstat text", .is = bench_is_sar, .read_text = bench_read_sar},
    {"benchstat CSV", .is = bench_is_benchstat, .read_text = bench_read_benchstat},
    {"perf stat -x", .is = bench_is_perf_stat, .read_text = bench_read_perf_stat},
    {"Go benchmark text", .is = bench_is_go, .read_text = bench_read_go},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* The bits of these keys in `paths`, to which new ones are added. */
static uint64_t format_key_bits(const char *const keys[KEYS_MAX], const char *paths[PATHS_MAX], size_t *count)
{
    uint64_t bits = 0;
    for (size_t k = 0; k < KEYS_MAX && keys[k]; k++) {
        size_t i = 0;
        while (i < *count && strcmp(paths[i], keys[k]) != 0)
            i++;
        assert(i < PATHS_MAX);
        if (i == *count)
            paths[(*count)++] = keys[k];
        bits |= UINT64_C(1) << i;
    }
    return bits;
}

static const struct format *format_find_json(const char *text, size_t length)
{
    const char *paths[PATHS_MAX];
    uint64_t all[FORMATS], none[FORMATS];
    size_t count = 0;
    for (size_t i = 0; i < FORMATS; i++) {
        all[i] = format_key_bits(formats[i].all, paths, &count);
        none[i] = format_key_bits(formats[i].none, paths, &count);
    }
    uint64_t seen = outline_scan_text(text, length, paths, count);
    for (size_t i = 0; i < FORMATS; i++) {
        bool keys = all[i] && (seen & all[i]) == all[i] && !(seen & none[i]);
        const char *needle = formats[i].needle;
        if (keys && (!needle || memmem(text, length, needle, strlen(needle))) &&
            (!formats[i].is || formats[i].is(text, length)))
            return &formats[i];
    }
    return NULL;
}

static void format_skip_byte_order_mark(const char **text, size_t *length)
{
    if (*length >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0) {
        *text += 3;
        *length -= 3;
    }
}

static const struct format *format_detect(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && text[at] && strchr(" \t\r\n", text[at]))
        at++;
    const struct format *format =
        (at < length && (text[at] == '{' || text[at] == '[')) ? format_find_json(text, length) : NULL;
    for (size_t i = 0; !format && i < FORMATS; i++)
        if (!formats[i].all[0] && (formats[i].is ? formats[i].is(text, length)
                                                 : bench_begins(text, length, formats[i].start, formats[i].needle)))
            format = &formats[i];
    return format;
}

const char *bench_format_of(const char *text, size_t length)
{
    format_skip_byte_order_mark(&text, &length);
    const struct format *format = format_detect(text, length);
    return format ? format->name : NULL;
}

int bench_read(const char *text, size_t length, bool warmups, struct bench_document *document,
               struct error_text *message)
{
    format_skip_byte_order_mark(&text, &length);
    const struct format *format = format_detect(text, length);
    struct bench bench = {.message = message, .warmups = warmups, .csv = format ? csv_new() : NULL};
    if (!format)
        return error_set(message, STATUS_USAGE, "is not the output of a known benchmark tool");
    if (!bench.csv)
        return error_set(message, STATUS_BAD, "out of memory");
    bench.meaning.format = format->name;
    if (format->read_text) {
        format->read_text(&bench, text, length);
    } else {
        json_t *root = bench_parse(&bench, text, length, 1);
        if (root)
            format->read_json(&bench, root);
        json_decref(root);
    }
    struct error_text why;
    bench_left_out_text(&bench, &why);
    bench_set_location(&bench, "%s", "");
    if (!bench.csv->row_count && bench.left_out)
        bench_fail(&bench, "no measured values: %s", why.text);
    else if (!bench.csv->row_count)
        bench_fail(&bench, "no measured values");
    json_t *lost = bench.status ? NULL : bench_lost(&bench);
    json_decref(bench.counts);
    json_decref(bench.failed);
    if (bench.status) {
        json_decref(bench.conditions);
        csv_free(bench.csv);
        return bench.status;
    }
    if (bench.left_out)
        bench_left_out_text(&bench, &document->reason);
    else
        document->reason.text[0] = '\0';
    document->lost = lost;
    document->conditions = bench.conditions;
    document->csv = bench.csv;
    document->meaning = bench.meaning;
    document->left_out = bench.left_out;
    return STATUS_GOOD;
}
