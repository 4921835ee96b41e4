/*
 * assay export - samples in the format of another tool.
 *
 * folded: one line a distinct stack, outermost frame first, joined by ';', then a space and the number of samples: what
 * flamegraph.pl, speedscope and inferno read. Several traces are added up. A ';' in a name becomes ':'.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/lib/method_name.h"
#include "analyze/lib/text_set.h"
#include "analyze/lib/trace_tool.h"

static struct export_options {
    struct tool tool;
    const char *format;
    bool threads, lines;
    char **paths;
    int path_count;
} own = {.tool.name = "export"};

enum { KEY_KEEP_GOING = 0x100 };

static const struct argp_option options[] = {
    {"to", 'T', "FORMAT", 0, "folded: folded stacks for flame graph tools", 0},
    {"threads", 't', NULL, 0, "the thread's name is the outermost frame", 0},
    {"lines", 'l', NULL, 0, "frames carry their source line", 0},
    {"keep-going", KEY_KEEP_GOING, NULL, 0, "exit 0 even if a trace is damaged or cut", 0},
    {"output", 'o', "FILE", 0, "write to FILE instead of standard output", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'T':
        if (strcmp(arg, "folded") != 0)
            argp_error(state, "--to %s: this version writes folded", arg);
        own.format = arg;
        return 0;
    case 't':
        own.threads = true;
        return 0;
    case 'l':
        own.lines = true;
        return 0;
    case KEY_KEEP_GOING:
        own.tool.keep_going = true;
        return 0;
    case 'o':
        own.tool.output = arg;
        return 0;
    case ARGP_KEY_ARGS:
        own.paths = state->argv + state->next;
        own.path_count = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (!own.format || own.path_count == 0)
            argp_error(state, "say --to folded and name at least one trace");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ------------------------------------------------------------------------------------------ stacks -- */

struct stacks {
    struct text_set lines;
    uint64_t *counts;
    size_t capacity;
};

struct line {
    char *text;
    size_t length, capacity, parts;
};

static bool line_add(struct line *line, const char *text, char separator)
{
    size_t length = strlen(text);
    if (line->length + length + 2 > line->capacity) {
        size_t capacity = 2 * (line->length + length + 2);
        char *grown = realloc(line->text, capacity);
        if (!grown)
            return false;
        line->text = grown;
        line->capacity = capacity;
    }
    if (line->parts++ > 0)
        line->text[line->length++] = separator;
    for (; *text; text++)
        line->text[line->length++] = *text == ';' ? ':' : *text == '\n' ? ' ' : *text;
    line->text[line->length] = '\0';
    return true;
}

static bool add_frame(struct line *line, const struct trace_names *names, uint32_t context)
{
    char name[METHOD_NAME_MAX + 16];
    const struct trace_frame *frame = &names->frames[names->contexts[context].frame];
    method_name(&names->methods[frame->method], name);
    if (own.lines && frame->line > 0)
        snprintf(name + strlen(name), 16, ":%" PRIu32, frame->line);
    return line_add(line, name, ';');
}

static bool write_stack(struct line *line, const struct trace_names *names, uint32_t thread, uint32_t context)
{
    enum { DEPTH_MAX = 1 << 16 };
    static uint32_t path[DEPTH_MAX];
    size_t depth = 0;
    for (uint32_t at = context; depth < DEPTH_MAX && (at || depth == 0); at = names->contexts[at].parent)
        path[depth++] = at;
    line->length = line->parts = 0;
    bool good = !own.threads || line_add(line, names->threads[thread].name, ';');
    while (good && depth-- > 0)
        good = add_frame(line, names, path[depth]);
    return good;
}

static bool count_stack(struct stacks *stacks, const char *text, uint64_t count)
{
    uint32_t id = text_set_add(&stacks->lines, text);
    if (id == TEXT_SET_FULL)
        return false;
    if (id >= stacks->capacity) {
        size_t capacity = stacks->capacity ? 2 * stacks->capacity : 256;
        uint64_t *counts = realloc(stacks->counts, capacity * sizeof *counts);
        if (!counts)
            return false;
        memset(counts + stacks->capacity, 0, (capacity - stacks->capacity) * sizeof *counts);
        stacks->counts = counts;
        stacks->capacity = capacity;
    }
    stacks->counts[id] += count;
    return true;
}

