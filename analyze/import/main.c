/*
 * assay import - the profiles of other tools as assay traces.
 *
 * The content of a file shows its format. Each profile in it (each event) becomes a trace, which says where it comes
 * from and what its format does not contain; several values of a sample are its weights. Prints a line for each trace:
 * its path, format, profile, samples and their sum, and what is unknown.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/import/profile_import.h"
#include "analyze/cli/spool.h"
#include "analyze/cli/trace_tool.h"

static struct import_options {
    struct tool tool;
    const char *output, *profile;
    bool quiet, raw_names;
} own = {.tool.name = "import"};

enum { KEY_RAW_NAMES = 0x100 };

static const struct argp_option options[] = {
    {"output", 'o', "TRACE|DIR", 0, "the trace; or a directory for traces (default: the current one)", 0},
    {"profile", 'p', "NAME", 0,
     "only this profile of a file that holds several: an event; for JFR, any event with a stack; for pprof, OTLP and "
     "callgrind, the value that is the first weight; for perf, EVENT/period weights samples by their periods",
     0},
    {"raw-names", KEY_RAW_NAMES, NULL, 0, "methods are called what the file calls them", 0},
    {"keep-going", TOOL_KEEP_GOING, NULL, 0, "exit 0 even if a file is damaged or cut", 0},
    {"quiet", 'q', NULL, 0, "do not print what was imported", 0},
    {0}};

static error_t import_parse_option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'o':
        own.output = arg;
        return 0;
    case 'p':
        own.profile = arg;
        return 0;
    case KEY_RAW_NAMES:
        own.raw_names = true;
        return 0;
    case 'q':
        own.quiet = true;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "name at least one profile");
        return EINVAL;
    default:
        return tool_option(&own.tool, key, arg, state);
    }
}

/* ------------------------------------------------------------------------------------------ where to -- */

/* Whether -o names a directory: an existing one, or one that is needed and then created. -1 after a message. */
static int import_output_is_directory(void)
{
    if (!own.output)
        return 0;
    struct stat file;
    size_t length = strlen(own.output);
    if (stat(own.output, &file) == 0 && S_ISDIR(file.st_mode))
        return 1;
    if (own.tool.path_count == 1 && length > 0 && own.output[length - 1] != '/')
        return 0;
    if (mkdir(own.output, 0777) != 0) {
        tool_print_error(&own.tool, "%s: %s", own.output, strerror(errno));
        return -1;
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------ what was done -- */

static void import_print_trace(FILE *out, const struct import_result *result, const struct sink_result *trace)
{
    static const char *const unknown[] = {"times", "threads", "period", "stacks", "roles"};
    char list[64] = "";
    if (!trace->path) {
        fprintf(out, "%s, %s: no sample, so no trace", result->format, trace->name);
        if (trace->zero > 0)
            fprintf(out, "; %" PRIu64 " of weight 0 left out", trace->zero);
        if (trace->lost > 0)
            fprintf(out, "; %" PRIu64 " lost while recording", trace->lost);
        putc('\n', out);
        return;
    }
    for (unsigned i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (trace->unknown >> i & 1)
            error_list(list, sizeof list, unknown[i]);
    error_list(list, sizeof list, "runs");
    fprintf(out, "%s: %s, %s: %" PRIu64 " records, %" PRIu64 " %s", trace->path, result->format, trace->name,
            trace->samples, trace->weight, trace->unit);
    if (!(trace->unknown & UNKNOWN_THREADS))
        fprintf(out, ", %" PRIu64 " thread%s", trace->threads, trace->threads == 1 ? "" : "s");
    if (trace->zero > trace->aside)
        fprintf(out, ", %" PRIu64 " of weight 0 left out", trace->zero - trace->aside);
    if (trace->aside > 0)
        fprintf(out, ", %" PRIu64 " more that only other weights count", trace->aside);
    if (trace->lost > 0)
        fprintf(out, ", %" PRIu64 " lost while recording", trace->lost);
    if (trace->cut > 0)
        fprintf(out, ", %" PRIu64 " stacks were cut to their %d innermost frames", trace->cut, TRACE_STACK_MAX - 1);
    fprintf(out, "; not known: %s\n", list);
}

static void import_convert_file(const char *path, bool in_directory)
{
    static const char *const endings[] = {".gz", ".zst", ".trace"};
    struct import_result result;
    struct error_text message = {""};
    const char *file = spool_path(path);
    /* A trace is named after the file, without the suffixes of its compression and format. */
    const char *folder = in_directory ? own.output : "", *slash = strrchr(path, '/');
    const char *name = strcmp(path, "-") == 0 ? "stdin" : slash ? slash + 1 : path;
    bool slash_needed = in_directory && folder[strlen(folder) - 1] != '/';
    char *base = NULL;
    if (asprintf(&base, "%s%s%s", folder, slash_needed ? "/" : "", name) < 0)
        base = NULL;
    if (!file || !base) {
        tool_print_error(&own.tool, "%s: %s", path, strerror(errno));
        free(base);
        return;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(base), ending = strlen(endings[i]);
        if (length > ending + strlen(folder) + 1 && strcmp(base + length - ending, endings[i]) == 0)
            base[length - ending] = '\0';
    }

    const struct sink_options sink_options = {.base = base,
                                              .exact = in_directory ? NULL : own.output,
                                              .profile = own.profile,
                                              .source = path,
                                              .raw_names = own.raw_names};
    int before = own.tool.status;
    int status = profile_import(file, &sink_options, &result, &message);
    bool has_trace = false;
    for (size_t i = 0; i < result.trace_count; i++) {
        has_trace |= result.traces[i].path != NULL;
        if (!own.quiet)
            import_print_trace(own.tool.out, &result, &result.traces[i]);
    }
    if (result.note.text[0])
        tool_report(&own.tool, "%s: %s", path, result.note.text);
    if (status != STATUS_GOOD)
        tool_print_error(&own.tool, "%s: %s", path, message.text);
    if (own.tool.keep_going && has_trace)
        own.tool.status = before;
    sink_free(result.sink);
    free(base);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {options,
                                     import_parse_option,
                                     "FILE...",
                                     "Imports profiles of other tools as assay traces, for assay hot, info, export and "
                                     "others. The content shows the format.\v"
                                     "Examples:\n"
                                     "  perf script -i perf.data > perf.txt && assay import perf.txt\n"
                                     "  assay import -o traces/ run1.jfr run2.jfr && assay hot traces/*.trace\n"
                                     "  assay import -o cpu.trace --profile cpu profile.pb.gz\n"
                                     "  assay import stacks.folded && assay export --to pprof -o x.pb.gz *.trace\n",
                                     NULL,
                                     NULL,
                                     NULL};
    tool_parse(&own.tool, &argp, argc, argv, NULL);
    int in_directory = import_output_is_directory();
    if (in_directory < 0 || !tool_open_output(&own.tool))
        return 1;
    for (int i = 0; i < own.tool.path_count; i++)
        import_convert_file(own.tool.paths[i], in_directory > 0);
    return tool_close_output(&own.tool);
}
