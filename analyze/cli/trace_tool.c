#include "analyze/cli/trace_tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/common.h"
#include "analyze/cli/trace_paths.h"
#include "base/json_memory.h"

void tool_parse(struct tool *tool, const struct argp *argp, int argc, char **argv, void *input)
{
    common_parse(tool->name, argp, argc, argv, input);
}

error_t tool_option(struct tool *tool, int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case TOOL_KEEP_GOING:
        tool->keep_going = true;
        return 0;
    case TOOL_PROFILE:
        tool->profile = arg;
        return 0;
    case 'o':
        tool->output = arg;
        return 0;
    case ARGP_KEY_ARGS:
        tool->paths = state->argv + state->next;
        tool->path_count = state->argc - state->next;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

__attribute__((format(printf, 2, 0))) static void tool_vprint(struct tool *tool, const char *format, va_list args)
{
    fflush(tool->out ? tool->out : stdout);
    result_vprint_error(tool->name, format, args);
}

void tool_report(struct tool *tool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tool_vprint(tool, format, args);
    va_end(args);
}

void tool_print_error(struct tool *tool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tool_vprint(tool, format, args);
    va_end(args);
    tool->status = 1;
}

void tool_print_no_memory(struct tool *tool, const char *path)
{
    tool_print_error(tool, "%s: out of memory", path);
    tool->no_memory = true;
}

bool tool_open_output(struct tool *tool)
{
    int error = tool->output ? replace_open(&tool->file, tool->output) : 0;
    if (error)
        tool_print_error(tool, "%s: %s", tool->output, strerror(error));
    tool->out = error ? NULL : tool->output ? tool->file.out : stdout;
    return !error;
}

int tool_close_output(struct tool *tool)
{
    errno = 0;
    bool bad = fflush(tool->out) != 0 || ferror(tool->out);
    int error = errno;
    if (!tool->no_memory && json_memory_has_failed())
        tool_print_no_memory(tool, tool->output ? tool->output : "standard output");
    if (tool->out != stdout) {
        bool none = (tool->no_memory || (tool->status && tool->opened == 0)) && !bad;
        error = replace_close(&tool->file, bad ? (error ? error : EIO) : none ? ECANCELED : 0);
        bad = error && !none;
    }
    tool->out = NULL;
    if (bad)
        tool_print_error(tool, "%s: %s", tool->output ? tool->output : "standard output",
                         error ? strerror(error) : "not all of it could be written; is the disk full?");
    return tool->status;
}

bool tool_open_traces(struct tool *tool, const char *path, struct opened *opened)
{
    struct error_text problem;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    int before = tool->status;
    const struct opened_options options = {.profile = tool->profile, .selection = tool->selection};
    if (opened_open(path, &options, opened, &problem) != STATUS_GOOD) {
        tool_print_error(tool, "%s: %s", name, problem.text);
        return false;
    }
    tool->opened++;
    if (*opened->damage.text)
        tool_print_error(tool, "%s: %s", name, opened->damage.text);
    if (tool->keep_going)
        tool->status = before;
    if (*opened->note.text)
        tool_report(tool, "%s: %s", name, opened->note.text);
    return true;
}

static void tool_show_file(struct tool *tool, const char *path,
                           void (*show)(struct tool *tool, struct trace *trace, void *own), void *own)
{
    struct opened opened;
    if (!tool_open_traces(tool, path, &opened))
        return;
    for (size_t t = 0; t < opened.count; t++)
        show(tool, opened.traces[t], own);
    opened_close(&opened);
}

/* Returns how many traces the directory has. */
static int tool_show_directory(struct tool *tool, const char *directory,
                               void (*show)(struct tool *tool, struct trace *trace, void *own), void *own)
{
    char **paths;
    int count = trace_paths_list(directory, &paths);
    for (int i = 0; i < count; i++) {
        tool_show_file(tool, paths[i], show, own);
        free(paths[i]);
    }
    free(paths);
    if (count < 0)
        tool_print_no_memory(tool, directory);
    return count;
}

void tool_for_each_trace(struct tool *tool, const char *folder,
                         void (*show)(struct tool *tool, struct trace *trace, void *own), void *own)
{
    for (int i = 0; i < tool->path_count; i++) {
        int count = tool_show_directory(tool, tool->paths[i], show, own);
        if (count == 0) /* also of a directory without traces, which is reported */
            tool_show_file(tool, tool->paths[i], show, own);
        char *below = folder && count > 0 ? trace_paths_join(tool->paths[i], folder) : NULL;
        if (below)
            tool_show_directory(tool, below, show, own);
        else if (folder && count > 0)
            tool_print_no_memory(tool, tool->paths[i]);
        free(below);
    }
}

void tool_report_loss(struct tool *tool, const struct trace *trace, const struct trace_loss *loss)
{
    struct error_text damage;
    uint64_t dropped = 0;
    char causes[512] = "", one[64];
    if (loss->no_memory)
        tool_print_no_memory(tool, trace_path(trace));
    trace_loss_text(trace, loss, &damage);
    int before = tool->status;
    if (*damage.text)
        tool_print_error(tool, "%s: %s", trace_path(trace), damage.text);
    if (tool->keep_going)
        tool->status = before;
    for (unsigned cause = 0; cause < LOST_CAUSE_COUNT; cause++) {
        dropped += loss->dropped[cause];
        snprintf(one, sizeof one, "%" PRIu64 " %s", loss->dropped[cause], trace_cause_name(cause));
        if (loss->dropped[cause] > 0)
            error_list(causes, sizeof causes, one);
    }
    if (dropped > 0)
        tool_report(tool, "%s: %" PRIu64 " record%s lost while recording: %s", trace_path(trace), dropped,
                    dropped == 1 ? " was" : "s were", causes);
    if (loss->unknown_chunks > 0)
        tool_report(tool, "%s: %" PRIu64 " chunks of a newer version were skipped", trace_path(trace),
                    loss->unknown_chunks);
}