/* ------------------------------------------------------------------------------------------ traces -- */

static bool flush_thread(struct stacks *stacks, const struct trace_names *names, uint32_t thread, uint64_t *counts)
{
    struct line line = {0};
    bool good = true;
    for (uint32_t id = 0; good && id < names->context_count; id++)
        if (counts[id] > 0)
            good = write_stack(&line, names, thread < names->thread_count ? thread : 0, id) &&
                   count_stack(stacks, line.text, counts[id]);
    memset(counts, 0, names->context_count * sizeof *counts);
    free(line.text);
    return good;
}

static bool add_samples(struct stacks *stacks, const struct trace *trace, const struct trace_names *names,
                        struct trace_loss *loss)
{
    uint64_t *counts = calloc(names->context_count, sizeof *counts);
    struct trace_batch batch = {0};
    struct trace_problem problem;
    uint32_t thread = 0;
    bool good = counts != NULL;
    for (size_t i = 0; good && i < trace_chunk_count(trace); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace, i);
        if (chunk->kind != TRACE_SAMPLE)
            continue;
        if (own.threads && chunk->thread != thread)
            good = flush_thread(stacks, names, thread, counts);
        thread = chunk->thread;
        int status = trace_read(trace, i, UINT64_C(1) << SAMPLE_CONTEXT, &batch, &problem);
        trace_loss_read(loss, chunk, status, &problem);
        for (size_t row = 0; status == 0 && row < batch.count; row++) {
            uint64_t context = batch.integers[SAMPLE_CONTEXT][row];
            counts[context < names->context_count ? context : 0]++;
        }
    }
    good = good && flush_thread(stacks, names, thread, counts);
    trace_batch_free(&batch);
    free(counts);
    return good;
}

static void add_trace(struct tool *tool, struct stacks *stacks, const char *path)
{
    struct trace *trace = tool_open_trace(tool, path);
    struct trace_names names;
    if (!trace)
        return;
    struct trace_loss loss = *trace_loss(trace);
    if (trace_names_load(trace, &names, &loss) != 0) {
        tool_complain(tool, "%s: out of memory", path);
    } else {
        bool good = add_samples(stacks, trace, &names, &loss);
        tool_tell_loss(tool, trace, &loss);
        if (!good)
            tool_complain(tool, "%s: out of memory", path);
        trace_names_free(&names);
    }
    trace_close(trace);
}

static int by_text(const void *a, const void *b, void *set)
{
    char **texts = ((struct text_set *)set)->texts;
    return strcmp(texts[*(const uint32_t *)a], texts[*(const uint32_t *)b]);
}

static void print_stacks(FILE *out, struct stacks *stacks)
{
    uint32_t *order = calloc(stacks->lines.count + 1, sizeof *order);
    for (uint32_t i = 0; order && i < stacks->lines.count; i++)
        order[i] = i;
    if (order)
        qsort_r(order, stacks->lines.count, sizeof *order, by_text, &stacks->lines);
    for (uint32_t i = 0; order && i < stacks->lines.count; i++)
        fprintf(out, "%s %" PRIu64 "\n", stacks->lines.texts[order[i]], stacks->counts[order[i]]);
    free(order);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {options,
                                     parse,
                                     "TRACE...",
                                     "Samples in the format of another tool.\v"
                                     "Examples:\n"
                                     "  assay export --to folded out/*.trace > out.folded\n"
                                     "  flamegraph.pl out.folded > out.svg\n",
                                     NULL,
                                     NULL,
                                     NULL};
    struct stacks stacks = {0};
    tool_parse(&own.tool, &argp, argc, argv, NULL);
    if (!tool_open_output(&own.tool))
        return 1;
    for (int i = 0; i < own.path_count; i++)
        add_trace(&own.tool, &stacks, own.paths[i]);
    print_stacks(own.tool.out, &stacks);
    text_set_free(&stacks.lines);
    free(stacks.counts);
    return tool_close_output(&own.tool);
}
