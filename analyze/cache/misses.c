#include "analyze/cache/misses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cache/replay.h"
#include "trace/names/method_name.h"

/* A saved count is not negative. */
#define MISSES_COUNTS(row, member, size)                                                                               \
    {                                                                                                                  \
        .type = FIELD_COUNT, .join = JOIN_SUM, .offset = offsetof(struct row, member), .count = (size),                \
        .limit = INT64_MAX                                                                                             \
    }

_Static_assert(sizeof(struct cache_counts) % sizeof(uint64_t) == 0, "counts are whole numbers");

static const struct field trace_fields[] = {
    FIELD(misses_trace, path, FIELD_TEXT, JOIN_FIRST),
    FIELD(misses_trace, by_thread, FIELD_FLAG, JOIN_FIRST),
    MISSES_COUNTS(misses_trace, counts, sizeof(struct cache_counts) / sizeof(uint64_t)),
    MISSES_COUNTS(misses_trace, instructions, 0),
    MISSES_COUNTS(misses_trace, gaps, 0),
    MISSES_COUNTS(misses_trace, unknown, 0)};
static const struct field location_fields[] = {FIELD_ROW_OF(misses_location, trace, JOIN_KEY, MISSES_TRACES),
                                               FIELD(misses_location, method, FIELD_TEXT, JOIN_KEY),
                                               FIELD(misses_location, file, FIELD_TEXT, JOIN_KEY),
                                               FIELD(misses_location, line, FIELD_NUMBER, JOIN_KEY),
                                               MISSES_COUNTS(misses_location, loads, 0),
                                               MISSES_COUNTS(misses_location, stores, 0),
                                               MISSES_COUNTS(misses_location, load_misses, CACHE_LEVELS_MAX),
                                               MISSES_COUNTS(misses_location, store_misses, CACHE_LEVELS_MAX),
                                               MISSES_COUNTS(misses_location, tlb_misses, 0)};
static const struct relation relations[MISSES_RELATIONS] = {
    [MISSES_TRACES] = {"traces", sizeof(struct misses_trace), 0, RELATION_FIELDS(trace_fields)},
    [MISSES_LOCATIONS] = {"locations", sizeof(struct misses_location), 4 * sizeof(uint32_t),
                          RELATION_FIELDS(location_fields)}};

static const struct analyzer_input data_inputs[] = {REPLAY_INPUTS, {0, 0}};
static const struct analyzer_input all_inputs[] = {REPLAY_INPUTS, REPLAY_FETCH_INPUTS, {0, 0}};

const struct analyzer_input *misses_inputs(const struct cache_machine *machine)
{
    return machine->instructions.bytes ? all_inputs : data_inputs;
}

/* The accesses of a site. */
struct site_misses {
    uint64_t count, misses[CACHE_LEVELS_MAX], tlb_misses;
};

struct misses_run {
    struct misses_trace trace;
    struct cache_simulation *simulation;
    const struct trace_names *names; /* while its records are fed */
    struct site_misses *sites;       /* [names->site_count] */
    struct replay replay;
    uint64_t gap_instructions, accesses;
    bool merges_updates; /* a store may complete a load */
    /* The last access, if it was a load. */
    struct {
        const struct trace_site *site;
        uint64_t address, instructions;
    } load;
};

/* ------------------------------------------------------------------------------------------ simulating -- */

/*
 * With cachegrind's rules an instruction that loads and stores the same bytes makes one access, a load. Valgrind 3.19,
 * cachegrind/cg_main.c: the events Dr and Dw of an instruction, one after the other, with equal address and size. Time
 * passes by one cycle with each instruction or, if they are not counted, with each access.
 */
static void misses_replay_access(void *user, const struct replay_access *access)
{
    struct misses_run *run = user;
    const struct trace_site *site = trace_names_site(run->names, access->site), *load = run->load.site;
    if (site == run->names->sites || site->bytes == 0 || site->access >= ACCESS_COUNT) {
        run->trace.unknown++;
        return;
    }
    bool completes = load && site->access == ACCESS_STORE && load->context == site->context &&
                     load->bytes == site->bytes && run->load.address == access->address &&
                     run->load.instructions == access->instructions;
    run->load.site = site->access == ACCESS_LOAD ? site : NULL;
    run->load.address = access->address;
    run->load.instructions = access->instructions;
    if (completes && run->merges_updates)
        return;
    uint64_t now = access->instructions ? access->instructions : run->accesses;
    run->accesses++;
    struct cache_outcome outcome = site->access == ACCESS_LOAD
                                       ? cache_load(run->simulation, access->address, site->bytes, now)
                                       : cache_store(run->simulation, access->address, site->bytes, now);
    struct site_misses *counts = &run->sites[site - run->names->sites];
    counts->count++;
    for (unsigned level = 0; level < outcome.depth; level++)
        counts->misses[level]++;
    counts->tlb_misses += outcome.tlb_miss;
}

static void misses_replay_fetch(void *user, const struct replay_fetch *fetch)
{
    struct misses_run *run = user;
    cache_fetch_instruction(run->simulation, fetch->address, (unsigned)fetch->bytes, fetch->instructions);
}

static void misses_replay_gap(void *user, uint64_t instructions)
{
    struct misses_run *run = user;
    run->trace.gaps++;
    run->gap_instructions += instructions;
    run->load.site = NULL;
    cache_clear(run->simulation);
}

/* ------------------------------------------------------------------------------------------ traces -- */

