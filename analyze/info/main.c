/*
 * assay info - what is in a trace?
 *
 * Shows the metadata (what was actually used to record), every kind of records with its count and size, the threads
 * with their samples, the states in which samples were taken, and what is missing and why.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/driver/ticks.h"
#include "trace/names/method_name.h"
#include "analyze/cli/trace_tool.h"
#include "base/text.h"

struct kind_count {
    uint64_t chunks, records, bytes;
};

struct summary {
    struct trace *trace;
    struct trace_names names;
    struct trace_loss loss;
    struct ticks ticks;
    struct kind_count kinds[256];
    uint64_t states[STATE_COUNT], thread_states[THREAD_STATE_COUNT];
    struct trace_weight weights[SAMPLE_WEIGHTS_MAX];
    size_t weight_count;
    uint64_t sums[SAMPLE_WEIGHTS_MAX]; /* of weights */
    uint64_t *samples;                 /* by thread */
    uint64_t first_ns, last_ns;
    json_t *given_up;      /* methods that lost their probes */
    uint64_t vm[VM_COUNT]; /* the last value of each */
    bool has_vm[VM_COUNT];
};

static struct info_options {
    struct tool tool;
    bool json;
} own = {.tool.name = "info"};

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0, "text (default) or json: one object for each trace", 0}, TOOL_OPTIONS, {0}};

static error_t info_parse_option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'f':
        if (strcmp(arg, "json") != 0 && strcmp(arg, "text") != 0)
            argp_error(state, "--format %s: must be text or json", arg);
        own.json = strcmp(arg, "json") == 0;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "name at least one trace");
        return EINVAL;
    default:
        return tool_option(&own.tool, key, arg, state);
    }
}

/* ------------------------------------------------------------------------------------------ gathering -- */

/* Samples as each of their weights counts them; those of weight 0 have others. */
static void info_sum_weights(struct summary *summary, const struct trace_batch *batch)
{
    for (size_t w = 0; w < summary->weight_count; w++) {
        const uint64_t *values = batch->integers[summary->weights[w].column];
        const bool first = w == 0 && batch->kind == TRACE_SAMPLE;
        for (size_t i = 0; i < batch->count; i++)
            summary->sums[w] += first ? trace_sample_weight(values[i]) : values[i];
    }
}

static void info_count_states(struct summary *summary, const struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t state = batch->integers[SAMPLE_STATE][i];
        uint64_t thread_state = batch->integers[SAMPLE_THREAD_STATE][i];
        summary->states[state < STATE_COUNT ? state : STATE_UNKNOWN]++;
        summary->thread_states[thread_state < THREAD_STATE_COUNT ? thread_state : THREAD_STATE_UNKNOWN]++;
    }
    if (batch->thread < summary->names.thread_count)
        summary->samples[batch->thread] += batch->count;
}

static void info_read_given_up(struct summary *summary, const struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t id = batch->integers[GIVEUP_METHOD][i];
        const struct trace_method *method = &summary->names.methods[id < summary->names.method_count ? id : 0];
        char name[METHOD_NAME_MAX];
        method_name(method, name);
        json_array_append_new(summary->given_up,
                              json_pack("{s:o, s:I, s:I, s:s, s:f}", "method", text_json(name, strlen(name)), "calls",
                                        (json_int_t)batch->integers[GIVEUP_CALLS][i], "mean_ns",
                                        (json_int_t)batch->integers[GIVEUP_MEAN][i], "why",
                                        trace_giveup_name((unsigned)batch->integers[GIVEUP_WHY][i]), "share",
                                        (double)batch->integers[GIVEUP_SHARE][i] / 1000));
    }
}

