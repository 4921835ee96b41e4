#include "analyze/cache/misses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cache/replay.h"
#include "trace/names/method_name.h"
#include "base/grow.h"

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
 * cachegrind/cg_main.c: the events Dr and Dw of an instruction, one after the other, with equal address and size.
 */
static bool misses_completes_load(const struct misses_run *run, const struct trace_site *site,
                                  const struct replay_access *access)
{
    const struct trace_site *load = run->load.site;
    return load && site->access == ACCESS_STORE && load->context == site->context && load->bytes == site->bytes &&
           run->load.address == access->address && run->load.instructions == access->instructions;
}

/* Time passes by one cycle with each instruction or, if they are not counted, with each access. */
static void misses_replay_access(void *user, const struct replay_access *access)
{
    struct misses_run *run = user;
    const struct trace_site *site = trace_names_site(run->names, access->site);
    if (site == run->names->sites || site->bytes == 0 || site->access >= ACCESS_COUNT) {
        run->trace.unknown++;
        return;
    }
    bool completes = misses_completes_load(run, site, access);
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

static void misses_free_trace(struct misses_trace *trace)
{
    free(trace->path);
    free(trace->locations);
}

static void misses_free_run(struct misses_run *run)
{
    if (!run)
        return;
    misses_free_trace(&run->trace);
    cache_simulation_free(run->simulation);
    free(run->sites);
    replay_free(&run->replay);
    free(run);
}

static int misses_start_run(struct misses *misses, const struct analysis_trace *trace)
{
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
    run->trace.path = strdup(trace->path);
    run->trace.by_thread = order && strcmp(order, "thread") == 0;
    run->simulation = cache_simulation_new(&misses->machine, 0);
    run->merges_updates = misses->machine.cachegrind;
    run->sites = calloc(trace->names->site_count, sizeof *run->sites);
    return run->trace.path && run->simulation && run->sites ? 0 : ENOMEM;
}

int misses_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct misses *misses = state;
    int error = misses->run ? 0 : misses_start_run(misses, trace);
    return error ? error : replay_feed(&misses->run->replay, batch);
}

/* The location of a site's instruction. 0 or ENOMEM. */
static int misses_locate_site(struct misses *misses, const struct trace_names *names, const struct trace_site *site,
                              struct misses_location *location)
{
    char text[METHOD_NAME_MAX];
    const struct trace_frame *frame = &names->frames[trace_names_context(names, site->context)->frame];
    const struct trace_method *method = &names->methods[frame->method];
    method_name(method, text);
    *location = (struct misses_location){.method = text_set_add(&misses->texts, text),
                                         .file = text_set_add(&misses->texts, method->file),
                                         .line = frame->line};
    return location->method == TEXT_SET_FULL || location->file == TEXT_SET_FULL ? ENOMEM : 0;
}

static int misses_compare_locations(const void *a, const void *b)
{
    const struct misses_location *x = a, *y = b;
    const uint32_t left[] = {x->method, x->file, x->line}, right[] = {y->method, y->file, y->line};
    for (unsigned i = 0; i < 3; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static void misses_add_location(struct misses_location *into, const struct misses_location *from)
{
    into->loads += from->loads;
    into->stores += from->stores;
    into->tlb_misses += from->tlb_misses;
    for (unsigned level = 0; level < CACHE_LEVELS_MAX; level++) {
        into->load_misses[level] += from->load_misses[level];
        into->store_misses[level] += from->store_misses[level];
    }
}

/* Sites in different contexts, or of different instructions of a line, have one location. */
static size_t misses_merge_locations(struct misses_location *locations, size_t count)
{
    size_t used = 0;
    qsort(locations, count, sizeof *locations, misses_compare_locations);
    for (size_t i = 0; i < count; i++) {
        if (used > 0 && misses_compare_locations(&locations[used - 1], &locations[i]) == 0)
            misses_add_location(&locations[used - 1], &locations[i]);
        else
            locations[used++] = locations[i];
    }
    return used;
}

static int misses_collect_locations(struct misses *misses, struct misses_run *run)
{
    const struct trace_names *names = run->names;
    struct misses_location *locations = calloc(names->site_count, sizeof *locations);
    size_t count = 0;
    int error = locations ? 0 : ENOMEM;
    for (size_t i = 1; i < names->site_count && !error; i++) {
        const struct site_misses *counts = &run->sites[i];
        struct misses_location *location = &locations[count];
        if (counts->count == 0)
            continue;
        error = misses_locate_site(misses, names, &names->sites[i], location);
        bool load = names->sites[i].access == ACCESS_LOAD;
        *(load ? &location->loads : &location->stores) = counts->count;
        memcpy(load ? location->load_misses : location->store_misses, counts->misses, sizeof counts->misses);
        location->tlb_misses = counts->tlb_misses;
        count++;
    }
    run->trace.locations = locations;
    run->trace.location_count = error ? 0 : misses_merge_locations(locations, count);
    return error;
}

int misses_add(struct misses *misses, const struct misses_trace *trace)
{
    struct misses_trace *traces = grow_unset(misses->traces, &misses->capacity, misses->count, sizeof *misses->traces);
    if (!traces)
        return ENOMEM;
    misses->traces = traces;
    traces[misses->count++] = *trace;
    return 0;
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
    int error = run->accesses + run->trace.unknown > 0 ? misses_collect_locations(misses, run) : 0;
    if (!error && run->accesses + run->trace.unknown > 0) {
        error = misses_add(misses, &run->trace);
        if (!error)
            run->trace = (struct misses_trace){0};
    }
    misses_free_run(run);
    misses->run = NULL;
    return error;
}

/* ------------------------------------------------------------------------------------------ states -- */

struct misses *misses_new(const struct cache_machine *machine, bool fixed)
{
    struct misses *misses = calloc(1, sizeof *misses);
    if (misses)
        *misses = (struct misses){.machine = *machine, .fixed = fixed};
    return misses;
}

/* The first results decide. */
bool misses_adopt_machine(struct misses *misses, const struct cache_machine *machine)
{
    if (cache_machine_same(&misses->machine, machine))
        return true;
    if (misses->fixed || misses->count > 0)
        return false;
    misses->machine = *machine;
    return true;
}

void misses_free(void *state)
{
    struct misses *misses = state;
    for (size_t i = 0; i < misses->count; i++)
        misses_free_trace(&misses->traces[i]);
    free(misses->traces);
    misses_free_run(misses->run);
    text_set_free(&misses->texts);
    free(misses);
}

int misses_merge(void *state, void *other)
{
    struct misses *misses = state, *from = other;
    int error = from->count == 0 || misses_adopt_machine(misses, &from->machine) ? 0 : EINVAL;
    for (size_t t = 0; t < from->count && !error; t++) {
        struct misses_trace *trace = &from->traces[t];
        for (size_t i = 0; i < trace->location_count && !error; i++) {
            struct misses_location *location = &trace->locations[i];
            location->method = text_set_add(&misses->texts, from->texts.texts[location->method]);
            location->file = text_set_add(&misses->texts, from->texts.texts[location->file]);
            error = location->method == TEXT_SET_FULL || location->file == TEXT_SET_FULL ? ENOMEM : 0;
        }
        if (!error)
            error = misses_add(misses, trace);
        if (!error)
            *trace = (struct misses_trace){0};
    }
    return error;
}
