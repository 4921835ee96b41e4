/*
 * assay export - a trace in the format of another tool.
 *
 * folded: one line per distinct stack, outermost frame first, joined by ';', then a space and the number of samples:
 * what flamegraph.pl, speedscope and inferno read. With --pairs a stack is the context of the earlier access followed
 * by that of the later one, and the number is that of the bytes that the pair wasted. Several traces are added up.
 * speedscope, pprof, chrome: trace/export/profile_export.h, with --pairs pairs_export.h. With --events: trace/export/
 * events.h.
 * Source of the chain: Su, dissertation 2020, §3.5.2.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/folded.h"
#include "trace/names/thread_name.h"
#include "trace/export/events.h"
#include "trace/export/pairs_export.h"
#include "analyze/cli/selection.h"
#include "analyze/cli/trace_tool.h"

static struct export_options {
    struct tool tool;
    const char *format;
    bool threads, lines, pairs, events;
    unsigned kind; /* of pairs; WASTE_COUNT: any */
    struct selection_wish selection;
} own = {.tool.name = "export", .kind = WASTE_COUNT};

enum { FIRST_OWN_PROCESS = 1 << 30 }; /* beyond the system's numbers */

enum { KEY_PAIRS = 0x100, KEY_EVENTS };

static const struct argp_option options[] = {
    {"to", 'T', "FORMAT", 0,
     "the format, which must be given: folded: folded stacks for flame graph tools; speedscope; pprof (packed by "
     "gzip), with all weights unless one is chosen; "
     "chrome: a trace of stacks for Chrome's viewer",
     0},
    {"pairs", KEY_PAIRS, NULL, 0,
     "not of --to chrome: export pairs of memory accesses, weighted by the bytes they wasted, instead of samples; "
     "pprof and speedscope also have the wasted accesses",
     0},
    {"events", KEY_EVENTS, NULL, 0,
     "export method entries and exits (chrome), or the ns that each stack of methods took (folded), with the cost of "
     "probes, instead of samples",
     0},
    {"kind", 'k', "KIND", 0,
     "of --pairs: only dead-store, silent-store, silent-load, spatial-load or adjacent-load (default: all, the kind as "
     "outermost "
     "frame)",
     0},
    {"threads", 't', NULL, 0, "of --to folded: the thread's name is the outermost frame", 0},
    {"lines", 'l', NULL, 0, "frames carry their source line", 0},
    SELECTION_OPTIONS(0),
    TOOL_OPTIONS,
    {0}};

static void export_check_usage(struct argp_state *state)
{
    if (!own.format || own.tool.path_count == 0)
        argp_error(state, "give --to FORMAT and at least one trace");
    if (strcmp(own.format, "folded") != 0 && own.threads)
        argp_error(state, "--threads needs --to folded; other formats tell threads apart by themselves");
    if (strcmp(own.format, "chrome") == 0 && own.pairs)
        argp_error(state, "--pairs needs --to folded, speedscope or pprof: Chrome's trace needs times");
    if (own.events && (own.pairs || own.lines))
        argp_error(state, "--events can't be used with --pairs or --lines");
    if (own.events && strcmp(own.format, "folded") != 0 && strcmp(own.format, "chrome") != 0)
        argp_error(state, "--events needs --to chrome or --to folded");
    if ((own.events || own.pairs) && (own.selection.weight || own.selection.states))
        argp_error(state, "--weight and --state choose samples, and can't be used with --pairs or --events");
    if (own.kind != WASTE_COUNT && !own.pairs)
        argp_error(state, "--kind needs --pairs");
}

static error_t export_parse_option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'T':
        if (strcmp(arg, "folded") != 0 && !profile_export_known(arg))
            argp_error(state, "--to %s: must be folded, speedscope, pprof or chrome", arg);
        own.format = arg;
        return 0;
    case KEY_PAIRS:
        own.pairs = true;
        return 0;
    case KEY_EVENTS:
        own.events = true;
        return 0;
    case 'k':
        own.kind = trace_waste_named(arg);
        if (own.kind == WASTE_COUNT)
            argp_error(state, "--kind %s: must be dead-store, silent-store, silent-load, spatial-load or adjacent-load",
                       arg);
        return 0;
    case 't':
        own.threads = true;
        return 0;
    case 'l':
        own.lines = true;
        return 0;
    case ARGP_KEY_END:
        export_check_usage(state);
        return 0;
    case SELECTION_WEIGHT:
    case SELECTION_STATE:
        return selection_option(&own.selection, key, arg, state);
    default:
        return tool_option(&own.tool, key, arg, state);
    }
}

/* ------------------------------------------------------------------------------------------ samples -- */

static bool export_start_line(struct folded_line *line, const struct trace_names *names, uint32_t thread)
{
    char name[256];
    thread_name(names, thread, name, sizeof name);
    folded_clear(line);
    return !own.threads || folded_frame(line, name);
}

