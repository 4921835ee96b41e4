#include "collect/record/options/options_modes.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/quantity.h"
#include "collect/calls/meter.h"
#include "collect/methods/methods.h"
#include "collect/record/start/caches.h"
#include "collect/record/start/counters.h"

enum { CODE_BYTES_MAX = 65535 };

void options_methods_add(json_t **list, const char *pattern)
{
    if (!*list)
        *list = json_array();
    json_array_append_new(*list, json_string(pattern));
}

/* What counts. */
enum counting { BY_PROBES, BY_METER /* of chosen calls */, BY_TOOL /* of all calls, by engine exact */ };

/* Whether the name is one of our counters, not one of the hardware's. An error if this way of counting lacks it. */
static bool options_methods_is_named_counter(struct argp_state *state, const char *name, enum counting counting)
{
    static const char *const of_methods[COUNTERS_NAMED] = {METHODS_COUNTER_OPTIONS}, *const of_calls[] = {
                                                                                         METER_OPTIONS};
    bool known = false, here = counting == BY_PROBES;
    for (size_t i = 0; i < COUNTERS_NAMED; i++)
        known |= strcmp(name, of_methods[i]) == 0;
    for (size_t i = 0; i < METER_NAMED && counting == BY_METER; i++)
        here |= strcmp(name, of_calls[i]) == 0;
    if (counting == BY_TOOL)
        here = known && strncmp(name, METHODS_SIMULATED, strlen(METHODS_SIMULATED)) == 0;
    if (counting == BY_TOOL && !here)
        argp_error(state, "--counters %s: engine exact has simulated counters (simulated-instructions ...)", name);
    if (known && !here)
        argp_error(state,
                   "--counters %s is for --mode methods; --mode calls has cpu-time, page-faults, context-switches, "
                   "allocated and hardware events, and always the elapsed time",
                   name);
    return known;
}

static json_t *options_methods_parse_counters(struct argp_state *state, const char *list, enum counting counting)
{
    json_t *counters = json_array();
    const char *usual = counting == BY_TOOL ? METHODS_SIMULATED "instructions" : "cpu-time";
    char *copy = strdup(list ? list : usual), *rest = copy, *name;
    if (!copy)
        argp_failure(state, STATUS_BAD, errno, "--counters");
    while ((name = strsep(&rest, ","))) {
        size_t i;
        const json_t *other;
        json_array_foreach(counters, i, other)
        {
            const char *given = json_string_value(json_is_string(other) ? other : json_object_get(other, "name"));
            if (strcmp(given, name) == 0)
                argp_error(state, "--counters: %s is given twice", name);
        }
        size_t most = counting == BY_PROBES ? COUNTERS_ROTATED_MAX : EVENT_COUNTERS_MAX;
        if (json_array_size(counters) == most)
            argp_error(state, "--counters: at most %zu can be given", most);
        if (options_methods_is_named_counter(state, name, counting)) {
            json_array_append_new(counters, json_string(name));
            continue;
        }
        /* A hardware event; whether this machine can count it is checked when the recording begins. */
        struct error_text message;
        json_t *event = NULL;
        if (counters_event(name, &event, &message) != 0)
            argp_failure(
                state, STATUS_USAGE, 0,
                "--counters %s: there is no such counter (libpfm4: %s); use cpu-time, wall-time, allocated, "
                "page-faults, context-switches, a simulated counter (simulated-instructions ...) or a hardware "
                "event",
                name, message.text);
        json_array_append_new(counters, event);
    }
    free(copy);
    return counters;
}

/* The length of the first name of a list: commas within parentheses and angle brackets belong to it. */
static size_t options_methods_name_length(const char *list)
{
    static const char OPERATOR[] = "operator";
    size_t length = 0;
    int depth = 0;
    for (; list[length] && (list[length] != ',' || depth > 0); length++) {
        if (strncmp(list + length, OPERATOR, sizeof OPERATOR - 1) == 0) { /* its own brackets are not in pairs */
            length += sizeof OPERATOR - 1;
            length += strspn(list + length, "<>=-");
            if (!list[length] || (list[length] == ',' && depth == 0))
                break;
        }
        depth += list[length] == '(' || list[length] == '<';
        depth -= (list[length] == ')' || list[length] == '>') && depth > 0;
    }
    return length;
}

