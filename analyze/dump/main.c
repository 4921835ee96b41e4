/*
 * assay dump - the records of a trace as CSV or JSON lines.
 *
 * Records come in file order: definitions before their uses. Every kind has columns of its own, so CSV is one kind
 * at a time (--kind, default sample); JSON lines carry the kind in every line and default to all kinds.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"
#include "analyze/cli/trace_tool.h"
#include "base/csv_text.h"
#include "base/text.h"
#include "base/text_stream.h"

static struct dump_options {
    struct tool tool;
    const char *path, *thread;
    unsigned kind; /* 0: not requested */
    bool json;
} own = {.tool.name = "dump"};

static const struct argp_option options[] = {
    {"kind", 'k', "KIND", 0, "only records of this kind:", 0},
    {"thread", 't', "THREAD", 0, "only records of the thread with this stream id or name", 0},
    {"format", 'f', "FORMAT", 0, "csv (default) or json: one object per line", 0},
    TOOL_OPTIONS,
    {0}};

/* The help of --kind lists the kinds of records, events first, but not the index, which no reader shows. */
static char *dump_help(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t length;
    FILE *out = key == 'k' ? text_stream_open(&list, &length) : NULL;
    (void)input;
    if (!out)
        return (char *)text;
    fputs(text, out);
    const char *separator = " ";
    for (unsigned i = 0; i < TRACE_KIND_COUNT; i++) {
        unsigned kind = (TRACE_SAMPLE + i) % TRACE_KIND_COUNT;
        if (kind == TRACE_INDEX || !trace_schema_of(kind))
            continue;
        fprintf(out, "%s%s", separator, trace_schema_of(kind)->name);
        separator = ", ";
    }
    return text_stream_close(out, &list) ? list : (char *)text;
}

static error_t dump_parse_option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'k':
        own.kind = trace_kind_named(arg);
        if (own.kind == 0)
            argp_error(state, "--kind %s: no such kind; see --help", arg);
        return 0;
    case 't':
        own.thread = arg;
        return 0;
    case 'f':
        own.json = strcmp(arg, "json") == 0 || strcmp(arg, "jsonl") == 0;
        if (!own.json && strcmp(arg, "csv") != 0)
            argp_error(state, "--format %s: must be csv or json", arg);
        return 0;
    case ARGP_KEY_ARG:
        if (own.path)
            argp_error(state, "one trace at a time");
        own.path = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "name a trace");
        return EINVAL;
    default:
        return tool_option(&own.tool, key, arg, state);
    }
}

/* ------------------------------------------------------------------------------------------ records -- */

struct dump {
    FILE *out;
    const struct trace_names *names;
    const struct trace_schema *schema;
    uint64_t columns; /* of samples that the trace has */
};

static bool dump_is_sample(unsigned kind)
{
    return kind == TRACE_SAMPLE || kind == TRACE_ZERO_SAMPLE;
}

/* Columns of samples that not every trace has are shown where the metadata have something to say about them. */
static uint64_t dump_sample_columns(const struct trace *trace)
{
    struct trace_weight weights[SAMPLE_WEIGHTS_MAX];
    uint64_t columns = TRACE_COLUMN(trace_schema_of(TRACE_SAMPLE)->core_count) - 1;
    for (size_t i = trace_weights(trace, weights); i-- > 0;)
        columns |= TRACE_COLUMN(weights[i].column);
    if (json_is_true(json_object_get(trace_metadata(trace), "thread_states")))
        columns |= TRACE_COLUMN(SAMPLE_THREAD_STATE);
    return columns;
}

static bool dump_shows_column(uint64_t columns, unsigned kind, size_t column)
{
    return !dump_is_sample(kind) || columns >> column & 1;
}

static void dump_print_text(FILE *out, const char *text, size_t length)
{
    if (own.json) {
        json_t *string = text_json(text, length);
        if (string)
            json_dumpf(string, out, JSON_ENCODE_ANY);
        else
            fputs("null", out);
        json_decref(string);
        return;
    }
    csv_text_write(out, text, length, ',');
}