static bool export_flush_thread(struct folded *stacks, const struct trace_names *names, uint32_t thread,
                                uint64_t *counts)
{
    struct folded_line line = {0};
    bool good = true;
    for (uint32_t id = 0; good && id < names->context_count; id++)
        if (counts[id] > 0)
            good = export_start_line(&line, names, thread) && folded_context(&line, names, id, own.lines) &&
                   folded_add(stacks, &line, counts[id]);
    memset(counts, 0, names->context_count * sizeof *counts);
    folded_free_line(&line);
    return good;
}

static bool export_add_samples(struct folded *stacks, const struct trace *trace, const struct trace_names *names,
                               const struct trace_selection *selection, struct trace_loss *loss)
{
    const uint64_t columns =
        trace_selection_columns(selection, TRACE_COLUMN(SAMPLE_CONTEXT) | TRACE_COLUMN(SAMPLE_WEIGHT));
    uint64_t *counts = calloc(names->context_count, sizeof *counts);
    struct trace_batch batch = {0};
    struct error_text problem;
    uint32_t thread = 0;
    bool good = counts != NULL;
    for (size_t i = 0; good && i < trace_chunk_count(trace); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace, i);
        if (!trace_selection_takes(selection, chunk->kind))
            continue;
        if (own.threads && chunk->thread != thread)
            good = export_flush_thread(stacks, names, thread, counts);
        thread = chunk->thread;
        int status = trace_read(trace, i, columns, &batch, &problem);
        trace_loss_read(loss, chunk, status, &problem);
        if (status == 0)
            trace_selection_apply(selection, &batch);
        for (size_t row = 0; status == 0 && row < batch.count; row++) {
            uint64_t context = batch.integers[SAMPLE_CONTEXT][row];
            counts[context < names->context_count ? context : 0] +=
                trace_sample_weight(batch.integers[SAMPLE_WEIGHT][row]);
        }
    }
    good = good && export_flush_thread(stacks, names, thread, counts);
    trace_batch_free(&batch);
    free(counts);
    return good;
}

/* ------------------------------------------------------------------------------------------ pairs -- */

static bool export_add_pairs(struct folded *stacks, const struct trace *trace, const struct trace_names *names,
                             struct pairs_wish *wish, struct trace_loss *loss)
{
    struct folded_line line = {0};
    struct trace_batch batch = {0};
    struct error_text problem;
    bool good = true;
    for (size_t i = 0; good && i < trace_chunk_count(trace); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace, i);
        const uint64_t columns = pairs_export_columns(chunk->kind);
        if (columns == 0)
            continue;
        int status = trace_read(trace, i, columns, &batch, &problem);
        trace_loss_read(loss, chunk, status, &problem);
        for (size_t row = 0; good && status == 0 && row < batch.count; row++) {
            struct pairs_row pair;
            if (!pairs_export_row(&batch, row, wish, &pair))
                continue;
            uint32_t first = pair.first < names->context_count ? (uint32_t)pair.first : 0,
                     second = pair.second < names->context_count ? (uint32_t)pair.second : 0;
            good = export_start_line(&line, names, batch.thread) &&
                   (wish->kind != WASTE_COUNT || folded_frame(&line, trace_waste_name(pair.waste))) &&
                   folded_context(&line, names, first, own.lines) && folded_context(&line, names, second, own.lines) &&
                   folded_add(stacks, &line, pair.bytes);
        }
    }
    trace_batch_free(&batch);
    folded_free_line(&line);
    return good;
}

/* ------------------------------------------------------------------------------------------ events -- */

/* The number of the process, or a larger one if an earlier trace had the same, or it is unknown. */
static uint32_t export_process_number(const struct trace *trace)
{
    static uint32_t *taken, count;
    uint32_t *grown = realloc(taken, (count + 1) * sizeof *grown);
    json_int_t pid = json_integer_value(json_object_get(trace_metadata(trace), "pid"));
    uint32_t process = pid > 0 && pid < FIRST_OWN_PROCESS ? (uint32_t)pid : FIRST_OWN_PROCESS + count;
    if (!grown)
        return FIRST_OWN_PROCESS + count++;
    taken = grown;
    for (uint32_t i = 0; i < count; i++)
        if (taken[i] == process)
            process = FIRST_OWN_PROCESS + count;
    taken[count++] = process;
    return process;
}

