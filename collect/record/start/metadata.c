#include "collect/record/start/metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/rng.h"
#include "collect/calls/meter.h"
#include "collect/record/inject_environment.h"
#include "collect/record/series_file.h"
#include "collect/record/start/caches.h"
#include "collect/record/start/counters.h"
#include "collect/record/start/environment.h"
#include "collect/record/start/target.h"

enum { COMMAND_BYTES_MAX = 32768, ENVIRONMENT_BYTES_MAX = 32768 };

/* Words of a command line may be any bytes, JSON strings may not: those that are not UTF-8 become \xNN. */
static json_t *metadata_text_json(const char *text)
{
    json_t *string = json_string(text);
    if (string)
        return string;
    char *escaped = malloc(4 * strlen(text) + 1), *out = escaped;
    if (!escaped)
        return NULL;
    for (const unsigned char *in = (const unsigned char *)text; *in; in++)
        out += *in < 0x80 ? sprintf(out, "%c", *in) : sprintf(out, "\\x%02x", *in);
    string = json_string(escaped);
    free(escaped);
    return string;
}

static json_t *metadata_command(char *const *command, size_t most, bool *cut)
{
    json_t *words = json_array();
    size_t bytes = 0;
    *cut = false;
    for (; *command && !*cut; command++) {
        bytes += strlen(*command) + 1;
        *cut = bytes > most;
        if (!*cut && json_array_append_new(words, metadata_text_json(*command)) != 0) {
            json_decref(words);
            return NULL;
        }
    }
    return words;
}

/* How sampled accesses are watched. */
static void metadata_add_watch(json_t *all, const struct record_options *options)
{
    json_object_set_new(all, "fp_tolerance", json_real(options->fp_tolerance));
    json_object_set_new(all, "watch",
                        json_pack("{s:I, s:I, s:I, s:s}", "registers", (json_int_t)options->registers, "window",
                                  (json_int_t)options->window, "ahead", (json_int_t)options->ahead, "policy",
                                  options->policy));
}

/* The event's words are unsigned, JSON's integers are not: they go as "0x..." */
static json_t *metadata_event(const struct pmu_event *event)
{
    char config[3][24];
    snprintf(config[0], sizeof config[0], "0x%" PRIx64, event->config);
    snprintf(config[1], sizeof config[1], "0x%" PRIx64, event->config1);
    snprintf(config[2], sizeof config[2], "0x%" PRIx64, event->config2);
    return json_pack("{s:s, s:I, s:s, s:s, s:s, s:i}", "event", event->name, "type", (json_int_t)event->type, "config",
                     config[0], "config1", config[1], "config2", config[2], "precise", (int)event->precise);
}

/* What mode calls counts, for the agents; and the counters' names, for the trace: simulated ones keep theirs. */
static void metadata_add_calls(json_t *all, const struct record_options *options, const struct record_engine *engine)
{
    static const char *const asked[METER_NAMED] = {METER_OPTIONS}, *const names[METER_NAMED] = {METER_NAMES};
    const json_t *counters = json_object_get(options->selection, "counters"), *counter;
    json_t *described = json_array();
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)counters, i, counter)
    {
        const char *name = json_string_value(json_is_object(counter) ? json_object_get(counter, "name") : counter);
        if (json_is_string(counter) && strcmp(name, asked[METER_COUNT_ALLOCATED]) == 0)
            continue; /* of JVMs, which say so */
        for (size_t which = 0; json_is_string(counter) && which < METER_NAMED; which++)
            if (strcmp(name, asked[which]) == 0)
                name = names[which];
        json_array_append_new(described, json_string(name));
    }
    json_object_set_new(options->selection, "engine", json_string(engine->calls_by));
    json_object_set_new(options->selection, "engine_asked", json_string(options->calls_by));
    if (strcmp(engine->calls_by, "pmu") == 0) {
        json_object_set_new(options->selection, "returns", json_string(engine->returns_by));
        json_object_set_new(options->selection, "event", metadata_event(&engine->call_event));
    }
    if (options->exact && counters_want_caches(counters))
        json_object_set_new(options->selection, "caches",
                            json_string(options->caches ? options->caches : caches_here()));
    json_object_set(all, "calls", options->selection);
    json_object_set_new(all, "counters", described);
}

/* When all accesses are watched. */
static void metadata_add_burst(json_t *all, const struct record_options *options)
{
    json_object_set_new(all, "fp_tolerance", json_real(options->fp_tolerance));
    json_t *burst = options->burst_auto || options->burst_enable ? json_object() : json_null();
    if (options->burst_auto) {
        json_object_set_new(burst, "auto", json_true());
    } else if (options->burst_enable) {
        json_object_set_new(burst, "enable", json_integer((json_int_t)options->burst_enable));
        json_object_set_new(burst, "disable", json_integer((json_int_t)options->burst_disable));
    }
    json_object_set_new(all, "burst", burst);
    if (options->memory)
        json_object_set_new(all, "values", json_boolean(options->values));
    if (options->fetches)
        json_object_set_new(all, "fetches", json_true());
}