/* Numbers that represent names are printed as names. */
static const struct {
    unsigned kind;
    size_t column;
    const char *(*name)(unsigned);
} named[] = {
    {TRACE_SAMPLE, SAMPLE_STATE, trace_state_name},
    {TRACE_THREAD, THREAD_ROLE, trace_role_name},
    {TRACE_LOST, LOST_CAUSE, trace_cause_name},
    {TRACE_OBJECT, OBJECT_KIND, trace_object_kind_name},
    {TRACE_PAIR, PAIR_WASTE, trace_waste_name},
    {TRACE_PAIR, PAIR_VALUES, trace_values_name},
    {TRACE_TOTAL, TOTAL_VALUES, trace_values_name},
    {TRACE_TOTAL, TOTAL_ACCESS, trace_access_name},
    {TRACE_BURST, BURST_WASTE, trace_waste_name},
    {TRACE_TRAP, TRAP_WASTE, trace_waste_name},
    {TRACE_TRAP, TRAP_VALUES, trace_values_name},
    {TRACE_WATCH, WATCH_OUTCOME, trace_outcome_name},
    {TRACE_SITE, SITE_ACCESS, trace_access_name},
    {TRACE_DEPENDENCE, DEPENDENCE_HOW, trace_dependence_name},
    {TRACE_EVENT, EVENT_WHAT, trace_event_name},
    {TRACE_CLOCK, CLOCK_WHAT, trace_clock_change_name},
    {TRACE_GIVEUP, GIVEUP_WHY, trace_giveup_name},
    {TRACE_INSTANCE, INSTANCE_WHAT, trace_instance_name},
    {TRACE_VM, VM_WHAT, trace_vm_name},
    {TRACE_ZERO_SAMPLE, SAMPLE_STATE, trace_state_name},
    {TRACE_SAMPLE, SAMPLE_THREAD_STATE, trace_thread_state_name},
    {TRACE_ZERO_SAMPLE, SAMPLE_THREAD_STATE, trace_thread_state_name},
};

static void dump_print_value(const struct dump *dump, const struct trace_batch *batch, size_t row, size_t column)
{
    const struct trace_column *schema = &dump->schema->columns[column];
    if (schema->type == TRACE_STRING) {
        const struct trace_string *string = &batch->strings[column][row];
        dump_print_text(dump->out, string->text, string->length);
        return;
    }
    uint64_t value = batch->integers[column][row];
    const char *name = NULL;
    for (size_t i = 0; value <= UINT8_MAX && !name && i < sizeof named / sizeof *named; i++)
        if (named[i].kind == batch->kind && named[i].column == column)
            name = named[i].name((unsigned)value);
    if (name)
        dump_print_text(dump->out, name, strlen(name));
    else if (schema->type == TRACE_SIGNED)
        fprintf(dump->out, "%" PRId64, (int64_t)value);
    else
        fprintf(dump->out, "%" PRIu64, value);
}

/* What a bare number does not show: an access's site, an iteration's loop, a sample's thread and innermost method. */
static void dump_print_extras(const struct dump *dump, const struct trace_batch *batch, size_t row)
{
    FILE *out = dump->out;
    if (batch->kind == TRACE_ACCESS) {
        const struct trace_site *site = trace_names_site(dump->names, batch->integers[ACCESS_SITE][row]);
        fprintf(out,
                own.json ? ", \"of_thread\": %" PRIu32 ", \"context\": %" PRIu32
                           ", \"access\": \"%s\", \"bytes\": %" PRIu32
                         : ",%" PRIu32 ",%" PRIu32 ",%s,%" PRIu32,
                site->thread, site->context, trace_access_name(site->access), site->bytes);
    } else if (batch->kind == TRACE_ITERATION) {
        const struct trace_loop *loop = trace_names_loop(dump->names, batch->integers[ITERATION_LOOP][row]);
        fprintf(out, own.json ? ", \"of_thread\": %" PRIu32 ", \"context\": %" PRIu32 : ",%" PRIu32 ",%" PRIu32,
                loop->thread, loop->context);
    } else if (dump_is_sample(batch->kind)) {
        char method[METHOD_NAME_MAX];
        method_name(trace_names_method(dump->names, batch->integers[SAMPLE_CONTEXT][row]), method);
        const char *thread = dump->names->threads[batch->thread < dump->names->thread_count ? batch->thread : 0].name;
        fputs(own.json ? ", \"thread_name\": " : ",", out);
        dump_print_text(out, thread, strlen(thread));
        fputs(own.json ? ", \"method\": " : ",", out);
        dump_print_text(out, method, strlen(method));
    }
}

static void dump_print_row(const struct dump *dump, const struct trace_batch *batch, size_t row)
{
    FILE *out = dump->out;
    if (own.json)
        fprintf(out, "{\"kind\": \"%s\", \"thread\": %" PRIu32, dump->schema->name, batch->thread);
    else
        fprintf(out, "%" PRIu32, batch->thread);
    for (size_t c = 0; c < dump->schema->column_count; c++) {
        if (!dump_shows_column(dump->columns, batch->kind, c))
            continue;
        if (own.json)
            fprintf(out, ", \"%s\": ", dump->schema->columns[c].name);
        else
            putc(',', out);
        dump_print_value(dump, batch, row, c);
    }
    dump_print_extras(dump, batch, row);
    fputs(own.json ? "}\n" : "\n", out);
}