static bool export_add_events(struct tool *tool, struct folded *stacks, const struct trace *trace,
                              const struct trace_names *names, struct trace_loss *loss)
{
    struct event_gaps gaps = {0};
    bool good = strcmp(own.format, "chrome") == 0
                    ? events_chrome_add(tool->out, export_process_number(trace), trace, names, loss, &gaps)
                    : events_folded_add(stacks, own.threads, trace, names, loss, &gaps);
    const struct {
        uint64_t count;
        const char *text;
    } reported[] = {
        {gaps.missing_exits, "calls have no exit: they end with the call below them"},
        {gaps.missing_enters, "exits have no entry and are left out"},
        {gaps.open, "calls are open at the end: they end with the last event of their thread"},
        {gaps.too_deep, "calls are nested too deeply for this format and are part of their caller"},
        {gaps.new_stacks, "calls on stacks after the first 65536 are part of their caller"},
        {gaps.backwards, "events have an earlier time than the event before them: the times are taken as equal"}};
    for (size_t i = 0; i < sizeof reported / sizeof *reported; i++)
        if (reported[i].count > 0)
            tool_report(tool, "%s: %" PRIu64 " %s", trace_path(trace), reported[i].count, reported[i].text);
    if (good && gaps.events == 0)
        tool_print_error(tool, "%s: no events: record them with assay record --mode methods", trace_path(trace));
    return good;
}

/* ------------------------------------------------------------------------------------------ traces -- */

/* Where traces go. */
struct export_target {
    struct folded stacks;
    struct profile_export *profile; /* NULL: folded stacks, or events */
};

static void export_add_trace(struct tool *tool, struct trace *trace, void *to)
{
    struct export_target *target = to;
    struct folded *stacks = &target->stacks;
    struct profile_export *export = target->profile;
    struct error_text message = {""};
    struct trace_names names;
    struct trace_selection selection = {0};
    struct trace_loss loss = *trace_loss(trace);
    struct pairs_wish wish = {.kind = own.kind};
    if (selection_find(&own.selection, trace, &selection, &message) != STATUS_GOOD) {
        tool_print_error(tool, "%s: %s", trace_path(trace), message.text);
        return;
    }
    if (trace_names_load(trace, &names, &loss) != 0) {
        tool_print_no_memory(tool, trace_path(trace));
        return;
    }
    bool samples = own.events, events = false;
    for (size_t i = 0; i < trace_chunk_count(trace) && !samples; i++) {
        uint32_t kind = trace_chunk_at(trace, i)->kind;
        samples = kind == TRACE_SAMPLE || kind == TRACE_PAIR || kind == TRACE_TRAP;
        events |= kind == TRACE_EVENT;
    }
    if (!samples && events)
        tool_print_error(tool, "%s: no samples, but method entries and exits: use --events", trace_path(trace));
    bool good = own.events            ? export_add_events(tool, stacks, trace, &names, &loss)
                : export && own.pairs ? pairs_export_add(export, trace, &names, &wish, &loss)
                : own.pairs           ? export_add_pairs(stacks, trace, &names, &wish, &loss)
                : export ? profile_export_add(export, trace, &names, &selection, &loss, &message) == STATUS_GOOD
                         : export_add_samples(stacks, trace, &names, &selection, &loss);
    loss.no_memory |= !good && !*message.text;
    tool_report_loss(tool, trace, &loss);
    if (wish.unknown > 0)
        tool_report(tool, "%s: %" PRIu64 " records are of kinds that this version does not know", trace_path(trace),
                    wish.unknown);
    if (*message.text)
        tool_print_error(tool, "%s: %s", trace_path(trace), message.text);
    trace_names_free(&names);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {options,
                                     export_parse_option,
                                     "TRACE...",
                                     "A trace in the format of another tool.\v"
                                     "Examples:\n"
                                     "  assay export --to folded out/*.trace > out.folded\n"
                                     "  flamegraph.pl out.folded > out.svg\n"
                                     "  assay export --to pprof -o out.pb.gz out/*.trace\n"
                                     "  assay export --to speedscope out/*.trace > out.json\n"
                                     "  assay export --to chrome --events out/*.trace > events.json\n"
                                     "  assay export --to folded --pairs --kind dead-store out/*.trace > dead.folded\n"
                                     "  assay export --to speedscope --pairs out/*.trace > pairs.json\n",
                                     NULL,
                                     NULL,
                                     NULL};
    struct export_target target = {.profile = NULL};
    own.tool.selection = &own.selection;
    tool_parse(&own.tool, &argp, argc, argv, NULL);
    if (!tool_open_output(&own.tool))
        return 1;
    bool is_folded = strcmp(own.format, "folded") == 0;
    bool is_profile = !is_folded && !own.events;
    target.profile = is_profile ? profile_export_open(own.format, own.tool.out, own.lines) : NULL;
    if (is_profile && !target.profile)
        tool_print_no_memory(&own.tool, own.format);
    if (own.events && !is_folded)
        events_chrome_begin(own.tool.out);
    if (!is_profile || target.profile)
        tool_for_each_trace(&own.tool, NULL, export_add_trace, &target);
    if (own.events && !is_folded)
        events_chrome_end(own.tool.out);
    else if (is_folded ? !folded_print(own.tool.out, &target.stacks)
                       : target.profile && !profile_export_close(target.profile))
        tool_print_no_memory(&own.tool, own.format);
    folded_free(&target.stacks);
    return tool_close_output(&own.tool);
}