/* What engine rewrite records on request. */
static void metadata_add_rewriting(json_t *all, const struct record_options *options)
{
    if (options->between_threads)
        json_object_set_new(all, "between_threads", json_true());
    if (options->array_lengths)
        json_object_set_new(all, "array_lengths", json_true());
    if (options->adjacent)
        json_object_set_new(all, "adjacent", json_true());
}

/* What assay inject does to this run of the command; nothing without it. */
static void metadata_add_inject(json_t *all)
{
    static const char *const keys[] = {"method", "work", "amount", "run"};
    const char *text = getenv(INJECT_ENVIRONMENT);
    json_t *settings = text ? json_loads(text, 0, NULL) : NULL, *inject = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set(inject, keys[i], json_object_get(settings, keys[i]));
    if (json_object_size(inject) == sizeof keys / sizeof *keys)
        json_object_set(all, "inject", inject);
    json_decref(inject);
    json_decref(settings);
}

/* "PATH (26344 bytes, CRC-32C 1a2b3c4d)": the file that a command executes, so that runs of a program that has been
 * rebuilt in between do not become one series. NULL if there is none that may be read; 0, or why it can't be read now.
 */
static int metadata_program(const char *command, json_t **program)
{
    char path[RECORD_PATH_MAX], text[RECORD_PATH_MAX + 64];
    struct stat status;
    *program = NULL;
    if (target_in_path(command, path) != 0)
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == EACCES || errno == EPERM || errno == ENOENT ? 0 : errno;
    bool has_bytes = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    void *bytes = has_bytes ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    int error = has_bytes && bytes == MAP_FAILED ? errno : 0;
    close(fd);
    if (bytes == MAP_FAILED)
        return error == ENODEV ? 0 : error;
    snprintf(text, sizeof text, "%s (%jd bytes, CRC-32C %08" PRIx32 ")", path, (intmax_t)status.st_size,
             checksum_crc32c(bytes, (size_t)status.st_size));
    munmap(bytes, (size_t)status.st_size);
    *program = metadata_text_json(text);
    return *program ? 0 : ENOMEM;
}

json_t *metadata_configuration(const struct record_options *options, const struct record_engine *engine,
                               struct error_text *message)
{
    char where[RECORD_PATH_MAX];
    bool cut;
    json_t *program;
    int error = metadata_program(options->command[0], &program);
    if (error) {
        error_set(message, STATUS_BAD, "%.300s can't be read: %s", options->command[0], strerror(error));
        return NULL;
    }
    json_t *clocks = json_array();
    for (size_t i = 0;
         i < options->clock_count && !options->exact && !options->methods && !options->inspect && !options->plain;
         i++) {
        const struct record_clock *clock = &options->clocks[i];
        json_array_append_new(clocks, json_pack("{s:s, s:I, s:I, s:s}", "clock", clock->name, "period",
                                                (json_int_t)clock->period, "spread", (json_int_t)clock->spread, "unit",
                                                clock->events ? "events" : "ns"));
    }
    json_t *all = json_pack(
        "{s:o, s:o, s:s, s:s, s:s, s:s, s:o, s:I, s:s}", "command", metadata_command(options->command, SIZE_MAX, &cut),
        "working_directory", metadata_text_json(getcwd(where, sizeof where) ? where : ""), "mode", options->mode,
        "engine_asked", options->engine, "engine", engine->name, "source", sampler_source_name(engine->source),
        "clocks", clocks, "warmup", (json_int_t)options->warmup, "assay", ASSAY_VERSION);
    if (all && program)
        json_object_set(all, "program", program);
    json_decref(program);
    if (all && options->input)
        json_object_set_new(all, "input", metadata_text_json(options->input));
    if (all && options->seed_given)
        json_object_set_new(all, "seed", json_integer((json_int_t)options->seed));
    if (all && options->exact && !options->calls)
        metadata_add_burst(all, options);
    if (all)
        metadata_add_rewriting(all, options);
    if (all && options->watch)
        metadata_add_watch(all, options);
    if (all && options->calls)
        metadata_add_calls(all, options, engine);
    if (all && options->methods)
        json_object_set(all, "methods", options->selection);
    if (all && options->inspect)
        json_object_set(all, "inspect", options->inspect);
    if (all && options->chosen)
        json_object_update(all, options->chosen);
    if (all && options->labels)
        json_object_set(all, "labels", options->labels);
    if (all && options->interleaved)
        json_object_set(all, "interleaved", options->interleaved);
    if (all)
        json_object_set_new(all, SERIES_FILE_ENVIRONMENT, environment_checksums(environ));
    if (all)
        metadata_add_inject(all);
    else
        error_set(message, STATUS_BAD, "%s", strerror(ENOMEM));
    return all;
}

/* Neighbouring numbers give unrelated seeds. */
static uint64_t metadata_mix_seed(uint64_t x)
{
    return rng_next(&(struct rng){x});
}