static void misses_free_run(struct misses_run *run)
{
    if (!run)
        return;
    cache_simulation_free(run->simulation);
    free(run->sites);
    replay_free(&run->replay);
    free(run);
}

int misses_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct misses *misses = state;
    if (!misses->run) {
        struct misses_run *run = misses->run = calloc(1, sizeof *run);
        const char *order = json_string_value(json_object_get(trace_metadata(trace->trace), "access_order"));
        if (!run)
            return ENOMEM;
        run->names = trace->names;
        replay_begin(&run->replay, trace->trace,
                     &(struct replay_events){.access = misses_replay_access,
                                             .fetch = misses->machine.instructions.bytes ? misses_replay_fetch : NULL,
                                             .gap = misses_replay_gap,
                                             .user = run});
        run->trace.by_thread = order && strcmp(order, "thread") == 0;
        run->simulation = cache_simulation_new(&misses->machine, 0);
        run->merges_updates = misses->machine.cachegrind;
        run->sites = calloc(trace->names->site_count, sizeof *run->sites);
        if (!run->simulation || !run->sites)
            return ENOMEM;
    }
    return replay_feed(&misses->run->replay, batch);
}

/* Sites in different contexts, or of different instructions of a line, have one location. 0 or ENOMEM. */
static int misses_add_site(struct misses *misses, const struct misses_run *run, uint32_t trace, size_t site)
{
    char text[METHOD_NAME_MAX];
    const struct trace_names *names = run->names;
    const struct site_misses *counts = &run->sites[site];
    const struct trace_frame *frame = &names->frames[trace_names_context(names, names->sites[site].context)->frame];
    const struct trace_method *method = &names->methods[frame->method];
    method_name(method, text);
    struct misses_location location = {.trace = trace,
                                       .method = relations_text(&misses->relations, text),
                                       .file = relations_text(&misses->relations, method->file),
                                       .line = frame->line,
                                       .tlb_misses = counts->tlb_misses};
    bool load = names->sites[site].access == ACCESS_LOAD;
    *(load ? &location.loads : &location.stores) = counts->count;
    memcpy(load ? location.load_misses : location.store_misses, counts->misses, sizeof counts->misses);
    bool good = location.method != FIELD_NONE && location.file != FIELD_NONE &&
                relations_add(&misses->relations, MISSES_LOCATIONS, &location) != FIELD_NONE;
    return good ? 0 : ENOMEM;
}

int misses_finalize(void *state, const struct analysis_trace *trace)
{
    struct misses *misses = state;
    struct misses_run *run = misses->run;
    if (!run)
        return 0;
    replay_end(&run->replay);
    cache_finish(run->simulation);
    run->trace.counts = *cache_counts(run->simulation);
    run->trace.unknown += run->replay.unknown;
    const json_t *exact = json_object_get(trace_metadata(trace->trace), "exact");
    json_int_t all = json_integer_value(json_object_get(exact, "instructions"));
    if (all > 0 && (uint64_t)all > run->gap_instructions)
        run->trace.instructions = (uint64_t)all - run->gap_instructions;

    int error = 0;
    if (run->accesses + run->trace.unknown > 0) {
        run->trace.path = relations_text(&misses->relations, trace->path);
        uint32_t row =
            run->trace.path == FIELD_NONE ? FIELD_NONE : relations_add(&misses->relations, MISSES_TRACES, &run->trace);
        error = row == FIELD_NONE ? ENOMEM : 0;
        for (size_t i = 1; i < run->names->site_count && !error; i++)
            error = run->sites[i].count > 0 ? misses_add_site(misses, run, row, i) : 0;
    }
    misses_free_run(run);
    misses->run = NULL;
    return error;
}

/* ------------------------------------------------------------------------------------------ states -- */

struct misses *misses_new(const struct cache_machine *machine, bool fixed)
{
    struct misses *misses = calloc(1, sizeof *misses);
    if (!misses)
        return NULL;
    *misses = (struct misses){.machine = *machine, .fixed = fixed};
    relations_init(&misses->relations, relations, MISSES_RELATIONS);
    return misses;
}

void misses_free(void *state)
{
    struct misses *misses = state;
    relations_free(&misses->relations);
    misses_free_run(misses->run);
    free(misses);
}

/* Results of this machine are to be added: whether they may be. The first results decide. */
static bool misses_adopt_machine(struct misses *misses, const struct cache_machine *machine)
{
    if (cache_machine_same(&misses->machine, machine))
        return true;
    if (misses->fixed || misses_trace_count(misses) > 0)
        return false;
    misses->machine = *machine;
    return true;
}

int misses_merge(void *state, void *other)
{
    struct misses *misses = state, *from = other;
    if (misses_trace_count(from) > 0 && !misses_adopt_machine(misses, &from->machine))
        return EINVAL;
    return relations_merge(&misses->relations, &from->relations);
}

json_t *misses_save(void *state)
{
    const struct misses *misses = state;
    json_t *saved = relations_save(&misses->relations);
    if (json_object_set_new(saved, "machine", cache_machine_save(&misses->machine)) == 0)
        return saved;
    json_decref(saved);
    return NULL;
}

int misses_load(void *state, const json_t *saved)
{
    struct misses *misses = state;
    struct cache_machine machine;
    if (!cache_machine_load(&machine, json_object_get(saved, "machine")))
        return EINVAL;
    return misses_adopt_machine(misses, &machine) ? relations_load(&misses->relations, saved) : ENOTSUP;
}