/* Every chunk is read completely: info also serves to check a trace. */
static void info_summarize(struct summary *summary)
{
    struct trace_batch batch = {0};
    struct error_text problem;
    summary->weight_count = trace_weights(summary->trace, summary->weights);
    for (size_t i = 0; i < trace_chunk_count(summary->trace); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(summary->trace, i);
        const struct trace_schema *schema = trace_schema_of(chunk->kind);
        struct kind_count *kind = &summary->kinds[chunk->kind & 0xff];
        kind->chunks++;
        kind->records += chunk->count;
        kind->bytes += chunk->bytes;
        if (schema && schema->time_column != SIZE_MAX && chunk->count > 0) {
            if (summary->first_ns == 0 || chunk->first_ns < summary->first_ns)
                summary->first_ns = chunk->first_ns;
            if (chunk->last_ns > summary->last_ns)
                summary->last_ns = chunk->last_ns;
        }
        if (trace_names_reads(chunk->kind))
            continue;
        int status = trace_read(summary->trace, i, TRACE_ALL_COLUMNS, &batch, &problem);
        trace_loss_read(&summary->loss, chunk, status, &problem);
        if (status == 0 && (chunk->kind == TRACE_SAMPLE || chunk->kind == TRACE_ZERO_SAMPLE))
            info_sum_weights(summary, &batch);
        if (status == 0 && chunk->kind == TRACE_SAMPLE)
            info_count_states(summary, &batch);
        else if (status == 0 && chunk->kind == TRACE_GIVEUP)
            info_read_given_up(summary, &batch);
        for (size_t v = 0; status == 0 && chunk->kind == TRACE_VM && v < batch.count; v++) {
            uint64_t what = batch.integers[VM_WHAT][v];
            if (what < VM_COUNT) {
                summary->vm[what] = batch.integers[VM_VALUE][v];
                summary->has_vm[what] = true;
            }
        }
    }
    trace_batch_free(&batch);
    ticks_count(summary->trace, &summary->names, &summary->loss, &summary->ticks);
}

static uint64_t info_thread_cpu(const struct trace_thread *thread)
{
    return thread->last_cpu_ns > thread->first_cpu_ns ? thread->last_cpu_ns - thread->first_cpu_ns : 0;
}

/* ------------------------------------------------------------------------------------------ JSON -- */

/* Counts by name; those that are 0 only if `zeros`. */
static json_t *info_counts_json(const char *(*name)(unsigned), const uint64_t *counts, unsigned length, bool zeros)
{
    json_t *all = json_object();
    for (unsigned i = 0; i < length; i++)
        if (zeros || counts[i] > 0)
            json_object_set_new(all, name(i), json_integer((json_int_t)counts[i]));
    return all;
}

static json_t *info_kinds_json(const struct summary *summary)
{
    json_t *kinds = json_array();
    for (unsigned kind = 0; kind < 256; kind++) {
        const struct kind_count *count = &summary->kinds[kind];
        const struct trace_schema *schema = trace_schema_of(kind);
        if (count->chunks > 0)
            json_array_append_new(kinds,
                                  json_pack("{s:s, s:I, s:I, s:I, s:f}", "kind", schema ? schema->name : "unknown",
                                            "records", (json_int_t)count->records, "chunks", (json_int_t)count->chunks,
                                            "bytes", (json_int_t)count->bytes, "bytes_per_record",
                                            count->records ? (double)count->bytes / (double)count->records : 0.0));
    }
    return kinds;
}

/* A thread of a JVM may have two streams, one with its events, one with its CPU time since the JVM was live. The one
 * with more CPU time is shown; the other is skipped if it has no samples. */
static bool info_is_listed_elsewhere(const struct summary *summary, size_t which)
{
    const struct trace_thread *thread = &summary->names.threads[which];
    uint64_t cpu = info_thread_cpu(thread);
    for (size_t i = 1; thread->tid > 0 && summary->samples[which] == 0 && i < summary->names.thread_count; i++) {
        const struct trace_thread *other = &summary->names.threads[i];
        bool more = info_thread_cpu(other) > cpu || (info_thread_cpu(other) == cpu && i < which);
        if (more && other->tid == thread->tid && strcmp(other->name, thread->name) == 0)
            return true;
    }
    return false;
}

