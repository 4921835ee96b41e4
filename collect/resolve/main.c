/*
 * assay-resolve - adds symbols to raw native traces; `assay record` does this automatically.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/suggest.h"
#include "base/json_memory.h"
#include "collect/symbols/cache.h"
#include "collect/symbols/resolve.h"

const char *argp_program_version = "assay-resolve " ASSAY_VERSION;

static const struct argp_option options[] = {
    {"quiet", 'q', NULL, 0, "Say nothing of modules that are missing or have changed", 0},
    {0},
};

struct arguments {
    bool quiet;
    int first; /* of the traces in argv */
};

static error_t resolve_parse_option(int key, char *argument, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    (void)argument;
    switch (key) {
    case 'q':
        arguments->quiet = true;
        return 0;
    case ARGP_KEY_ARGS:
        arguments->first = state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no trace was given");
        return 0;
    default: /* also single arguments: then they come together as ARGP_KEY_ARGS */
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = options,
    .parser = resolve_parse_option,
    .args_doc = "TRACE...",
    .doc = "Adds to native traces the functions, source lines and inlined calls of the programs and libraries that "
           "they were recorded in.\v"
           "The program's files must still be those that ran (their build ids are compared); separate debug files are "
           "looked for below /usr/lib/debug. A trace that is resolved already, or of a Java program, stays as it is.",
};

int main(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct cache *cache = cache_new();
    int status = 0;
    json_memory_watch();
    argp_err_exit_status = 2;
    suggest_parse(&parser, argc, argv, 0, &arguments);
    for (int i = arguments.first; i < argc; i++) {
        struct resolve_report report;
        struct error_text problem;
        enum resolve_status done = resolve_trace(argv[i], cache, &report, &problem);
        if (done == RESOLVE_FAILED) {
            fprintf(stderr, "assay-resolve: %s: %s\n", argv[i], problem.text);
            status = 1;
        } else if (done == RESOLVE_DONE && !arguments.quiet) {
            fprintf(stderr, "assay-resolve: %s: %" PRIu64 " of %" PRIu64 " places named, %" PRIu64 " with a line\n",
                    argv[i], report.named, report.frames, report.with_line);
            if (report.modules_missing)
                fprintf(stderr, "assay-resolve: %s: %" PRIu64 " of %" PRIu64 " modules can't be read (%s)\n", argv[i],
                        report.modules_missing, report.modules, report.first_missing);
            if (report.modules_changed)
                fprintf(stderr, "assay-resolve: %s: %" PRIu64 " of %" PRIu64 " modules are not those that ran (%s)\n",
                        argv[i], report.modules_changed, report.modules, report.first_changed);
        }
    }
    cache_free(cache);
    return status;
}
