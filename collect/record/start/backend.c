#include "collect/record/start/backend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/program_file.h"
#include "collect/keep/keep.h"
#include "collect/record/finish/check.h"
#include "collect/record/finish/live.h"
#include "collect/record/finish/raws.h"
#include "collect/record/finish/run_report.h"
#include "collect/record/log.h"
#include "collect/record/start/budget.h"
#include "collect/record/start/counters.h"
#include "collect/symbols/cache.h"

int backend_prepare(const struct record_options *options, struct backend *backend, struct error_text *message)
{
    *backend = (struct backend){.options = options, .cache = cache_new()};
    if (options->plain) {
        engine_be_external(&backend->engine, "none");
        agents_path("assay-exec", backend->small);
        return STATUS_GOOD;
    }
    if (options->exact && !options->rewrite) {
        engine_be_external(&backend->engine, "exact");
        return exact_prepare(options, &backend->exact, message);
    }
    if (agents_find(&backend->agents, message) != 0)
        return STATUS_BAD;
    if (options->rewrite) {
        engine_be_external(&backend->engine, "rewrite");
        if (!*backend->agents.accesses)
            return error_set(message, STATUS_BAD,
                             "engine rewrite: this build has no agent for JVMs; install a JDK (17 or later) and "
                             "libasm-java, and build assay again (make)");
    } else if (options->inspect) {
        engine_be_external(&backend->engine, "inspect");
        if (!*backend->agents.inspect)
            return error_set(message, STATUS_BAD,
                             "this build has no agent that inspects JVMs; install a JDK (17 or later), and build assay "
                             "again (make)");
    } else if (options->methods) {
        engine_be_external(&backend->engine, "probes");
        json_t *counters = json_object_get(options->selection, "counters");
        struct error_text why;
        counters_try(counters, &backend->engine.warning);
        if (counters_any_simulated(counters)) { /* if available here for this command; else something else is counted */
            if (exact_prepare(options, &backend->exact, &why) == 0)
                backend->engine.simulated = true;
            else
                counters_drop_simulated(counters, why.text, &backend->engine.warning);
        }
    } else if (engine_choose(options, &backend->engine, message) != 0)
        return STATUS_BAD;
    if (options->calls)
        counters_try(json_object_get(options->selection, "counters"), &backend->engine.warning);
    if (options->watch && engine_can_watch(message) != 0)
        return STATUS_BAD;
    if (options->calls && engine_choose_calls(options, &backend->engine, message) != 0)
        return STATUS_BAD;
    for (size_t i = 0; i < options->clock_count; i++)
        if (options->clocks[i].events && backend->engine.source != SOURCE_PMU)
            return error_set(message, STATUS_BAD, "clock period counts hardware events: %.400s",
                             backend->engine.reason.text);
    if (agents_environment_init(&backend->agents, &backend->environment) != 0)
        return error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
    return STATUS_GOOD;
}

void backend_free(struct backend *backend)
{
    agents_environment_free(&backend->environment);
    cache_free(backend->cache);
    json_decref(backend->missing);
    backend->missing = NULL;
    backend->cache = NULL;
}

static bool backend_runs_under_valgrind(const struct backend *backend)
{
    return (backend->options->exact && !backend->options->rewrite) || backend->engine.simulated;
}

/* Reports where less is recorded than was asked for, and why. */
static void backend_log_obstacles(const struct backend *backend)
{
    const struct record_options *options = backend->options;
    for (size_t i = 0; i < options->clock_count; i++) {
        const struct record_clock *asked = &options->clocks[i];
        const struct record_clock clock = engine_bearable(&backend->engine, asked, options->max_cost);
        double unit = asked->events ? 1 : 1e6;
        if (clock.period != asked->period)
            log_error(
                "clock %s: a tick costs at least %.0f us of CPU time here, so the interval is %.3g %s instead of %g "
                "(ask for a longer --period, or a larger --max-cost up to 25%%)",
                asked->name, (double)backend->engine.cost.sample_ns / 1e3, (double)clock.period / unit,
                asked->events ? "events" : "ms", (double)asked->period / unit);
    }

    const char *why, *command = options->command[0];
    if (options->exact && !options->rewrite && (why = exact_obstacle(&backend->exact.target)))
        log_error("%s is not recorded: %s", command, why);
    if (!backend_runs_under_valgrind(backend) && !options->rewrite && !options->inspect &&
        program_file_preload_of_name(command, &why) != PROGRAM_PRELOADS)
        log_error("%s is not recorded: %s", command, why);

    unsigned long left, limit;
    if (budget_few_processes(&left, &limit))
        log_error("the user may have %lu processes (ulimit -u), of which %lu are left now; one more of them is the "
                  "recorder's, which the command may miss",
                  limit, left);

    /* Another recorder's agent or tool is in this process; its processes get this recorder's instead. */
    const char *text = getenv(SAMPLER_ENVIRONMENT);
    json_t *outer = text ? json_loads(text, 0, NULL) : NULL;
    const char *directory = json_string_value(json_object_get(outer, "directory"));
    if (directory)
        log_note(
            "another assay record, whose output goes to %s, runs this one: the command is recorded here, not there",
            directory);
    json_decref(outer);
}