static json_t *info_threads_json(const struct summary *summary)
{
    json_t *threads = json_array();
    for (size_t i = 1; i < summary->names.thread_count; i++) {
        const struct trace_thread *thread = &summary->names.threads[i];
        if (info_is_listed_elsewhere(summary, i))
            continue;
        json_array_append_new(
            threads,
            json_pack("{s:I, s:I, s:o, s:s, s:I, s:f}", "thread", (json_int_t)i, "tid", (json_int_t)thread->tid, "name",
                      text_json(thread->name, strlen(thread->name)), "role", trace_role_name(thread->role), "samples",
                      (json_int_t)summary->samples[i], "cpu_s", (double)info_thread_cpu(thread) / 1e9));
    }
    return threads;
}

static json_t *info_summary_json(const struct summary *summary, const char *path)
{
    const json_t *metadata = trace_metadata(summary->trace);
    const struct trace_loss *loss = &summary->loss;
    const struct ticks *ticks = &summary->ticks;
    json_t *weights = json_array(), *vm = json_object(), *thread_states = NULL; /* NULL: not known */
    for (size_t w = 0; w < summary->weight_count; w++)
        json_array_append_new(weights, json_pack("{s:s, s:s, s:I}", "name", summary->weights[w].name, "unit",
                                                 summary->weights[w].unit, "sum", (json_int_t)summary->sums[w]));
    for (unsigned what = 0; what < VM_COUNT; what++)
        if (summary->has_vm[what])
            json_object_set_new(vm, trace_vm_name(what), json_integer((json_int_t)summary->vm[what]));
    if (json_is_true(json_object_get(metadata, "thread_states")))
        thread_states = info_counts_json(trace_thread_state_name, summary->thread_states, THREAD_STATE_COUNT, false);
    json_t *expiries = json_pack("{s:f, s:I, s:I, s:o, s:s, s:s}", "due", ticks->due, "came", (json_int_t)ticks->came,
                                 "lost", (json_int_t)ticks->lost, "changes",
                                 info_counts_json(trace_clock_change_name, ticks->changes, CLOCK_CHANGE_COUNT, true),
                                 "first_change", ticks->change, "doubt", ticks->doubt);
    json_t *loss_json =
        json_pack("{s:I, s:I, s:I, s:I, s:b, s:s, s:o}", "bytes", (json_int_t)loss->bytes, "records",
                  (json_int_t)loss->records, "chunks", (json_int_t)loss->chunks, "unknown_chunks",
                  (json_int_t)loss->unknown_chunks, "unfinished", loss->unfinished, "first", loss->first.text,
                  "dropped", info_counts_json(trace_cause_name, loss->dropped, LOST_CAUSE_COUNT, true));
    return json_pack(
        "{s:o, s:s, s:I, s:o, s:f, s:O, s:o, s:o, s:o, s:o, s:o, s:O, s:o, s:o, s:o*}", "trace",
        text_json(path, strlen(path)), "format", "assay trace", "bytes", (json_int_t)trace_size_bytes(summary->trace),
        "whole", json_boolean(!loss->unfinished && loss->bytes == 0 && loss->chunks == 0), "span_s",
        (double)(summary->last_ns - summary->first_ns) / 1e9, "metadata", metadata, "kinds", info_kinds_json(summary),
        "threads", info_threads_json(summary), "states",
        info_counts_json(trace_state_name, summary->states, STATE_COUNT, false), "ticks", expiries, "loss", loss_json,
        "given_up", summary->given_up, "vm", vm, "weights", weights, "thread_states", thread_states);
}

/* ------------------------------------------------------------------------------------------ text -- */

