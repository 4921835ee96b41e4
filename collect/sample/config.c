#include "collect/sample/state.h"

#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An agent holds a copy of Jansson that is not compiled for shared objects where it compares a file with `stdin`; the
 * linker turns that into this (--wrap=stdin). No file is read here, so its value is irrelevant. */
extern FILE *__wrap_stdin __attribute__((visibility("hidden")));
FILE *__wrap_stdin;

static const char *const source_names[] = {"cpu-clock", "timer-thread", "pmu", "external"};

const char *sampler_source_name(enum sampler_source source)
{
    assert((size_t)source < sizeof source_names / sizeof *source_names);
    return source_names[source];
}

/* Strings that must fit. A missing key keeps the default. */
static bool sampler_config_parse_text(json_t *object, const char *key, char *out, size_t size)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return true;
    const char *text = json_string_value(value);
    if (!text || strlen(text) >= size)
        return false;
    strcpy(out, text);
    return true;
}

static bool sampler_config_parse_count(json_t *object, const char *key, uint64_t *out)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return true;
    if (json_is_integer(value))
        *out = (uint64_t)json_integer_value(value);
    else if (json_is_string(value)) { /* "0x…": JSON has no unsigned 64-bit integers */
        char *end;
        errno = 0;
        *out = strtoull(json_string_value(value), &end, 0);
        return errno == 0 && *end == '\0' && end != json_string_value(value);
    } else
        return false;
    return true;
}

static bool sampler_config_parse_source(json_t *object, enum sampler_source *out)
{
    const json_t *value = json_object_get(object, "source");
    if (!value)
        return true;
    const char *text = json_string_value(value);
    for (size_t i = 0; text && i < sizeof source_names / sizeof source_names[0]; i++)
        if (strcmp(text, source_names[i]) == 0) {
            *out = (enum sampler_source)i;
            return true;
        }
    return false;
}

static bool sampler_config_parse_pmu(json_t *object, struct sampler_config *config)
{
    json_t *pmu = json_object_get(object, "pmu");
    if (!pmu)
        return config->source != SOURCE_PMU;
    uint64_t type = 0, precise = 0;
    if (!json_is_object(pmu) || !sampler_config_parse_count(pmu, "type", &type) ||
        !sampler_config_parse_count(pmu, "config", &config->pmu_config) ||
        !sampler_config_parse_count(pmu, "config1", &config->pmu_config1) ||
        !sampler_config_parse_count(pmu, "config2", &config->pmu_config2) ||
        !sampler_config_parse_count(pmu, "precise", &precise) || type > UINT32_MAX || precise > 3)
        return false;
    config->pmu_type = (uint32_t)type;
    config->pmu_precise = (unsigned)precise;
    config->pmu_events_per_ns = json_number_value(json_object_get(pmu, "events_per_ns"));
    return config->pmu_events_per_ns >= 0;
}

/* If the cost of a tick was not measured: as on a slow machine. */
static const uint64_t UNTRIED_TICK_NS = 50000;

static bool sampler_config_parse_cost(json_t *object, struct sampler_config *config)
{
    json_t *cost = json_object_get(object, "clock_cost");
    const json_t *most = json_object_get(object, "max_cost");
    config->max_cost = json_is_number(most) ? json_number_value(most) : 0.1;
    config->tick_ns = UNTRIED_TICK_NS;
    return config->max_cost > 0 && (!cost || (sampler_config_parse_count(cost, "tick_ns", &config->tick_ns) &&
                                              sampler_config_parse_count(cost, "delivery_ns", &config->delivery_ns)));
}

/* A mode that looks for pairs of accesses. */
static bool sampler_config_parse_watch(json_t *object, struct sampler_config *config)
{
    json_t *watch = json_object_get(object, "watch");
    const char *mode = json_string_value(json_object_get(object, "mode"));
    const json_t *tolerance = json_object_get(object, "fp_tolerance");
    char policy[16] = "uniform";
    uint64_t registers = RESERVOIR_MAX, ahead = WATCH_AHEAD_DEFAULT, window = WATCH_STEP_DEFAULT;
    if (!watch)
        return true;
    unsigned waste = mode ? trace_waste_named(mode) : WASTE_COUNT;
    if (!json_is_object(watch) || waste > WASTE_SILENT_LOAD ||
        !sampler_config_parse_count(watch, "registers", &registers) ||
        !sampler_config_parse_count(watch, "ahead", &ahead) || !sampler_config_parse_count(watch, "window", &window) ||
        !sampler_config_parse_text(watch, "policy", policy, sizeof policy) || registers == 0 ||
        registers > RESERVOIR_MAX || ahead == 0 || ahead > WATCH_AHEAD_MAX || window == 0 || window > WATCH_AHEAD_MAX)
        return false;
    config->watch = (struct watch_config){
        .wanted = true,
        .waste = (enum trace_waste)waste,
        .registers = (size_t)registers,
        .ahead = (unsigned)ahead,
        .window = (unsigned)window,
        .policy = strcmp(policy, "replace-oldest") == 0 ? RESERVOIR_REPLACE_OLDEST : RESERVOIR_UNIFORM,
        .fp_tolerance = json_is_number(tolerance) ? json_number_value(tolerance) : 0.01};
    return true;
}