static const char *backend_watched_accesses(const struct record_options *options)
{
    return options->burst_auto || options->burst_enable ? "in bursts the loads and stores" : "every load and store";
}

/* If counters take turns: which runs have which. */
static void backend_report_turns(const struct record_options *options)
{
    const json_t *counters = json_object_get(options->selection, "counters");
    size_t turns = counters_turns(counters);
    for (size_t turn = 1; turn <= turns && turns > 1; turn++) {
        json_t *chosen = counters_of_run(counters, turn), *counter;
        char names[512] = "";
        size_t i;
        json_array_foreach(chosen, i, counter)
        {
            error_list(names, sizeof names,
                       json_string_value(json_is_object(counter) ? json_object_get(counter, "name") : counter));
        }
        log_note("runs %zu, %zu and so on count %s", turn, turn + turns, names);
        json_decref(chosen);
    }
}

void backend_report(const struct backend *backend)
{
    const struct record_engine *engine = &backend->engine;
    if (backend->options->plain) {
        if (!*backend->small)
            log_error("lib/assay/assay-exec is missing: memory and page faults include some MB of assay record");
        return;
    }
    const char *warning = backend_runs_under_valgrind(backend) && !backend->options->calls && !backend->options->methods
                              ? exact_warning(&backend->exact)
                              : NULL;
    if (warning)
        log_error("%s %s", backend->exact.target.program, warning);
    if (backend->options->exact && backend->options->calls)
        log_note("engine exact (every call of the named functions, under Valgrind %s, many times slower: elapsed times "
                 "are not the program's)",
                 backend->exact.version);
    else if (backend->options->rewrite)
        log_note("engine rewrite (%s of Java code, whose classes get probes; also those that the JIT "
                 "compilers would have removed)%s%s",
                 backend_watched_accesses(backend->options), *backend->options->unwatched.text ? ": " : "",
                 backend->options->unwatched.text);
    else if (backend->options->inspect)
        log_note("the loops of methods that the JIT compilers compile are partially interpreted, once, with the living "
                 "objects");
    else if (backend->options->exact)
        log_note("engine exact (%s, under Valgrind %s)", backend_watched_accesses(backend->options),
                 backend->exact.version);
    else if (backend->engine.simulated)
        log_note("engine probes (every call of the functions that have them), simulated counters by engine exact "
                 "(under Valgrind %s, many times slower: these runs do not show the program's time)",
                 backend->exact.version);
    else if (backend->options->methods)
        log_note("engine probes (every call of the methods that have them)");
    else if (*engine->reason.text || strcmp(backend->options->engine, "auto") == 0)
        log_note("engine %s (%s)%s%s", engine->name, engine_source_text(engine->source),
                 *engine->reason.text ? ": " : "", engine->reason.text);
    if (engine->calls_by && !backend->options->exact)
        log_note("engine %s finds the calls%s%s%s", engine->calls_by, *engine->calls_reason.text ? ": " : "",
                 engine->calls_reason.text,
                 strcmp(backend->options->calls_by, "auto") == 0 && strcmp(engine->calls_by, "hooks") != 0
                     ? "; engine hooks those of JVMs"
                     : "");
    if (backend->options->methods)
        backend_report_turns(backend->options);
    if (*engine->warning.text && backend->options->methods)
        log_error("%s", engine->warning.text);
    else if (*engine->warning.text)
        log_error("engine %s was requested, but %s", engine->name, engine->warning.text);
    backend_log_obstacles(backend);
}

/* What launch_run() takes. */
struct start {
    struct launcher *launcher;
    struct launch_job *job;
    struct launch_result *result;
};

static int backend_launch_agents(const struct backend *backend, const struct start *start, const char *record)
{
    const char *why, *environment[4][2] = {{SAMPLER_ENVIRONMENT, record}};
    const struct record_options *options = backend->options;
    const char *java = options->rewrite   ? backend->environment.rewrite
                       : options->inspect ? backend->environment.inspect
                                          : backend->environment.java;
    size_t count = 1;
    if (!options->rewrite && !options->inspect &&
        program_file_preload_of_name(backend->options->command[0], &why) != PROGRAM_REFUSES) {
        environment[count][0] = "LD_PRELOAD";
        environment[count++][1] = backend->environment.preload;
    }
    if (java) {
        environment[count][0] = "JAVA_TOOL_OPTIONS";
        environment[count][1] = java;
    }
    start->job->command = backend->options->command;
    start->job->environment = environment;
    return launch_run(start->launcher, start->job, start->result);
}

