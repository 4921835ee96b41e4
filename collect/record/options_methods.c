#include "collect/record/options_methods.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/record/quantity.h"

enum { CODE_BYTES_MAX = 65535, MIN_BYTES = 50 };

void options_methods_add(json_t **list, const char *pattern)
{
    if (!*list)
        *list = json_array();
    json_array_append_new(*list, json_string(pattern));
}

static uint64_t parse_min_bytes(struct argp_state *state, const char *text)
{
    uint64_t bytes = MIN_BYTES;
    if (text && (!quantity_count(text, &bytes) || bytes > CODE_BYTES_MAX))
        argp_error(state, "--min-bytes %s: a number of bytes up to %d is wanted", text, CODE_BYTES_MAX);
    return bytes;
}

/* The command may change its directory before an agent reads the file. */
static void set_file(struct argp_state *state, const char *name, json_t *selection)
{
    char path[PATH_MAX];
    if (!name)
        return;
    if (access(name, R_OK) != 0 || !realpath(name, path))
        argp_failure(state, RECORD_USAGE, 0, "--methods %s: %s", name, strerror(errno));
    json_object_set_new(selection, "file", json_string(path));
}

void options_methods_settle(struct argp_state *state, const struct options_methods *given, const char *sampling,
                            struct record_options *options)
{
    const char *own = given->min_bytes      ? "min-bytes"
                      : given->file         ? "methods"
                      : given->no_loop_rule ? "no-loop-rule"
                      : given->include      ? "include"
                      : given->exclude      ? "exclude"
                                            : NULL;
    options->methods = strcmp(options->mode, "methods") == 0;
    if (own && !options->methods)
        argp_error(state, "--%s is for --mode methods", own);
    if (!options->methods)
        return;
    if (strcmp(options->engine, "auto") != 0)
        argp_error(state, "--engine is not for --mode methods, whose probes see every call");
    if (sampling)
        argp_error(state, "%s is for sampling: --mode methods sees every call", sampling);
    if (given->file && (given->min_bytes || given->no_loop_rule || given->include || given->exclude))
        argp_error(state, "--methods names the methods: --min-bytes, --no-loop-rule, --include and --exclude are for "
                          "when they are not named");
    options->clocks[0] = (struct record_clock){.name = "events"};
    options->clock_count = 1;
    options->selection = json_pack("{s:I, s:b}", "min_bytes", (json_int_t)parse_min_bytes(state, given->min_bytes),
                                   "loop_rule", !given->no_loop_rule);
    if (given->include)
        json_object_set(options->selection, "include", given->include);
    if (given->exclude)
        json_object_set(options->selection, "exclude", given->exclude);
    set_file(state, given->file, options->selection);
}