/* What samples count as, unless that is themselves alone, and whether their threads ran. */
static void info_print_weights(FILE *out, const struct summary *summary)
{
    const json_t *metadata = trace_metadata(summary->trace);
    bool is_weighed = json_object_get(metadata, "weights") || json_object_get(metadata, "sample_unit");
    for (size_t w = 0; is_weighed && w < summary->weight_count; w++)
        fprintf(out, "  weight       %12" PRIu64 " %s (%s)%s\n", summary->sums[w], summary->weights[w].name,
                summary->weights[w].unit, w ? "" : ", by default");
    for (unsigned state = 0; state < THREAD_STATE_COUNT; state++)
        if (summary->thread_states[state] > 0 && json_is_true(json_object_get(metadata, "thread_states")))
            fprintf(out, "  threads      %12" PRIu64 " %s\n", summary->thread_states[state],
                    trace_thread_state_name(state));
}

static void info_print_expiries(FILE *out, const struct ticks *ticks)
{
    if (ticks->due > 0)
        fprintf(out, "  ticks        %12" PRIu64 " came, %" PRIu64 " lost; %.0f due by CPU time and interval\n",
                ticks->came, ticks->lost, ticks->due);
    for (unsigned change = 0; change < CLOCK_CHANGE_COUNT; change++)
        if (ticks->changes[change] > 0)
            fprintf(out, "  clock        %12" PRIu64 " %s\n", ticks->changes[change], trace_clock_change_name(change));
    if (*ticks->change)
        fprintf(out, "    first: %s\n", ticks->change);
    if (*ticks->doubt)
        fprintf(out, "  DO NOT BELIEVE results from this recording: %s\n", ticks->doubt);
}

static void info_print_given_up(FILE *out, const json_t *given_up)
{
    size_t i;
    const json_t *method;
    json_array_foreach(given_up, i, method)
    {
        double share = json_number_value(json_object_get(method, "share"));
        fprintf(out, "  no probes    %12lld calls of %lld ns before: %s (",
                json_integer_value(json_object_get(method, "calls")),
                json_integer_value(json_object_get(method, "mean_ns")),
                json_string_value(json_object_get(method, "method")));
        if (share > 0)
            fprintf(out, "probes took %.0f %% of a thread's CPU time)\n", share * 100);
        else
            fprintf(out, "less than requested)\n");
    }
}

static void info_print_loss(FILE *out, const struct summary *summary)
{
    const struct trace_loss *loss = &summary->loss;
    uint64_t dropped = 0;
    for (unsigned cause = 0; cause < LOST_CAUSE_COUNT; cause++) {
        dropped += loss->dropped[cause];
        if (loss->dropped[cause] > 0)
            fprintf(out, "  lost         %12" PRIu64 " samples: %s\n", loss->dropped[cause], trace_cause_name(cause));
    }
    if (loss->bytes > 0 || loss->chunks > 0)
        fprintf(out, "  lost         %12" PRIu64 " bytes, %" PRIu64 " records in %" PRIu64 " damaged chunks: %s\n",
                loss->bytes, loss->records, loss->chunks, loss->first.text);
    if (loss->unfinished)
        fprintf(out, "  unfinished: there is no end mark; the last second of each thread may be missing\n");
    if (dropped == 0 && loss->bytes == 0 && loss->chunks == 0 && !loss->unfinished)
        fprintf(out, "  lost                    0\n");
}

