/*
 * assay rate - is the sampling rate constant over time?
 *
 * Records: sample (time, weight). The recording of a trace is cut into intervals of equal length, and the samples of
 * all threads in each are counted, each as its weight. It lasts from the start of the process (metadata
 * start_monotonic_ns; without it, from the first sample) until the collector last noted the CPU time of one of its
 * threads, or until the last sample if that is later.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/driver/analyzer.h"
#include "base/quantity.h"

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
struct rate_trace {
    uint64_t start_ns, end_ns, interval_ns; /* the key, with the path */
    uint32_t path;
    uint64_t outside;            /* samples whose times are not between those of their chunk's first and last one */
    struct field_counts samples; /* per interval */
};

static const struct field trace_fields[] = {
    FIELD(rate_trace, start_ns, FIELD_COUNT, JOIN_KEY),    FIELD(rate_trace, end_ns, FIELD_COUNT, JOIN_KEY),
    FIELD(rate_trace, interval_ns, FIELD_COUNT, JOIN_KEY), FIELD(rate_trace, path, FIELD_TEXT, JOIN_KEY),
    FIELD(rate_trace, outside, FIELD_COUNT, JOIN_SUM),     FIELD_OBJECT_OF(rate_trace, samples, &field_counts_class)};

static uint64_t rate_interval_count(const struct rate_trace *trace)
{
    uint64_t span_ns = trace->end_ns - trace->start_ns;
    return span_ns / trace->interval_ns + (span_ns % trace->interval_ns > 0);
}

static size_t rate_array_length(const struct rate_trace *trace)
{
    return rate_interval_count(trace) > INTERVALS_MAX ? 0 : (size_t)rate_interval_count(trace);
}

/* A state has its own interval, whatever --interval says. */
static bool rate_is_valid(const void *row)
{
    const struct rate_trace *trace = row;
    return trace->interval_ns > 0 && trace->end_ns >= trace->start_ns &&
           trace->samples.length == rate_array_length(trace);
}

static const struct relation relations[] = {{.name = "traces",
                                             .row_bytes = sizeof(struct rate_trace),
                                             .key_bytes = offsetof(struct rate_trace, path) + sizeof(uint32_t),
                                             .valid = rate_is_valid,
                                             RELATION_FIELDS(trace_fields)}};

struct rate {
    struct relations relations;
    const struct analysis_trace *trace; /* the one that is fed; NULL: none */
    uint32_t row;                       /* its row */
};

static struct rate_trace *rate_trace_at(const struct rate *rate, size_t i)
{
    return relations_at(&rate->relations, 0, i);
}

/* ------------------------------------------------------------------------------------------ feeding -- */

