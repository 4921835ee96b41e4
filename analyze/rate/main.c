/*
 * assay rate - is the sampling rate constant over time?
 *
 * Records: sample (time, weight). The recording of a trace is cut into intervals of equal length, and the samples of
 * all threads in each are counted, each as its weight. It lasts from the start of the process (metadata
 * start_monotonic_ns; without it, from the first sample) until the collector last noted the CPU time of one of its
 * threads, or until the last sample if that is later. Columns: trace; from_s, to_s: the interval, from the start of the
 * recording, the last one being as long as the rest is; samples in from_s ≤ t < to_s; per_s = samples / (to_s −
 * from_s).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/driver/analyzer.h"
#include "base/grow.h"
#include "base/quantity.h"
#include "base/text.h"

/* Bounds the memory of a state: 8 MB per trace. */
enum { INTERVALS_MAX = 1000000 };
enum { KEY_INTERVAL = 0x100 };

struct rate_options {
    uint64_t interval_ns;
};

static struct rate_options own = {.interval_ns = 1000000000};

static const struct argp_option options[] = {
    {"interval", KEY_INTERVAL, "TIME", 0, "length of an interval: 10s, 500ms (default 1s)", 0}, {0}};

static int rate_parse_option(int key, char *arg, void *unused)
{
    (void)unused;
    if (key != KEY_INTERVAL)
        return ARGP_ERR_UNKNOWN;
    return quantity_time(arg, &own.interval_ns) && own.interval_ns > 0 ? 0 : EINVAL;
}

/* ------------------------------------------------------------------------------------------ state -- */

/* The counts of a trace. Without times, or with too many intervals, it has none. */
struct counts {
    char *trace; /* path */
    uint64_t start_ns, end_ns, interval_ns;
    uint64_t outside;  /* samples whose times are not between those of their chunk's first and last one */
    uint64_t *samples; /* per interval */
};

struct state {
    struct counts *items; /* in the order of the frame */
    size_t count, capacity;
};

static uint64_t rate_interval_count(const struct counts *counts)
{
    uint64_t span_ns = counts->end_ns - counts->start_ns;
    return span_ns / counts->interval_ns + (span_ns % counts->interval_ns > 0);
}

static size_t rate_array_length(const struct counts *counts)
{
    return rate_interval_count(counts) > INTERVALS_MAX ? 0 : (size_t)rate_interval_count(counts);
}

static void *rate_state_init(const struct analysis_options *unused)
{
    (void)unused;
    return calloc(1, sizeof(struct state));
}

static void rate_state_free(void *given)
{
    struct state *state = given;
    for (size_t i = 0; i < state->count; i++) {
        free(state->items[i].trace);
        free(state->items[i].samples);
    }
    free(state->items);
    free(state);
}

/* Adds a trace whose counts are 0, and everything else as in `like`; NULL without memory. */
static struct counts *rate_add_trace(struct state *state, const char *trace, const struct counts *like)
{
    struct counts *items = grow_unset(state->items, &state->capacity, state->count, sizeof *items);
    if (!items)
        return NULL;
    state->items = items;
    struct counts *counts = &state->items[state->count];
    *counts = *like;
    counts->trace = strdup(trace);
    counts->samples = calloc(rate_array_length(counts) + 1, sizeof *counts->samples);
    if (!counts->trace || !counts->samples) {
        free(counts->trace);
        free(counts->samples);
        return NULL;
    }
    state->count++;
    return counts;
}

static struct counts *rate_last_trace(const struct state *state)
{
    return state->count ? &state->items[state->count - 1] : NULL;
}

/* ------------------------------------------------------------------------------------------ feed and merge -- */

/* From the headers of the trace's chunks and its definitions: the same in every part of it. */
static struct counts rate_trace_span(const struct analysis_trace *trace)
{
    struct counts span = {.start_ns = UINT64_MAX, .interval_ns = own.interval_ns};
    for (size_t i = 0; i < trace_chunk_count(trace->trace); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace->trace, i);
        if (chunk->kind != TRACE_SAMPLE && chunk->kind != TRACE_ZERO_SAMPLE)
            continue;
        span.start_ns = chunk->first_ns < span.start_ns ? chunk->first_ns : span.start_ns;
        span.end_ns = chunk->last_ns > span.end_ns ? chunk->last_ns : span.end_ns;
    }
    for (size_t i = 1; i < trace->names->thread_count; i++)
        if (trace->names->threads[i].last_ns > span.end_ns)
            span.end_ns = trace->names->threads[i].last_ns;
    const json_t *start = json_object_get(trace_metadata(trace->trace), "start_monotonic_ns");
    if (json_integer_value(start) > 0 && (uint64_t)json_integer_value(start) < span.start_ns)
        span.start_ns = (uint64_t)json_integer_value(start);
    span.end_ns = span.end_ns > span.start_ns ? span.end_ns : span.start_ns;
    return span;
}

