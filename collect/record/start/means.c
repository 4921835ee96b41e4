#include "collect/record/start/means.h"

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
#include "collect/record/say.h"
#include "collect/record/start/budget.h"
#include "collect/record/start/counters.h"
#include "collect/symbols/cache.h"

/* Simulated counters, if available here for this command; else what is counted instead. */
static void find_simulated(struct means *means, json_t *counters)
{
    struct complaint why;
    if (!counters_any_simulated(counters))
        return;
    if (exact_prepare(means->options, &means->exact, &why) == 0)
        means->engine.simulated = true;
    else
        counters_drop_simulated(counters, why.text, &means->engine.warning);
}

int means_find(const struct record_options *options, struct means *means, struct complaint *complaint)
{
    *means = (struct means){.options = options, .cache = cache_new()};
    if (options->exact && !options->rewrite) {
        engine_be_exact(&means->engine);
        return exact_prepare(options, &means->exact, complaint);
    }
    if (agents_find(&means->agents, complaint) != 0)
        return STATUS_BAD;
    if (options->rewrite) {
        engine_be_rewrite(&means->engine);
        if (!*means->agents.accesses)
            return complain(complaint, STATUS_BAD,
                            "engine rewrite: this build has no agent for JVMs; install a JDK (17 or later) and "
                            "libasm-java, and build assay again (make)");
    } else if (options->inspect) {
        engine_be_inspect(&means->engine);
        if (!*means->agents.inspect)
            return complain(complaint, STATUS_BAD,
                            "this build has no agent that inspects JVMs; install a JDK (17 or later), and build assay "
                            "again (make)");
    } else if (options->methods) {
        engine_be_probes(&means->engine);
        counters_try(json_object_get(options->selection, "counters"), &means->engine.warning);
        find_simulated(means, json_object_get(options->selection, "counters"));
    } else if (engine_choose(options, &means->engine, complaint) != 0)
        return STATUS_BAD;
    if (options->calls)
        counters_try(json_object_get(options->selection, "counters"), &means->engine.warning);
    if (options->watch && engine_can_watch(complaint) != 0)
        return STATUS_BAD;
    if (options->calls && engine_choose_calls(options, &means->engine, complaint) != 0)
        return STATUS_BAD;
    for (size_t i = 0; i < options->clock_count; i++)
        if (options->clocks[i].events && means->engine.source != SOURCE_PMU)
            return complain(complaint, STATUS_BAD, "clock period counts hardware events: %.400s",
                            means->engine.reason.text);
    if (agents_environment_init(&means->agents, &means->environment) != 0)
        return complain(complaint, STATUS_BAD, "%s", strerror(ENOMEM));
    return STATUS_GOOD;
}

void means_free(struct means *means)
{
    agents_environment_free(&means->environment);
    cache_free(means->cache);
    json_decref(means->missing);
    means->missing = NULL;
    means->cache = NULL;
}

/* Reports which clocks tick more slowly than requested, and why. */
static void say_lengthened(const struct means *means)
{
    const struct record_options *options = means->options;
    for (size_t i = 0; i < options->clock_count; i++) {
        const struct record_clock *asked = &options->clocks[i];
        const struct record_clock clock = engine_bearable(&means->engine, asked, options->max_cost);
        double unit = asked->events ? 1 : 1e6;
        if (clock.period != asked->period)
            say_error(
                "clock %s: a tick costs at least %.0f us of CPU time here, so the interval is %.3g %s instead of %g "
                "(ask for a longer --period, or a larger --max-cost up to 25%%)",
                asked->name, (double)means->engine.cost.tick_ns / 1e3, (double)clock.period / unit,
                asked->events ? "events" : "ms", (double)asked->period / unit);
    }
}

static bool runs_under_valgrind(const struct means *means)
{
    return (means->options->exact && !means->options->rewrite) || means->engine.simulated;
}

static void say_unrecorded(const struct means *means)
{
    const char *why, *command = means->options->command[0];
    if (means->options->exact && !means->options->rewrite && (why = exact_obstacle(&means->exact.target)))
        say_error("%s is not recorded: %s", command, why);
    if (!runs_under_valgrind(means) && !means->options->rewrite && !means->options->inspect &&
        program_file_preload_of_name(command, &why) != PROGRAM_PRELOADS)
        say_error("%s is not recorded: %s", command, why);
}

