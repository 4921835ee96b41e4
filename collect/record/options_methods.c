#include "collect/record/options_methods.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/methods/methods.h"
#include "collect/record/pmu.h"
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

static void refuse_counter(struct argp_state *state, const char *name)
{
    static const char instead[] = "use cpu-time, wall-time, allocated, page-faults or context-switches";
    struct pmu_event event;
    const char *why;
    if (pmu_encode(name, &event, &why) == 0)
        argp_failure(state, RECORD_USAGE, 0, "--counters %s: hardware events are not counted in probes; %s", name,
                     instead);
    argp_failure(state, RECORD_USAGE, 0, "--counters %s: no such counter; %s", name, instead);
}

static void add_counter(struct argp_state *state, json_t *counters, const char *name)
{
    static const char *const names[COUNTER_KINDS] = {METHODS_COUNTER_OPTIONS};
    size_t which = 0, i;
    const json_t *other;
    while (which < COUNTER_KINDS && strcmp(name, names[which]) != 0)
        which++;
    if (which == COUNTER_KINDS)
        refuse_counter(state, name);
    json_array_foreach(counters, i, other)
    {
        if (strcmp(json_string_value(other), name) == 0)
            argp_error(state, "--counters: %s is given twice", name);
    }
    if (json_array_size(counters) == EVENT_COUNTERS_MAX)
        argp_error(state, "--counters: at most %d", EVENT_COUNTERS_MAX);
    json_array_append_new(counters, json_string(name));
}

static json_t *parse_counters(struct argp_state *state, const char *list)
{
    json_t *counters = json_array();
    char *copy = strdup(list ? list : "cpu-time"), *rest = copy, *name;
    if (!copy)
        argp_failure(state, RECORD_FAILED, errno, "--counters");
    while ((name = strsep(&rest, ",")))
        add_counter(state, counters, name);
    free(copy);
    return counters;
}

void options_methods_settle(struct argp_state *state, const struct options_methods *given, const char *sampling,
                            struct record_options *options)
{
    const char *own = given->min_bytes      ? "min-bytes"
                      : given->file         ? "methods"
                      : given->no_loop_rule ? "no-loop-rule"
                      : given->include      ? "include"
                      : given->exclude      ? "exclude"
                      : given->counters     ? "counters"
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
    options->selection =
        json_pack("{s:I, s:b, s:o}", "min_bytes", (json_int_t)parse_min_bytes(state, given->min_bytes), "loop_rule",
                  !given->no_loop_rule, "counters", parse_counters(state, given->counters));
    if (given->include)
        json_object_set(options->selection, "include", given->include);
    if (given->exclude)
        json_object_set(options->selection, "exclude", given->exclude);
    set_file(state, given->file, options->selection);
}