static int rate_state_feed(void *given, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct state *state = given;
    struct counts *counts = rate_last_trace(state);
    if (!counts || strcmp(counts->trace, trace->path) != 0) {
        const struct counts span = rate_trace_span(trace);
        counts = rate_add_trace(state, trace->path, &span);
    }
    if (!counts)
        return ENOMEM;
    size_t length = rate_array_length(counts);
    const uint64_t *times = batch->integers[SAMPLE_TIME], *weights = batch->integers[SAMPLE_WEIGHT];
    for (size_t i = 0; length > 0 && i < batch->count; i++) {
        uint64_t time_ns = times[i];
        if (time_ns < counts->start_ns || time_ns > counts->end_ns) {
            counts->outside++;
            continue;
        }
        size_t at = (size_t)((time_ns - counts->start_ns) / counts->interval_ns);
        counts->samples[at < length ? at : length - 1] +=
            trace_sample_weight(weights[i]); /* the last instant belongs to the last interval */
    }
    return 0;
}

static bool rate_is_same_trace(const struct counts *a, const struct counts *b)
{
    return a->start_ns == b->start_ns && a->end_ns == b->end_ns && a->interval_ns == b->interval_ns &&
           strcmp(a->trace, b->trace) == 0;
}

static int rate_state_merge(void *given, void *other)
{
    struct state *state = given;
    const struct state *next = other;
    for (size_t i = 0; i < next->count; i++) {
        const struct counts *from = &next->items[i];
        struct counts *counts = rate_last_trace(state);
        if (!counts || !rate_is_same_trace(counts, from))
            counts = rate_add_trace(state, from->trace, from);
        else
            counts->outside += from->outside;
        if (!counts)
            return ENOMEM;
        for (size_t at = 0; at < rate_array_length(from); at++)
            counts->samples[at] += from->samples[at];
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ partial states -- */

static json_t *rate_state_save(void *given)
{
    const struct state *state = given;
    json_t *list = json_array();
    for (size_t i = 0; i < state->count; i++) {
        const struct counts *counts = &state->items[i];
        json_t *samples = json_array();
        for (size_t at = 0; at < rate_array_length(counts); at++)
            json_array_append_new(samples, json_integer((json_int_t)counts->samples[at]));
        json_array_append_new(list, json_pack("{s:o, s:I, s:I, s:I, s:I, s:o}", "trace",
                                              text_json(counts->trace, strlen(counts->trace)), "start",
                                              (json_int_t)counts->start_ns, "end", (json_int_t)counts->end_ns,
                                              "interval", (json_int_t)counts->interval_ns, "outside",
                                              (json_int_t)counts->outside, "samples", samples));
    }
    if (json_array_size(list) < state->count) {
        json_decref(list);
        return NULL;
    }
    return json_pack("{s:o}", "traces", list);
}

/* A state has its own interval, whatever --interval says. */
static int rate_load_trace(struct state *state, json_t *saved)
{
    json_int_t start, end, interval, outside;
    const char *trace;
    json_t *samples;
    if (json_unpack(saved, "{s:s, s:I, s:I, s:I, s:I, s:o}", "trace", &trace, "start", &start, "end", &end, "interval",
                    &interval, "outside", &outside, "samples", &samples) != 0 ||
        start < 0 || end < start || interval <= 0 || outside < 0)
        return EINVAL;
    const struct counts span = {.start_ns = (uint64_t)start,
                                .end_ns = (uint64_t)end,
                                .interval_ns = (uint64_t)interval,
                                .outside = (uint64_t)outside};
    if (json_array_size(samples) != rate_array_length(&span))
        return EINVAL;
    struct counts *counts = rate_add_trace(state, trace, &span);
    for (size_t at = 0; counts && at < rate_array_length(counts); at++)
        counts->samples[at] = (uint64_t)json_integer_value(json_array_get(samples, at));
    return counts ? 0 : ENOMEM;
}

static int rate_state_load(void *state, const json_t *saved)
{
    const json_t *list = json_object_get(saved, "traces");
    int error = json_is_array(list) ? 0 : EINVAL;
    for (size_t i = 0; !error && i < json_array_size(list); i++)
        error = rate_load_trace(state, json_array_get(list, i));
    return error;
}

/* ------------------------------------------------------------------------------------------ report -- */

static void rate_add_rows(const struct counts *counts, struct report *report)
{
    for (size_t at = 0, length = rate_array_length(counts); at < length; at++) {
        uint64_t span_ns = counts->end_ns - counts->start_ns, from_ns = at * counts->interval_ns;
        uint64_t to_ns = at + 1 < length ? from_ns + counts->interval_ns : span_ns;
        double per_s = (double)counts->samples[at] / ((double)(to_ns - from_ns) / 1e9);
        table_text(report->table, counts->trace);
        table_real(report->table, (double)from_ns / 1e9);
        table_real(report->table, (double)to_ns / 1e9);
        table_count(report->table, counts->samples[at]);
        table_real(report->table, per_s);
        if (!report->figure)
            continue;
        table_text(report->figure, counts->trace);
        table_real(report->figure, (double)from_ns / 1e9);
        table_real(report->figure, per_s);
    }
}

static void rate_warn_of_span(const struct counts *counts, struct report *report)
{
    if (counts->end_ns == counts->start_ns)
        report_warn(report, "%s: its samples have no times, all have the same, or their times run backwards",
                    counts->trace);
    else if (rate_array_length(counts) == 0)
        report_warn(report, "%s: %" PRIu64 " intervals are more than %d; choose a longer --interval", counts->trace,
                    rate_interval_count(counts), INTERVALS_MAX);
    if (counts->outside > 0)
        report_warn(report, "%s: the result leaves out %" PRIu64 " of its samples: their times run backwards",
                    counts->trace, counts->outside);
    report->no_result |= rate_array_length(counts) == 0 || counts->outside > 0;
}

static void rate_note_method(const struct state *state, struct report *report)
{
    size_t intervals = 0, empty = 0;
    for (size_t i = 0; i < state->count; i++)
        for (size_t at = 0; at < rate_array_length(&state->items[i]); at++) {
            intervals++;
            empty += state->items[i].samples[at] == 0;
        }
    report_note(report,
                "samples of all threads per second of real time, which counts from the start of the process or, if "
                "that is unknown, from the first sample");
    report_note(report, "a clock on CPU time ticks only in threads that run, so the rate also follows their number");
    if (empty > 0)
        report_note(report, "%zu of %zu intervals %s no samples: no thread ran, or the sampler did not", empty,
                    intervals, empty == 1 ? "has" : "have");
}

static int rate_report(void *given, struct report *report)
{
    static const struct table_column columns[] = {{"trace", TABLE_TEXT},
                                                  {"from_s", TABLE_REAL},
                                                  {"to_s", TABLE_REAL},
                                                  {"samples", TABLE_COUNT},
                                                  {"per_s", TABLE_REAL}};
    static const struct table_column drawn[] = {{"trace", TABLE_TEXT}, {"x", TABLE_REAL}, {"y", TABLE_REAL}};
    const struct state *state = given;
    report->table = table_new(columns, sizeof columns / sizeof *columns);
    report->figure = report->wants_figure ? table_new(drawn, sizeof drawn / sizeof *drawn) : NULL;
    if (!report->table || (report->wants_figure && !report->figure))
        return ENOMEM;
    report->x_label = "Time (s)";
    static char label[128];
    const char *weight = report->options->selection.weight;
    snprintf(label, sizeof label, "%.100s per second", weight ? weight : "Samples");
    report->y_label = label;
    for (size_t i = 0; i < state->count; i++) {
        rate_add_rows(&state->items[i], report);
        rate_warn_of_span(&state->items[i], report);
    }
    if (state->count == 0)
        report_warn(report, "no samples");
    report->no_result |= state->count == 0;
    rate_note_method(state, report);
    return 0;
}

static const struct analyzer_input inputs[] = {{TRACE_SAMPLE, TRACE_COLUMN(SAMPLE_TIME) | TRACE_COLUMN(SAMPLE_WEIGHT)},
                                               {0, 0}};

static const struct analyzer analyzer = {
    .name = "rate",
    .doc = "Is the sampling rate constant over time? Samples per second, interval by interval.\v"
           "Examples:\n"
           "  assay record -o out -- java -jar app.jar\n"
           "  assay rate out/*.trace\n"
           "  assay rate --interval 100ms --format csv -o rate.csv out/*.trace\n"
           "  assay rate --interval 10s --plot rate.pdf out/*.trace\n",
    .options = options,
    .parse = rate_parse_option,
    .own = &own,
    .inputs = inputs,
    .figure = "scatter",
    .init = rate_state_init,
    .feed = rate_state_feed,
    .merge = rate_state_merge,
    .save = rate_state_save,
    .load = rate_state_load,
    .report = rate_report,
    .free = rate_state_free,
};

int main(int argc, char **argv)
{
    return analyzer_main(&analyzer, argc, argv);
}