/* Mode calls: what is counted, and what finds calls and returns. */
static bool sampler_config_parse_calls(const json_t *object, struct sampler_config *config)
{
    json_t *calls = json_object_get(object, "calls"), *event = json_object_get(calls, "event");
    const char *engine = json_string_value(json_object_get(calls, "engine"));
    const char *returns = json_string_value(json_object_get(calls, "returns"));
    struct call_event *out = &config->call_event;
    uint64_t type = 0, precise = 0;
    config->calls = calls != NULL;
    config->call_stubs =
        (engine && strcmp(engine, "trampoline") == 0) || (returns && strcmp(returns, "trampoline") == 0);
    if (!calls)
        return true;
    if (!json_is_array(json_object_get(calls, "counters")))
        return false;
    if (!event)
        return true;
    if (!sampler_config_parse_count(event, "type", &type) ||
        !sampler_config_parse_count(event, "config", &out->config) ||
        !sampler_config_parse_count(event, "config1", &out->config1) ||
        !sampler_config_parse_count(event, "config2", &out->config2) ||
        !sampler_config_parse_count(event, "precise", &precise) || type > UINT32_MAX || precise > 3)
        return false;
    out->wanted = true;
    out->type = (uint32_t)type;
    out->precise = (unsigned)precise;
    return true;
}

bool sampler_configuration(const json_t *configuration, struct sampler_config *config)
{
    json_t *object = (json_t *)(uintptr_t)configuration;
    uint64_t recorder = 0;
    *config = (struct sampler_config){
        .directory = ".", .prefix = "run", .clock = "random", .period_ns = 10000000, .source = SOURCE_CPU_CLOCK};
    bool good = json_is_object(object) &&
                sampler_config_parse_text(object, "directory", config->directory, sizeof config->directory) &&
                sampler_config_parse_text(object, "prefix", config->prefix, sizeof config->prefix) &&
                sampler_config_parse_text(object, "pool", config->pool, sizeof config->pool) &&
                sampler_config_parse_text(object, "clock", config->clock, sizeof config->clock) &&
                sampler_config_parse_count(object, "period_ns", &config->period_ns) &&
                sampler_config_parse_count(object, "spread_ns", &config->spread_ns) &&
                sampler_config_parse_count(object, "seed", &config->seed) &&
                sampler_config_parse_count(object, "recorder_pid", &recorder) &&
                sampler_config_parse_source(object, &config->source) && sampler_config_parse_pmu(object, config) &&
                sampler_config_parse_cost(object, config) && sampler_config_parse_watch(object, config) &&
                sampler_config_parse_calls(object, config);
    if (strcmp(config->clock, "random") != 0)
        config->spread_ns = 0;
    else if (!json_object_get(object, "spread_ns"))
        config->spread_ns = config->period_ns / 10 * 3;
    config->recorder_pid = (pid_t)recorder;
    return good && config->period_ns > 0 && config->spread_ns < config->period_ns &&
           config->period_ns <= INT64_MAX / 4 && strchr(config->prefix, '/') == NULL;
}

bool sampler_configure(struct sampler_config *config)
{
    const char *text = getenv(SAMPLER_ENVIRONMENT);
    if (!text || !*text)
        return false;
    struct sampler_config result;
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    if (!object || !sampler_configuration(object, &result)) {
        fprintf(stderr, "assay: %s is not a valid configuration; this process is not recorded\n", SAMPLER_ENVIRONMENT);
        json_decref(object);
        return false;
    }
    json_object_del(object, "pool"); /* of no meaning later */
    sampler.config = result;         /* so that lines of what comes before sampler_start() reach the recorder */
    result.metadata = object;
    *config = result;
    return true;
}

static bool sampler_config_program_matches(const json_t *patterns, const char *file, const char *called)
{
    const json_t *pattern;
    size_t i;
    json_array_foreach(patterns, i, pattern)
    {
        const char *text = json_string_value(pattern);
        if (text && (fnmatch(text, file, 0) == 0 || fnmatch(text, called, 0) == 0))
            return true;
    }
    return false;
}

bool sampler_wants_program(const struct sampler_config *config)
{
    const json_t *only = json_object_get(config->metadata, "only"), *skip = json_object_get(config->metadata, "skip");
    char exe[4096];
    if (!only && !skip)
        return true;
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(exe, '/'), *file = slash ? slash + 1 : exe, *called = program_invocation_short_name;
    return (!only || sampler_config_program_matches(only, file, called)) &&
           !sampler_config_program_matches(skip, file, called);
}
