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

static uint64_t interval_ns = 1000000000;

static const struct argp_option options[] = {
    {"interval", KEY_INTERVAL, "TIME", 0, "length of an interval: 10s, 500ms (default 1s)", 0}, {0}};

static int rate_parse_option(int key, char *arg, void *unused)
{
    (void)unused;
    if (key != KEY_INTERVAL)
        return ARGP_ERR_UNKNOWN;
    return quantity_time(arg, &interval_ns) && interval_ns > 0 ? 0 : EINVAL;
}

/* The counts of a trace. Without times, or with too many intervals, it has none. A saved state has its own interval,
 * whatever --interval says. */
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

static uint64_t rate_count_intervals(const struct rate_trace *trace)
{
    uint64_t span_ns = trace->end_ns - trace->start_ns;
    return span_ns / trace->interval_ns + (span_ns % trace->interval_ns > 0);
}

static bool rate_is_valid(const void *row)
{
    const struct rate_trace *trace = row;
    if (trace->interval_ns == 0 || trace->end_ns < trace->start_ns)
        return false;
    uint64_t intervals = rate_count_intervals(trace);
    return trace->samples.length == (intervals > INTERVALS_MAX ? 0 : intervals);
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

/* The span comes from the headers of the trace's chunks and its definitions, so it is the same in every part of it. */
static int rate_begin_trace(struct rate *rate, const struct analysis_trace *trace)
{
    struct rate_trace span = {.start_ns = UINT64_MAX, .interval_ns = interval_ns};
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
    json_int_t start = json_integer_value(json_object_get(trace_metadata(trace->trace), "start_monotonic_ns"));
    if (start > 0 && (uint64_t)start < span.start_ns)
        span.start_ns = (uint64_t)start;
    span.end_ns = span.end_ns > span.start_ns ? span.end_ns : span.start_ns;
    span.path = relations_text(&rate->relations, trace->path);
    rate->row = span.path == FIELD_NONE ? FIELD_NONE : relations_add(&rate->relations, 0, &span);
    if (rate->row == FIELD_NONE)
        return ENOMEM;
    rate->trace = trace;
    struct rate_trace *added = relations_at(&rate->relations, 0, rate->row);
    uint64_t intervals = rate_count_intervals(&span);
    return field_counts_extend(&added->samples, intervals > INTERVALS_MAX ? 0 : intervals);
}

static int rate_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct rate *rate = state;
    int error = rate->trace == trace ? 0 : rate_begin_trace(rate, trace);
    if (error)
        return error;
    struct rate_trace *counts = relations_at(&rate->relations, 0, rate->row);
    const uint64_t *times = batch->integers[SAMPLE_TIME], *weights = batch->integers[SAMPLE_WEIGHT];
    size_t length = counts->samples.length;
    for (size_t i = 0; length > 0 && i < batch->count; i++) {
        if (times[i] < counts->start_ns || times[i] > counts->end_ns) {
            counts->outside++;
            continue;
        }
        size_t at = (size_t)((times[i] - counts->start_ns) / counts->interval_ns);
        counts->samples.values[at < length ? at : length - 1] +=
            trace_sample_weight(weights[i]); /* the last instant belongs to the last interval */
    }
    return 0;
}

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

static int rate_report(void *state, struct report *report)
{
    static char label[128];
    const struct relations *traces = &((const struct rate *)state)->relations;
    const char *weight = report->options->selection.weight;
    size_t intervals = 0, empty = 0;
    if (report_tables(report, tables, 0) != 0)
        return ENOMEM;
    snprintf(label, sizeof label, "%.100s per second", weight ? weight : "Samples");
    report->x_label = "Time (s)";
    report->y_label = label;
    for (size_t i = 0; i < relations_count(traces, 0); i++) {
        const struct rate_trace *counts = relations_at(traces, 0, i);
        const char *path = relations_text_at(traces, counts->path);
        uint64_t span_ns = counts->end_ns - counts->start_ns, from_ns = 0, to_ns;
        for (size_t at = 0; at < counts->samples.length; at++, from_ns = to_ns) {
            uint64_t samples = counts->samples.values[at];
            to_ns = at + 1 < counts->samples.length ? from_ns + counts->interval_ns : span_ns;
            const struct rate_row row = {path, (double)from_ns / 1e9, (double)to_ns / 1e9,
                                         (double)samples / ((double)(to_ns - from_ns) / 1e9), samples};
            report_row(report, &row);
            empty += samples == 0;
        }
        intervals += counts->samples.length;
        if (span_ns == 0)
            report_warn(report, "%s: its samples have no times, all have the same, or their times run backwards", path);
        else if (counts->samples.length == 0)
            report_warn(report, "%s: %" PRIu64 " intervals are more than %d; choose a longer --interval", path,
                        rate_count_intervals(counts), INTERVALS_MAX);
        if (counts->outside > 0)
            report_warn(report, "%s: the result leaves out %" PRIu64 " of its samples: their times run backwards", path,
                        counts->outside);
        report->no_result |= counts->samples.length == 0 || counts->outside > 0;
    }
    if (relations_count(traces, 0) == 0)
        report_warn(report, "no samples");
    report->no_result |= relations_count(traces, 0) == 0;
    report_note(report,
                "samples of all threads per second of real time, which counts from the start of the process or, if "
                "that is unknown, from the first sample");
    report_note(report, "a clock on CPU time ticks only in threads that run, so the rate also follows their number");
    if (empty > 0)
        report_note(report, "%zu of %zu intervals %s no samples: no thread ran, or the sampler did not", empty,
                    intervals, empty == 1 ? "has" : "have");
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
    .by = true,
    .options = options,
    .parse = rate_parse_option,
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