void options_methods_add_functions(struct argp_state *state, json_t **functions, const char *list)
{
    if (!*functions)
        *functions = json_array();
    for (const char *name = list;; name++) {
        size_t length = options_methods_name_length(name);
        json_t *text = json_stringn(name, length);
        if (length == 0 || !text)
            argp_error(state, "--functions '%s': must be names of functions, separated by commas", list);
        json_array_append_new(*functions, text);
        name += length;
        if (!*name)
            return;
    }
}

/* Their probes add nothing to what is counted, so no method is given up for their cost. */
static void options_methods_finalize_simulated(struct argp_state *state, const struct options_methods *given,
                                               const char *sampling, struct record_options *options)
{
    bool simulated = counters_any_simulated(json_object_get(options->selection, "counters"));
    if (given->caches && !simulated)
        argp_error(state, "--caches is for simulated counters (--counters simulated-l1-misses)");
    if (simulated && (given->give_up_below || sampling))
        argp_error(state, "%s is not for simulated counters, which leave probes out",
                   given->give_up_below ? "--give-up-below" : sampling);
    if (given->caches && !(options->caches = caches_parse(given->caches)))
        argp_error(state,
                   "--caches %s: must be three caches, BYTES/WAYS/LINE of L1I, L1D and L2, such as "
                   "32K/8/64,32K/8/64,1M/16/64: each with a line size that is a power of two from 16 to 4096 bytes, "
                   "and two sets or more",
                   given->caches);
}

/* Which methods get probes. */
static void options_methods_finalize_selection(struct argp_state *state, const struct options_methods *given,
                                               json_t *selection)
{
    if (given->file && (given->min_bytes || given->no_loop_rule || given->include || given->exclude))
        argp_error(state, "--methods names the methods: --min-bytes, --no-loop-rule, --include and --exclude are for "
                          "when they are not named");
    json_object_set_new(selection, "loop_rule", json_boolean(!given->no_loop_rule));
    if (given->min_bytes) {
        uint64_t bytes = 0;
        if (!quantity_count(given->min_bytes, &bytes) || bytes > CODE_BYTES_MAX)
            argp_error(state, "--min-bytes %s: must be a number of bytes up to %d", given->min_bytes, CODE_BYTES_MAX);
        json_object_set_new(selection, "min_bytes", json_integer((json_int_t)bytes));
    }
    if (given->include)
        json_object_set(selection, "include", given->include);
    if (given->exclude)
        json_object_set(selection, "exclude", given->exclude);
    if (!given->file)
        return;
    /* The command may change its directory before an agent reads the file. */
    char path[PATH_MAX];
    if (access(given->file, R_OK) != 0 || !realpath(given->file, path))
        argp_failure(state, STATUS_USAGE, 0, "--methods %s: %s", given->file, strerror(errno));
    json_object_set_new(selection, "file", json_string(path));
}

/* Whether an engine finds calls; the others take samples. */
static bool options_methods_finds_calls(const char *engine)
{
    return strcmp(engine, "watch") == 0 || strcmp(engine, "trampoline") == 0 || strcmp(engine, "hooks") == 0 ||
           strcmp(engine, "exact") == 0;
}

/* An option that says which methods get probes; NULL: none is given. */
static const char *options_methods_selecting_option(const struct options_methods *given)
{
    return given->min_bytes      ? "min-bytes"
           : given->file         ? "methods"
           : given->no_loop_rule ? "no-loop-rule"
           : given->include      ? "include"
           : given->exclude      ? "exclude"
                                 : NULL;
}