/* A process outside of the program writes the traces of native programs. If there can't be one, their processes do. */
static int backend_launch_with_writer(const struct backend *backend, const struct start *start, const json_t *metadata,
                                      const char *record)
{
    struct keep *keep;
    int no_keeper = keep_begin(metadata, &keep);
    if (no_keeper) {
        log_error("no process of ours can write the traces, so threads in the command's processes do: %s",
                  strerrordesc_np(no_keeper));
        return backend_launch_agents(backend, start, record);
    }
    char *with_pool = metadata_for_agents(metadata, keep_path(keep));
    int error = with_pool ? backend_launch_agents(backend, start, with_pool) : ENOMEM;
    free(with_pool);
    if (keep_end(keep))
        return error;
    log_error("the process that writes the traces has died: they are not complete");
    return error ? error : EOWNERDEAD;
}

/* Valgrind has its own messages for a command that can't be executed. */
static int backend_launch_exact(const struct backend *backend, const struct start *start,
                                const struct metadata_location *location, const char *record)
{
    const char *const environment[][2] = {
        {"VALGRIND_LIB", backend->exact.directory},
        {SAMPLER_ENVIRONMENT, record},
        {backend->engine.simulated ? "LD_PRELOAD" : NULL, backend->environment.preload},
        {NULL, NULL}};
    if (backend->exact.target.error) {
        *start->result = (struct launch_result){.exec_error = backend->exact.target.error};
        return 0;
    }
    if (exact_obstacle(&backend->exact.target)) {
        start->job->command = backend->options->command;
        start->job->environment = environment + sizeof environment / sizeof *environment - 1;
        return launch_run(start->launcher, start->job, start->result);
    }
    char **command = exact_command(&backend->exact, backend->options, location->directory, location->prefix);
    start->job->command = command;
    start->job->environment = environment;
    start->job->keeps_memory = true;
    int error = command ? launch_run(start->launcher, start->job, start->result) : ENOMEM;
    exact_command_free(command);
    return error;
}

static json_t *backend_exact_metadata(const struct backend *backend, const struct record_run *run,
                                      const struct metadata_location *location)
{
    return raws_metadata(metadata_of_run(backend->options, &backend->engine, run, location));
}

/* Runs a reader of the processes' output at the same time. */
static int backend_launch_memory(struct backend *backend, const struct start *start, const struct record_run *run,
                                 const struct metadata_location *location, const char *record)
{
    struct live *live;
    json_t *metadata = backend_exact_metadata(backend, run, location);
    int error = metadata ? live_begin(location->directory, location->prefix, metadata, &live) : ENOMEM;
    json_decref(metadata);
    if (error)
        return error;
    error = backend->options->rewrite ? backend_launch_agents(backend, start, record)
                                      : backend_launch_exact(backend, start, location, record);
    json_decref(backend->missing);
    backend->missing = live_end(live);
    return error;
}

int backend_launch(struct backend *backend, struct launcher *launcher, const struct record_run *run,
                   const struct metadata_location *location, struct launch_job *job, struct launch_result *result)
{
    static const char *const unchanged[][2] = {{NULL, NULL}};
    const struct start start = {launcher, job, result};
    if (backend->options->plain) {
        job->command = backend->options->command;
        job->environment = unchanged;
        job->small = *backend->small ? backend->small : NULL;
        return launch_run(launcher, job, result);
    }
    json_t *metadata = metadata_of_run(backend->options, &backend->engine, run, location);
    char *record = metadata ? metadata_for_agents(metadata, NULL) : NULL;
    int error = !record                    ? ENOMEM
                : backend->options->memory ? backend_launch_memory(backend, &start, run, location, record)
                : backend->options->rewrite || backend->options->inspect
                    ? backend_launch_agents(backend, &start, record)
                : backend_runs_under_valgrind(backend) ? backend_launch_exact(backend, &start, location, record)
                                                       : backend_launch_with_writer(backend, &start, metadata, record);
    json_decref(metadata);
    free(record);
    return error;
}

int backend_check(const struct backend *backend, const struct record_run *run, const struct metadata_location *location,
                  const json_t *before, const json_t *ending, json_t **traces)
{
    json_t *metadata = NULL;
    if (backend->options->exact) {
        metadata = backend_exact_metadata(backend, run, location);
        if (!metadata)
            return ENOMEM;
    }
    const struct check_location where = {location->directory, location->prefix, metadata, backend->missing,
                                         backend->cache};
    int error = check_run(&where, before, ending, traces);
    json_decref(metadata);
    return error;
}

bool backend_failed(const struct backend *backend, const struct record_run *run,
                    const struct metadata_location *location)
{
    char name[RECORD_PREFIX_MAX];
    struct error_text first;
    size_t failures =
        backend_runs_under_valgrind(backend) ? exact_failures(location->directory, location->prefix, &first) : 0;
    if (failures > 0)
        log_error("%s: Valgrind failed in %zu process%s: %s", run_report_name(run, name), failures,
                  failures > 1 ? "es" : "", first.text);
    return failures > 0;
}