static void say_budget(void)
{
    unsigned long left, limit;
    if (budget_few_processes(&left, &limit))
        say_error("the user may have %lu processes (ulimit -u), of which %lu are left now; one more of them is the "
                  "recorder's, which the command may miss",
                  limit, left);
}

/* Another recorder's agent or tool is in this process; its processes get this recorder's instead. */
static void say_nested(void)
{
    const char *text = getenv(SAMPLER_ENVIRONMENT);
    json_t *outer = text ? json_loads(text, 0, NULL) : NULL;
    const char *directory = json_string_value(json_object_get(outer, "directory"));
    if (directory)
        say_note(
            "another assay record, whose output goes to %s, runs this one: the command is recorded here, not there",
            directory);
    json_decref(outer);
}

static const char *watched_accesses(const struct record_options *options)
{
    return options->burst_auto || options->burst_enable ? "in bursts the loads and stores" : "every load and store";
}

void means_say(const struct means *means)
{
    const struct record_engine *engine = &means->engine;
    const char *warning = runs_under_valgrind(means) && !means->options->calls && !means->options->methods
                              ? exact_warning(&means->exact)
                              : NULL;
    if (warning)
        say_error("%s %s", means->exact.target.program, warning);
    if (means->options->exact && means->options->calls)
        say_note("engine exact (every call of the named functions, under Valgrind %s, many times slower: elapsed times "
                 "are not the program's)",
                 means->exact.version);
    else if (means->options->rewrite)
        say_note("engine rewrite (%s of Java code, whose classes get probes; also those that the JIT "
                 "compilers would have removed)%s%s",
                 watched_accesses(means->options), *means->options->unwatched.text ? ": " : "",
                 means->options->unwatched.text);
    else if (means->options->inspect)
        say_note("the loops of methods that the JIT compilers compile are partially interpreted, once, with the living "
                 "objects");
    else if (means->options->exact)
        say_note("engine exact (%s, under Valgrind %s)", watched_accesses(means->options), means->exact.version);
    else if (means->engine.simulated)
        say_note("engine probes (every call of the functions that have them), simulated counters by engine exact "
                 "(under Valgrind %s, many times slower: these runs do not show the program's time)",
                 means->exact.version);
    else if (means->options->methods)
        say_note("engine probes (every call of the methods that have them)");
    else if (*engine->reason.text || strcmp(means->options->engine, "auto") == 0)
        say_note("engine %s (%s)%s%s", engine->name, engine_source_text(engine->source),
                 *engine->reason.text ? ": " : "", engine->reason.text);
    if (engine->calls_by && !means->options->exact)
        say_note("engine %s finds the calls%s%s%s", engine->calls_by, *engine->calls_reason.text ? ": " : "",
                 engine->calls_reason.text,
                 strcmp(means->options->calls_by, "auto") == 0 && strcmp(engine->calls_by, "hooks") != 0
                     ? "; engine hooks those of JVMs"
                     : "");
    if (*engine->warning.text && means->options->methods)
        say_error("%s", engine->warning.text);
    else if (*engine->warning.text)
        say_error("engine %s was requested, but %s", engine->name, engine->warning.text);
    say_lengthened(means);
    say_unrecorded(means);
    say_budget();
    say_nested();
}

/* What launch_run() takes. */
struct start {
    struct launcher *launcher;
    struct launch_job *job;
    struct launch_result *result;
};

static int launch_agents(const struct means *means, const struct start *start, const char *record)
{
    const char *why, *environment[4][2] = {{SAMPLER_ENVIRONMENT, record}};
    const struct record_options *options = means->options;
    const char *java = options->rewrite   ? means->environment.rewrite
                       : options->inspect ? means->environment.inspect
                                          : means->environment.java;
    size_t count = 1;
    if (!options->rewrite && !options->inspect &&
        program_file_preload_of_name(means->options->command[0], &why) != PROGRAM_REFUSES) {
        environment[count][0] = "LD_PRELOAD";
        environment[count++][1] = means->environment.preload;
    }
    if (java) {
        environment[count][0] = "JAVA_TOOL_OPTIONS";
        environment[count][1] = java;
    }
    start->job->command = means->options->command;
    start->job->environment = environment;
    return launch_run(start->launcher, start->job, start->result);
}