static void options_methods_finalize_calls(struct argp_state *state, const struct options_methods *given,
                                           struct record_options *options)
{
    enum counting counting = options->exact ? BY_TOOL : BY_METER;
    if (options->exact && !given->functions)
        argp_error(state, "engine exact needs to know whose calls to record: --functions NAME,... (names or patterns, "
                          "such as 'lzma_*')");
    if (given->functions && !options->exact)
        argp_error(state, "--functions is for --engine exact, which sees every call; other engines choose calls of all "
                          "functions");
    if ((options_methods_finds_calls(options->engine) || strcmp(options->engine, "pmu") == 0) &&
        strcmp(options->engine, "hooks") != 0 && options_methods_selecting_option(given))
        argp_error(state, "--%s is for probes: engine %s needs none", options_methods_selecting_option(given),
                   options->engine);
    bool finds = options_methods_finds_calls(options->engine) || strcmp(options->engine, "pmu") == 0;
    if (strcmp(options->engine, "pmu") == 0 && given->arguments)
        argp_error(state, "--arguments is not for engine pmu, whose interrupts come too late for them");
    if (given->arguments && strcmp(options->engine, "hooks") == 0)
        argp_error(state, "--arguments is not for --engine hooks, whose probes do not see the arguments");
    options->calls_by = finds ? options->engine : "auto";
    if (finds && !options->exact)
        options->engine = "auto"; /* of the samples */
    options->selection =
        json_pack("{s:o, s:b}", "counters", options_methods_parse_counters(state, given->counters, counting),
                  "arguments", given->arguments);
    if (!options->exact) {
        options_methods_finalize_selection(state, given, options->selection);
        return;
    }
    json_object_set(options->selection, "functions", given->functions);
    options_methods_finalize_simulated(state, given, NULL, options);
}

void options_methods_finalize(struct argp_state *state, const struct options_methods *given, const char *sampling,
                              struct record_options *options)
{
    const char *own = given->caches ? "caches" : given->give_up_below ? "give-up-below" : NULL;
    const char *common = options_methods_selecting_option(given) ? options_methods_selecting_option(given)
                         : given->counters                       ? "counters"
                                                                 : NULL;
    options->methods = strcmp(options->mode, "methods") == 0;
    options->calls = strcmp(options->mode, "calls") == 0;
    if (own && options->calls && options->exact)
        own = given->give_up_below ? "give-up-below" : NULL;
    if (own && !options->methods)
        argp_error(state, "--%s is for --mode methods", own);
    if (common && !options->methods && !options->calls)
        argp_error(state, "--%s is for --mode methods and --mode calls", common);
    if (given->arguments && !options->calls)
        argp_error(state, "--arguments is for --mode calls");
    if (given->functions && !options->calls)
        argp_error(state, "--functions is for --mode calls with engine exact");
    if (options_methods_finds_calls(options->engine) && strcmp(options->engine, "exact") != 0 && !options->calls)
        argp_error(state, "engine %s finds calls: it is for --mode calls", options->engine);
    if (options->calls)
        options_methods_finalize_calls(state, given, options);
    if (!options->methods)
        return;
    if (strcmp(options->engine, "auto") != 0)
        argp_error(state, "--engine is not for --mode methods, whose probes see every call");
    if (sampling && strcmp(sampling, OPTIONS_MAX_COST) != 0)
        argp_error(state, "%s is for sampling: --mode methods sees every call", sampling);
    options->clocks[0] = (struct record_clock){.name = "events"};
    options->clock_count = 1;
    options->selection =
        json_pack("{s:o}", "counters", options_methods_parse_counters(state, given->counters, BY_PROBES));
    size_t turns = counters_turns(json_object_get(options->selection, "counters"));
    if (options->runs < turns)
        argp_error(state, "--counters: a run has at most %d, so these take %zu runs in turn: add --runs %zu or more",
                   EVENT_COUNTERS_MAX, turns, turns);
    options_methods_finalize_selection(state, given, options->selection);
    options_methods_finalize_simulated(state, given, sampling, options);
    if (given->give_up_below) {
        uint64_t ns = 0;
        if (!quantity_time(given->give_up_below, &ns) || ns == 0)
            argp_error(state, "--give-up-below %s: must be a time (1us, 500ns)", given->give_up_below);
        json_object_set_new(options->selection, "give_up_below_ns", json_integer((json_int_t)ns));
    }
}