static void info_print_summary(FILE *out, const struct summary *summary, const char *path)
{
    const char *key;
    json_t *value;
    fprintf(out, "%s: %" PRIu64 " bytes, %.3f s\n", path, trace_size_bytes(summary->trace),
            (double)(summary->last_ns - summary->first_ns) / 1e9);
    fputs("  metadata\n", out);
    json_object_foreach((json_t *)(uintptr_t)trace_metadata(summary->trace), key, value)
    {
        char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        if (strcmp(key, "environment") == 0 && json_is_object(value)) { /* dozens of checksums */
            fprintf(out, "    %-22s %zu variables\n", key, json_object_size(value));
            free(text);
            continue;
        }
        fprintf(out, "    %-22s %s\n", key, text ? text : json_string_value(value));
        free(text);
    }
    fprintf(out, "  %-12s %12s %8s %12s %14s\n", "kind", "records", "chunks", "bytes", "bytes/record");
    for (unsigned kind = 0; kind < 256; kind++) {
        const struct kind_count *count = &summary->kinds[kind];
        const struct trace_schema *schema = trace_schema_of(kind);
        if (count->chunks > 0)
            fprintf(out, "  %-12s %12" PRIu64 " %8" PRIu64 " %12" PRIu64 " %14.2f\n", schema ? schema->name : "unknown",
                    count->records, count->chunks, count->bytes,
                    count->records ? (double)count->bytes / (double)count->records : 0.0);
    }
    fprintf(out, "  %-8s %-8s %10s %10s  %s\n", "tid", "role", "samples", "cpu s", "thread");
    for (size_t i = 1; i < summary->names.thread_count; i++) {
        const struct trace_thread *thread = &summary->names.threads[i];
        if (!info_is_listed_elsewhere(summary, i))
            fprintf(out, "  %-8" PRIu64 " %-8s %10" PRIu64 " %10.3f  %s\n", thread->tid, trace_role_name(thread->role),
                    summary->samples[i], (double)info_thread_cpu(thread) / 1e9, thread->name);
    }
    for (unsigned state = 0; state < STATE_COUNT; state++)
        if (summary->states[state] > 0)
            fprintf(out, "  samples      %12" PRIu64 " %s\n", summary->states[state], trace_state_name(state));
    info_print_weights(out, summary);
    info_print_expiries(out, &summary->ticks);
    info_print_given_up(out, summary->given_up);
    for (unsigned what = 0; what < VM_COUNT; what++)
        if (summary->has_vm[what])
            fprintf(out, "  vm           %12" PRIu64 " %s\n", summary->vm[what], trace_vm_name(what));
    info_print_loss(out, summary);
}

/* ------------------------------------------------------------------------------------------ main -- */

static void info_show_trace(struct tool *tool, struct trace *trace, void *unused)
{
    (void)unused;
    struct summary *summary = calloc(1, sizeof *summary);
    const char *path = trace_path(trace);
    if (!summary) {
        tool_print_no_memory(tool, path);
        return;
    }
    summary->trace = trace;
    summary->loss = *trace_loss(trace);
    summary->given_up = json_array();
    if (trace_names_load(trace, &summary->names, &summary->loss) == 0 &&
        (summary->samples = calloc(summary->names.thread_count, sizeof *summary->samples))) {
        info_summarize(summary);
        json_t *json = own.json ? info_summary_json(summary, path) : NULL;
        if (json) {
            json_dumpf(json, tool->out, JSON_INDENT(2));
            putc('\n', tool->out);
        } else {
            info_print_summary(tool->out, summary, path);
        }
        json_decref(json);
        tool_report_loss(tool, trace, &summary->loss);
        free(summary->samples);
        trace_names_free(&summary->names);
    } else {
        tool_print_no_memory(tool, path);
    }
    json_decref(summary->given_up);
    free(summary);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        info_parse_option,
        "TRACE...",
        "Shows what is in a trace: metadata, records, threads, states, and what is missing.\v"
        "Examples:\n"
        "  assay info out\n"
        "  assay info --format json out/run-001-4711.trace | jq .metadata.clock\n",
        NULL,
        NULL,
        NULL};
    tool_parse(&own.tool, &argp, argc, argv, NULL);
    if (!tool_open_output(&own.tool))
        return 1;
    tool_for_each_trace(&own.tool, "profile", info_show_trace, NULL); /* assay record --mode waste takes one */
    return tool_close_output(&own.tool);
}