/* A process outside of the program writes the traces of native programs. If there can't be one, their processes do. */
static int launch_kept(const struct means *means, const struct start *start, const json_t *metadata, const char *record)
{
    struct keep *keep;
    int no_keeper = keep_begin(metadata, &keep);
    if (no_keeper) {
        say_error("no process of ours can write the traces, so threads in the command's processes do: %s",
                  strerrordesc_np(no_keeper));
        return launch_agents(means, start, record);
    }
    char *with_pool = metadata_for_agents(metadata, keep_path(keep));
    int error = with_pool ? launch_agents(means, start, with_pool) : ENOMEM;
    free(with_pool);
    if (keep_end(keep))
        return error;
    say_error("the process that writes the traces has died: they are not complete");
    return error ? error : EOWNERDEAD;
}

/* Valgrind has its own messages for a command that can't be executed. */
static int launch_exact(const struct means *means, const struct start *start, const struct metadata_place *place,
                        const char *record)
{
    const char *const environment[][2] = {{"VALGRIND_LIB", means->exact.directory},
                                          {SAMPLER_ENVIRONMENT, record},
                                          {means->engine.simulated ? "LD_PRELOAD" : NULL, means->environment.preload},
                                          {NULL, NULL}};
    if (means->exact.target.error) {
        *start->result = (struct launch_result){.exec_error = means->exact.target.error};
        return 0;
    }
    if (exact_obstacle(&means->exact.target)) {
        start->job->command = means->options->command;
        start->job->environment = environment + sizeof environment / sizeof *environment - 1;
        return launch_run(start->launcher, start->job, start->result);
    }
    char **command = exact_command(&means->exact, means->options, place->directory, place->prefix);
    start->job->command = command;
    start->job->environment = environment;
    start->job->keeps_memory = true;
    int error = command ? launch_run(start->launcher, start->job, start->result) : ENOMEM;
    exact_command_free(command);
    return error;
}

static json_t *exact_metadata(const struct means *means, const struct record_run *run,
                              const struct metadata_place *place)
{
    return raws_metadata(metadata_of_run(means->options, &means->engine, run, place));
}

/* Runs a reader of the processes' output at the same time. */
static int launch_memory(struct means *means, const struct start *start, const struct record_run *run,
                         const struct metadata_place *place, const char *record)
{
    struct live *live;
    json_t *metadata = exact_metadata(means, run, place);
    int error = metadata ? live_begin(place->directory, place->prefix, metadata, &live) : ENOMEM;
    json_decref(metadata);
    if (error)
        return error;
    error = means->options->rewrite ? launch_agents(means, start, record) : launch_exact(means, start, place, record);
    json_decref(means->missing);
    means->missing = live_end(live);
    return error;
}

int means_launch(struct means *means, struct launcher *launcher, const struct record_run *run,
                 const struct metadata_place *place, struct launch_job *job, struct launch_result *result)
{
    const struct start start = {launcher, job, result};
    json_t *metadata = metadata_of_run(means->options, &means->engine, run, place);
    char *record = metadata ? metadata_for_agents(metadata, NULL) : NULL;
    int error = !record                                              ? ENOMEM
                : means->options->memory                             ? launch_memory(means, &start, run, place, record)
                : means->options->rewrite || means->options->inspect ? launch_agents(means, &start, record)
                : runs_under_valgrind(means)                         ? launch_exact(means, &start, place, record)
                                                                     : launch_kept(means, &start, metadata, record);
    json_decref(metadata);
    free(record);
    return error;
}

int means_check(const struct means *means, const struct record_run *run, const struct metadata_place *place,
                const json_t *before, const json_t *ending, json_t **traces)
{
    json_t *metadata = NULL;
    if (means->options->exact) {
        metadata = exact_metadata(means, run, place);
        if (!metadata)
            return ENOMEM;
    }
    const struct check_place where = {place->directory, place->prefix, metadata, means->missing, means->cache};
    int error = check_run(&where, before, ending, traces);
    json_decref(metadata);
    return error;
}

bool means_failed(const struct means *means, const struct record_run *run, const struct metadata_place *place)
{
    char name[RECORD_PREFIX_MAX];
    struct complaint first;
    size_t failures = runs_under_valgrind(means) ? exact_failures(place->directory, place->prefix, &first) : 0;
    if (failures > 0)
        say_error("%s: Valgrind failed in %zu process%s: %s", run_report_name(run, name), failures,
                  failures > 1 ? "es" : "", first.text);
    return failures > 0;
}