uint64_t metadata_seed(const struct record_options *options, const struct record_run *run)
{
    uint64_t index =
        (uint64_t)options->variant << 48 | run->number << 4 | (uint64_t)run->clock_index << 1 | run->warmup;
    return metadata_mix_seed(metadata_mix_seed(options->seed) ^ index) >> 1;
}

/* At safepoints a thread of the JVM takes the samples, whatever their source elsewhere. */
static enum sampler_source metadata_source(const struct record_engine *engine, const struct record_clock *clock)
{
    return strcmp(clock->name, "safepoint") == 0 ? SOURCE_EXTERNAL : engine->source;
}

/* How samples are taken, and their cost. */
static void metadata_add_sampling(json_t *all, const struct record_options *options, const struct record_engine *engine,
                                  const struct record_run *run)
{
    const struct record_clock clock = engine_bearable(engine, run->clock, options->max_cost);
    json_t *sampling =
        json_pack("{s:s, s:I, s:I, s:s, s:I, s:f}", "clock", clock.name, "period_ns", (json_int_t)clock.period,
                  "spread_ns", (json_int_t)clock.spread, "period_unit", clock.events ? "events" : "ns", "seed",
                  (json_int_t)metadata_seed(options, run), "max_cost", options->max_cost);
    if (clock.period != run->clock->period)
        json_object_set_new(sampling, "period_asked", json_integer((json_int_t)run->clock->period));
    if (engine->cost.samples > 0)
        json_object_set_new(sampling, "clock_cost",
                            json_pack("{s:I, s:I, s:I}", "open_ns", (json_int_t)engine->cost.open_ns, "tick_ns",
                                      (json_int_t)engine->cost.sample_ns, "delivery_ns",
                                      (json_int_t)engine->cost.delivery_ns));
    json_object_update(all, sampling);
    json_decref(sampling);
}

/* The checksums of the environment, unless they would leave no space in the variable that has the metadata. */
static void metadata_add_environment(json_t *all)
{
    json_t *checksums = environment_checksums(environ);
    if (checksums && json_dumpb(checksums, NULL, 0, JSON_COMPACT) <= ENVIRONMENT_BYTES_MAX)
        json_object_set(all, SERIES_FILE_ENVIRONMENT, checksums);
    json_decref(checksums);
}

json_t *metadata_of_run(const struct record_options *options, const struct record_engine *engine,
                        const struct record_run *run, const struct metadata_location *location)
{
    bool cut;
    json_t *all = json_pack("{s:s, s:s, s:s}", "directory", location->directory, "prefix", location->prefix, "mode",
                            options->mode);
    if (!all)
        return NULL;
    if (options->exact && !options->calls)
        metadata_add_burst(all, options);
    else if (options->exact)
        json_object_set_new(all, "clock", json_string(run->clock->name));
    else if (options->inspect)
        json_object_set(all, "inspect", options->inspect);
    else if (options->methods) {
        json_t *selection = json_copy(options->selection);
        json_object_set_new(selection, "counters",
                            counters_of_run(json_object_get(options->selection, "counters"), run->number));
        json_object_update_new(all, json_pack("{s:s, s:o, s:f}", "clock", run->clock->name, "methods", selection,
                                              "max_cost", engine->simulated ? 1.0 : options->max_cost));
    } else
        metadata_add_sampling(all, options, engine, run);
    metadata_add_rewriting(all, options);
    if (options->watch)
        metadata_add_watch(all, options);
    if (options->calls)
        metadata_add_calls(all, options, engine);
    json_t *more =
        json_pack("{s:s, s:I, s:I, s:b, s:I, s:s, s:s, s:s, s:s, s:i, s:s}", "series", location->series, "run",
                  (json_int_t)run->number, "runs", (json_int_t)options->runs, "warmup", (int)run->warmup, "warmups",
                  (json_int_t)options->warmup, "engine_asked", options->engine, "engine", engine->name, "engine_reason",
                  engine->reason.text, "assay", ASSAY_VERSION, "recorder_pid", (int)getpid(), "source",
                  sampler_source_name(metadata_source(engine, run->clock)));
    json_object_update(all, more);
    json_decref(more);
    if (options->chosen)
        json_object_update(all, options->chosen);
    if (options->labels)
        json_object_set(all, "labels", options->labels);
    metadata_add_environment(all);
    metadata_add_inject(all);
    json_object_set_new(all, "command", metadata_command(options->command, COMMAND_BYTES_MAX, &cut));
    if (cut)
        json_object_set_new(all, "command_cut", json_true());
    if (!options->exact && metadata_source(engine, run->clock) == SOURCE_PMU) {
        json_t *pmu = metadata_event(&engine->event);
        json_object_set_new(pmu, "events_per_ns", json_real(run->clock->events ? 0.0 : engine->events_per_ns));
        json_object_set_new(all, "pmu", pmu);
    }
    return all;
}

char *metadata_for_agents(const json_t *metadata, const char *pool)
{
    json_t *all = json_copy((json_t *)(uintptr_t)metadata);
    if (all && pool)
        json_object_set_new(all, "pool", json_string(pool));
    char *text = all ? json_dumps(all, JSON_COMPACT) : NULL;
    json_decref(all);
    return text;
}
