#include "analyze/cache/misses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cache/replay.h"
#include "analyze/names/method_name.h"
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
static bool completes_load(const struct misses_run *run, const struct trace_site *site,
                           const struct replay_access *access)
{
    const struct trace_site *load = run->load.site;
    return load && site->access == ACCESS_STORE && load->context == site->context && load->bytes == site->bytes &&
           run->load.address == access->address && run->load.instructions == access->instructions;
}

/* Time passes by one cycle with each instruction or, if they are not counted, with each access. */
static void take_access(void *user, const struct replay_access *access)
{
    struct misses_run *run = user;
    const struct trace_site *site = trace_names_site(run->names, access->site);
    if (site == run->names->sites || site->bytes == 0 || site->access >= ACCESS_COUNT) {
        run->trace.unknown++;
        return;
    }
    bool completes = completes_load(run, site, access);
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

static void take_fetch(void *user, const struct replay_fetch *fetch)
{
    struct misses_run *run = user;
    cache_fetch(run->simulation, fetch->address, (unsigned)fetch->bytes, fetch->instructions);
}

static void take_gap(void *user, uint64_t instructions)
{
    struct misses_run *run = user;
    run->trace.gaps++;
    run->gap_instructions += instructions;
    run->load.site = NULL;
    cache_forget(run->simulation);
}

/* ------------------------------------------------------------------------------------------ traces -- */

static void free_trace(struct misses_trace *trace)
{
    free(trace->path);
    free(trace->places);
}

static void free_run(struct misses_run *run)
{
    if (!run)
        return;
    free_trace(&run->trace);
    cache_simulation_free(run->simulation);
    free(run->sites);
    replay_free(&run->replay);
    free(run);
}

static int begin_run(struct misses *misses, const struct analysis_trace *trace)
{
    struct misses_run *run = misses->run = calloc(1, sizeof *run);
    const char *order = json_string_value(json_object_get(trace_metadata(trace->trace), "access_order"));
    if (!run)
        return ENOMEM;
    run->names = trace->names;
    replay_begin(&run->replay, trace->trace,
                 &(struct replay_events){.access = take_access,
                                         .fetch = misses->machine.instructions.bytes ? take_fetch : NULL,
                                         .gap = take_gap,
                                         .user = run});
    run->trace.path = strdup(trace->path);
    run->trace.by_thread = order && strcmp(order, "thread") == 0;
    run->simulation = cache_simulation_new(&misses->machine, 0);
    run->merges_updates = misses->machine.cachegrind;
    run->sites = calloc(trace->names->site_count, sizeof *run->sites);
    return run->trace.path && run->simulation && run->sites ? 0 : ENOMEM;
}

int misses_feed(struct misses *misses, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    int error = misses->run ? 0 : begin_run(misses, trace);
    return error ? error : replay_feed(&misses->run->replay, batch);
}

/* The place of a site's instruction. 0 or ENOMEM. */
static int place_of(struct misses *misses, const struct trace_names *names, const struct trace_site *site,
                    struct misses_place *place)
{
    char text[METHOD_NAME_MAX];
    const struct trace_frame *frame = &names->frames[trace_names_context(names, site->context)->frame];
    const struct trace_method *method = &names->methods[frame->method];
    method_name(method, text);
    *place = (struct misses_place){.method = text_set_add(&misses->texts, text),
                                   .file = text_set_add(&misses->texts, method->file),
                                   .line = frame->line};
    return place->method == TEXT_SET_FULL || place->file == TEXT_SET_FULL ? ENOMEM : 0;
}

static int in_order(const void *a, const void *b)
{
    const struct misses_place *x = a, *y = b;
    const uint32_t left[] = {x->method, x->file, x->line}, right[] = {y->method, y->file, y->line};
    for (unsigned i = 0; i < 3; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static void add_place(struct misses_place *into, const struct misses_place *from)
{
    into->loads += from->loads;
    into->stores += from->stores;
    into->tlb_misses += from->tlb_misses;
    for (unsigned level = 0; level < CACHE_LEVELS_MAX; level++) {
        into->load_misses[level] += from->load_misses[level];
        into->store_misses[level] += from->store_misses[level];
    }
}

/* Sites in different contexts, or of different instructions of a line, have one place. */
static size_t join_places(struct misses_place *places, size_t count)
{
    size_t kept = 0;
    qsort(places, count, sizeof *places, in_order);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && in_order(&places[kept - 1], &places[i]) == 0)
            add_place(&places[kept - 1], &places[i]);
        else
            places[kept++] = places[i];
    }
    return kept;
}

static int make_places(struct misses *misses, struct misses_run *run)
{
    const struct trace_names *names = run->names;
    struct misses_place *places = calloc(names->site_count, sizeof *places);
    size_t count = 0;
    int error = places ? 0 : ENOMEM;
    for (size_t i = 1; i < names->site_count && !error; i++) {
        const struct site_misses *counts = &run->sites[i];
        struct misses_place *place = &places[count];
        if (counts->count == 0)
            continue;
        error = place_of(misses, names, &names->sites[i], place);
        bool load = names->sites[i].access == ACCESS_LOAD;
        *(load ? &place->loads : &place->stores) = counts->count;
        memcpy(load ? place->load_misses : place->store_misses, counts->misses, sizeof counts->misses);
        place->tlb_misses = counts->tlb_misses;
        count++;
    }
    run->trace.places = places;
    run->trace.place_count = error ? 0 : join_places(places, count);
    return error;
}

static uint64_t recorded_instructions(const struct analysis_trace *trace, const struct misses_run *run)
{
    const json_t *exact = json_object_get(trace_metadata(trace->trace), "exact");
    json_int_t all = json_integer_value(json_object_get(exact, "instructions"));
    return all > 0 && (uint64_t)all > run->gap_instructions ? (uint64_t)all - run->gap_instructions : 0;
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

int misses_finalize(struct misses *misses, const struct analysis_trace *trace)
{
    struct misses_run *run = misses->run;
    if (!run)
        return 0;
    replay_end(&run->replay);
    cache_finish(run->simulation);
    run->trace.counts = *cache_counts(run->simulation);
    run->trace.unknown += run->replay.unknown;
    run->trace.instructions = recorded_instructions(trace, run);
    int error = run->accesses + run->trace.unknown > 0 ? make_places(misses, run) : 0;
    if (!error && run->accesses + run->trace.unknown > 0) {
        error = misses_add(misses, &run->trace);
        if (!error)
            run->trace = (struct misses_trace){0};
    }
    free_run(run);
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
bool misses_take_machine(struct misses *misses, const struct cache_machine *machine)
{
    if (cache_machine_same(&misses->machine, machine))
        return true;
    if (misses->fixed || misses->count > 0)
        return false;
    misses->machine = *machine;
    return true;
}

void misses_free(struct misses *misses)
{
    for (size_t i = 0; i < misses->count; i++)
        free_trace(&misses->traces[i]);
    free(misses->traces);
    free_run(misses->run);
    text_set_free(&misses->texts);
    free(misses);
}

int misses_merge(struct misses *misses, struct misses *other)
{
    int error = other->count == 0 || misses_take_machine(misses, &other->machine) ? 0 : EINVAL;
    for (size_t t = 0; t < other->count && !error; t++) {
        struct misses_trace *trace = &other->traces[t];
        for (size_t i = 0; i < trace->place_count && !error; i++) {
            struct misses_place *place = &trace->places[i];
            place->method = text_set_add(&misses->texts, other->texts.texts[place->method]);
            place->file = text_set_add(&misses->texts, other->texts.texts[place->file]);
            error = place->method == TEXT_SET_FULL || place->file == TEXT_SET_FULL ? ENOMEM : 0;
        }
        if (!error)
            error = misses_add(misses, trace);
        if (!error)
            *trace = (struct misses_trace){0};
    }
    return error;
}