static void dump_print_csv_header(FILE *out, uint64_t columns)
{
    const struct trace_schema *schema = trace_schema_of(own.kind);
    fputs("thread", out);
    for (size_t c = 0; c < schema->column_count; c++)
        if (dump_shows_column(columns, own.kind, c))
            fprintf(out, ",%s", schema->columns[c].name);
    fputs(dump_is_sample(own.kind)      ? ",thread_name,method\n"
          : own.kind == TRACE_ACCESS    ? ",of_thread,context,access,bytes\n"
          : own.kind == TRACE_ITERATION ? ",of_thread,context\n"
                                        : "\n",
          out);
}

/* ------------------------------------------------------------------------------------------ main -- */

static bool dump_wants_thread(uint32_t thread, const struct trace_names *names)
{
    char id[16];
    snprintf(id, sizeof id, "%" PRIu32, thread);
    return !own.thread || strcmp(id, own.thread) == 0 ||
           (thread < names->thread_count && strcmp(names->threads[thread].name, own.thread) == 0);
}

/* Each access and each iteration has its own thread, whatever the chunk's. */
static bool dump_row_has_thread(unsigned kind)
{
    return kind == TRACE_ACCESS || kind == TRACE_ITERATION;
}

static bool dump_wants_row(const struct trace_batch *batch, size_t row, const struct trace_names *names)
{
    if (!own.thread || !dump_row_has_thread(batch->kind))
        return true;
    uint32_t thread = batch->kind == TRACE_ACCESS
                          ? trace_names_site(names, batch->integers[ACCESS_SITE][row])->thread
                          : trace_names_loop(names, batch->integers[ITERATION_LOOP][row])->thread;
    return dump_wants_thread(thread, names);
}

static void dump_trace(struct tool *tool, const struct trace *trace, uint64_t columns)
{
    struct trace_names names;
    struct trace_loss loss = *trace_loss(trace);
    struct trace_batch batch = {0};
    struct error_text problem;
    if (trace_names_load(trace, &names, &loss) != 0) {
        tool_print_no_memory(tool, trace_path(trace));
        return;
    }
    for (size_t i = 0; i < trace_chunk_count(trace) && !ferror(tool->out); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace, i);
        const struct dump dump = {tool->out, &names, trace_schema_of(chunk->kind), columns};
        if ((own.kind && chunk->kind != own.kind) ||
            (!dump_row_has_thread(chunk->kind) && !dump_wants_thread(chunk->thread, &names)))
            continue;
        int status = trace_read(trace, i, TRACE_ALL_COLUMNS, &batch, &problem);
        if (!trace_names_reads(chunk->kind) || status == TRACE_NO_MEMORY)
            trace_loss_read(&loss, chunk, status, &problem);
        for (size_t row = 0; status == 0 && row < batch.count; row++)
            if (dump_wants_row(&batch, row, &names))
                dump_print_row(&dump, &batch, row);
    }
    trace_batch_free(&batch);
    tool_report_loss(tool, trace, &loss);
    trace_names_free(&names);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {options,
                                     dump_parse_option,
                                     "TRACE",
                                     "The records of a trace as CSV or JSON lines, in file order.\v"
                                     "Examples:\n"
                                     "  assay dump out/run-001-4711.trace > samples.csv\n"
                                     "  assay dump --kind thread out/run-001-4711.trace\n"
                                     "  assay dump --kind access all.trace | head\n"
                                     "  assay dump --format json --thread main out/run-001-4711.trace | jq .method\n",
                                     NULL,
                                     dump_help,
                                     NULL};
    tool_parse(&own.tool, &argp, argc, argv, NULL);
    if (!own.json && own.kind == 0)
        own.kind = TRACE_SAMPLE;
    struct opened opened;
    if (!tool_open_traces(&own.tool, own.path, &opened))
        return 1;
    if (!tool_open_output(&own.tool)) {
        opened_close(&opened);
        return 1;
    }
    uint64_t columns = 0;
    for (size_t i = 0; i < opened.count; i++)
        columns |= dump_sample_columns(opened.traces[i]);
    if (!own.json)
        dump_print_csv_header(own.tool.out, columns);
    for (size_t i = 0; i < opened.count; i++)
        dump_trace(&own.tool, opened.traces[i], columns);
    opened_close(&opened);
    return tool_close_output(&own.tool);
}