/* From the headers of the trace's chunks and its definitions: the same in every part of it. */
static struct rate_trace rate_trace_span(const struct analysis_trace *trace)
{
    struct rate_trace span = {.start_ns = UINT64_MAX, .interval_ns = own.interval_ns};
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

static int rate_begin_trace(struct rate *rate, const struct analysis_trace *trace)
{
    struct rate_trace span = rate_trace_span(trace);
    span.path = relations_text(&rate->relations, trace->path);
    rate->row = span.path == FIELD_NONE ? FIELD_NONE : relations_add(&rate->relations, 0, &span);
    if (rate->row == FIELD_NONE)
        return ENOMEM;
    rate->trace = trace;
    return field_counts_extend(&rate_trace_at(rate, rate->row)->samples, rate_array_length(&span));
}

static int rate_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct rate *rate = state;
    int error = rate->trace == trace ? 0 : rate_begin_trace(rate, trace);
    if (error)
        return error;
    struct rate_trace *counts = rate_trace_at(rate, rate->row);
    size_t length = rate_array_length(counts);
    const uint64_t *times = batch->integers[SAMPLE_TIME], *weights = batch->integers[SAMPLE_WEIGHT];
    for (size_t i = 0; length > 0 && i < batch->count; i++) {
        uint64_t time_ns = times[i];
        if (time_ns < counts->start_ns || time_ns > counts->end_ns) {
            counts->outside++;
            continue;
        }
        size_t at = (size_t)((time_ns - counts->start_ns) / counts->interval_ns);
        counts->samples.values[at < length ? at : length - 1] +=
            trace_sample_weight(weights[i]); /* the last instant belongs to the last interval */
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ report -- */

struct rate_row {
    const char *trace;
    double from_s, to_s, per_s;
    uint64_t samples;
};

static const struct column interval_columns[] = {
    COLUMN(rate_row, "trace", TABLE_TEXT, trace, "The path of the trace.", .figure = "trace"),
    COLUMN(rate_row, "from_s", TABLE_REAL, from_s,
           "The beginning of the interval, in seconds from that of the recording.", .figure = "x"),
    COLUMN(rate_row, "to_s", TABLE_REAL, to_s, "Its end. The last interval of a trace is as long as the rest is."),
    COLUMN(rate_row, "samples", TABLE_COUNT, samples, "The number of samples of all threads in the interval."),
    COLUMN(rate_row, "per_s", TABLE_REAL, per_s, "Samples per second: samples / (to_s - from_s).", .figure = "y")};
static const struct columns tables[] = {COLUMNS("One row for each interval", interval_columns)};

static void rate_add_rows(const struct rate_trace *counts, const char *path, struct report *report)
{
    for (size_t at = 0, length = rate_array_length(counts); at < length; at++) {
        uint64_t span_ns = counts->end_ns - counts->start_ns, from_ns = at * counts->interval_ns;
        uint64_t to_ns = at + 1 < length ? from_ns + counts->interval_ns : span_ns;
        const struct rate_row row = {.trace = path,
                                     .from_s = (double)from_ns / 1e9,
                                     .to_s = (double)to_ns / 1e9,
                                     .samples = counts->samples.values[at],
                                     .per_s = (double)counts->samples.values[at] / ((double)(to_ns - from_ns) / 1e9)};
        report_row(report, &row);
    }
}

static void rate_warn_of_span(const struct rate_trace *counts, const char *path, struct report *report)
{
    if (counts->end_ns == counts->start_ns)
        report_warn(report, "%s: its samples have no times, all have the same, or their times run backwards", path);
    else if (rate_array_length(counts) == 0)
        report_warn(report, "%s: %" PRIu64 " intervals are more than %d; choose a longer --interval", path,
                    rate_interval_count(counts), INTERVALS_MAX);
    if (counts->outside > 0)
        report_warn(report, "%s: the result leaves out %" PRIu64 " of its samples: their times run backwards", path,
                    counts->outside);
    report->no_result |= rate_array_length(counts) == 0 || counts->outside > 0;
}

static void rate_note_method(const struct rate *rate, struct report *report)
{
    size_t intervals = 0, empty = 0;
    for (size_t i = 0; i < relations_count(&rate->relations, 0); i++) {
        const struct field_counts *samples = &rate_trace_at(rate, i)->samples;
        intervals += samples->length;
        for (size_t at = 0; at < samples->length; at++)
            empty += samples->values[at] == 0;
    }
    report_note(report,
                "samples of all threads per second of real time, which counts from the start of the process or, if "
                "that is unknown, from the first sample");
    report_note(report, "a clock on CPU time ticks only in threads that run, so the rate also follows their number");
    if (empty > 0)
        report_note(report, "%zu of %zu intervals %s no samples: no thread ran, or the sampler did not", empty,
                    intervals, empty == 1 ? "has" : "have");
}

static int rate_report(void *state, struct report *report)
{
    const struct rate *rate = state;
    if (report_tables(report, tables, 0) != 0)
        return ENOMEM;
    report->x_label = "Time (s)";
    static char label[128];
    const char *weight = report->options->selection.weight;
    snprintf(label, sizeof label, "%.100s per second", weight ? weight : "Samples");
    report->y_label = label;
    for (size_t i = 0; i < relations_count(&rate->relations, 0); i++) {
        const struct rate_trace *counts = rate_trace_at(rate, i);
        rate_add_rows(counts, relations_text_at(&rate->relations, counts->path), report);
        rate_warn_of_span(counts, relations_text_at(&rate->relations, counts->path), report);
    }
    if (relations_count(&rate->relations, 0) == 0)
        report_warn(report, "no samples");
    report->no_result |= relations_count(&rate->relations, 0) == 0;
    rate_note_method(rate, report);
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
    .tables = tables,
    .table_count = 1,
    .relations = relations,
    .relation_count = 1,
    .state_bytes = sizeof(struct rate),
    .feed = rate_feed,
    .report = rate_report,
};

int main(int argc, char **argv)
{
    return analyzer_main(&analyzer, argc, argv);
}
