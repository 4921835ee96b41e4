#include "analyze/cache/simulation.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "analyze/cache/reference.h"

/* ---------------------------------------------------------------------------- life -- */

static int simulation_init_level(struct cache_array *array, const struct cache_level *level)
{
    uint64_t sets = level->bytes / level->line / level->ways;
    return cache_array_init(array, sets, level->ways, level->line, level->replacement);
}

struct cache_simulation *cache_simulation_new(const struct cache_machine *machine, unsigned sources)
{
    enum { ACCESS_MAX = 1 << 16 }; /* no instruction of a program accesses more than some kilobytes at once */
    struct cache_simulation *simulation = calloc(1, sizeof *simulation);
    if (!simulation)
        return NULL;
    simulation->machine = *machine;
    simulation->source_count = sources;
    simulation->recent_page = REFERENCE_NO_PAGE;
    for (unsigned i = 0; i < machine->level_count; i++)
        simulation->path[0][i] = simulation->path[1][i] = &simulation->data[i];
    simulation->path[1][0] = &simulation->instructions;
    simulation->mshrs = calloc(machine->mshrs + 1, sizeof *simulation->mshrs);
    simulation->sources = calloc(sources + 1, sizeof *simulation->sources);
    prefetcher_init(&simulation->prefetcher, machine->prefetcher,
                    machine->levels[reference_hardware_level(machine)].line, machine->page);

    unsigned least = machine->instructions.bytes ? machine->instructions.line : UINT_MAX;
    for (unsigned i = 0; i < machine->level_count; i++)
        least = machine->levels[i].line < least ? machine->levels[i].line : least;
    /* With cachegrind's rules no access is larger than the smallest line. */
    simulation->bytes_max = machine->cachegrind ? least : ACCESS_MAX;

    int error = simulation->mshrs && simulation->sources ? 0 : ENOMEM;
    for (unsigned i = 0; i < machine->level_count && !error; i++)
        error = simulation_init_level(&simulation->data[i], &machine->levels[i]);
    if (!error && machine->instructions.bytes)
        error = simulation_init_level(&simulation->instructions, &machine->instructions);
    if (!error && machine->tlb_entries)
        error = cache_array_init(&simulation->tlb, machine->tlb_entries / machine->tlb_ways, machine->tlb_ways,
                                 machine->page, CACHE_LRU);
    if (!error)
        return simulation;
    cache_simulation_free(simulation);
    return NULL;
}

void cache_simulation_free(struct cache_simulation *simulation)
{
    if (!simulation)
        return;
    for (unsigned i = 0; i < CACHE_LEVELS_MAX; i++)
        cache_array_free(&simulation->data[i]);
    cache_array_free(&simulation->instructions);
    cache_array_free(&simulation->tlb);
    free(simulation->mshrs);
    free(simulation->sources);
    free(simulation);
}

/* ---------------------------------------------------------------------------- accesses -- */

/* A request that is not for one line of the first level is made of such ones, unless cachegrind's rules hold. */
static struct cache_outcome simulation_reference_lines(struct cache_simulation *simulation, const struct request *whole)
{
    struct cache_outcome outcome = {0};
    uint64_t line = UINT64_C(1) << simulation->path[whole->fetch][0]->shift;
    for (unsigned done = 0, bytes; done < whole->bytes; done += bytes) {
        struct request part = *whole;
        uint64_t rest = line - ((whole->address + done) & (line - 1));
        part.address += done;
        part.bytes -= done;
        bytes = simulation->machine.cachegrind || part.bytes < rest ? part.bytes : (unsigned)rest;
        part.bytes = bytes;
        unsigned depth = reference_levels(simulation, &part, 0);
        outcome.depth = depth > outcome.depth ? depth : outcome.depth;
        outcome.late |= part.arrival > whole->now;
        if (part.arrival > whole->now && part.arrival - whole->now > outcome.wait)
            outcome.wait = (unsigned)(part.arrival - whole->now);
        if (depth > 0 && !whole->fetch && simulation->machine.prefetcher != CACHE_PREFETCHER_NONE)
            reference_missed(simulation, whole->address + done, whole->now);
    }
    return outcome;
}

static void simulation_count_misses(uint64_t misses[CACHE_LEVELS_MAX], unsigned depth)
{
    for (unsigned level = 0; level < depth; level++)
        misses[level]++;
}

/* Whether the first level has the only line of an access, which then is used, and no prefetch takes credit for it. */
static inline bool simulation_is_hit(struct cache_array *array, uint64_t address, unsigned bytes, bool write)
{
    uint64_t block = cache_array_block(array, address);
    if (block != cache_array_block(array, address + bytes - 1))
        return false;
    struct cache_line *line = cache_array_use(array, block);
    if (!line || line->mark)
        return false;
    line->dirty |= write;
    return true;
}

/* An access that misses something, or that more than one line, or a prefetch, is concerned by. */
static struct cache_outcome simulation_access_fully(struct cache_simulation *simulation, const struct request *request,
                                                    bool tlb_miss)
{
    struct cache_counts *counts = &simulation->counts;
    struct cache_outcome outcome = simulation_reference_lines(simulation, request);
    unsigned latency =
        reference_latency(&simulation->machine, outcome.depth) - reference_latency(&simulation->machine, 0);
    outcome.tlb_miss = tlb_miss;
    outcome.wait = (latency > outcome.wait ? latency : outcome.wait) + (tlb_miss ? simulation->machine.walk : 0);
    simulation_count_misses(request->write ? counts->store_misses : counts->load_misses, outcome.depth);
    *(request->write ? &counts->store_tlb_misses : &counts->load_tlb_misses) += tlb_miss;
    return outcome;
}

/* At least one byte, and at most as many as an access has. */
static unsigned simulation_clip_bytes(const struct cache_simulation *simulation, unsigned bytes)
{
    return bytes == 0 ? 1 : bytes < simulation->bytes_max ? bytes : simulation->bytes_max;
}

/* Most accesses are to the page that was used last, and to a line that the first level has. */
static inline struct cache_outcome simulation_access_data(struct cache_simulation *simulation, uint64_t address,
                                                          unsigned bytes, bool write, uint64_t now)
{
    bytes = simulation_clip_bytes(simulation, bytes);
    bool tlb_miss = simulation->tlb.lines && reference_tlb(simulation, address, bytes);
    if (!tlb_miss && simulation_is_hit(&simulation->data[0], address, bytes, write))
        return (struct cache_outcome){0};
    return simulation_access_fully(
        simulation, &(struct request){.address = address, .bytes = bytes, .write = write, .now = now}, tlb_miss);
}

struct cache_outcome cache_load(struct cache_simulation *simulation, uint64_t address, unsigned bytes, uint64_t now)
{
    simulation->counts.loads++;
    return simulation_access_data(simulation, address, bytes, false, now);
}

struct cache_outcome cache_store(struct cache_simulation *simulation, uint64_t address, unsigned bytes, uint64_t now)
{
    simulation->counts.stores++;
    return simulation_access_data(simulation, address, bytes, true, now);
}

struct cache_outcome cache_fetch_instruction(struct cache_simulation *simulation, uint64_t address, unsigned bytes,
                                             uint64_t now)
{
    if (!simulation->instructions.lines)
        return (struct cache_outcome){0};
    bytes = simulation_clip_bytes(simulation, bytes);
    simulation->counts.fetches++;
    if (simulation_is_hit(&simulation->instructions, address, bytes, false))
        return (struct cache_outcome){0};
    struct cache_outcome outcome = simulation_reference_lines(
        simulation, &(struct request){.address = address, .bytes = bytes, .fetch = true, .now = now});
    simulation_count_misses(simulation->counts.fetch_misses, outcome.depth);
    return outcome;
}

/* ---------------------------------------------------------------------------- prefetches -- */

/* Whether the prefetch may be made as far as the TLB is concerned; *delay is the time of the walk. */
static bool simulation_translate_prefetch(struct cache_simulation *simulation, uint64_t address, bool may_walk,
                                          unsigned *delay)
{
    struct cache_array *tlb = &simulation->tlb;
    uint64_t page = tlb->lines ? cache_array_block(tlb, address) : REFERENCE_NO_PAGE;
    *delay = 0;
    if (!tlb->lines || cache_array_use(tlb, page)) {
        simulation->recent_page = page;
        return true;
    }
    if (may_walk && reference_tlb(simulation, address, 1))
        *delay = simulation->machine.walk;
    return may_walk;
}

void cache_prefetch(struct cache_simulation *simulation, uint64_t address, enum cache_prefetch_kind kind,
                    unsigned number, uint64_t now)
{
    const struct cache_machine *machine = &simulation->machine;
    struct source *source = &simulation->sources[number];
    bool is_load = kind == CACHE_PREFETCH_LOAD;
    unsigned level = is_load ? 0 : machine->prefetch_level, delay;
    source->counts.issued++;
    if (!simulation_translate_prefetch(simulation, address, is_load || !machine->prefetch_needs_tlb, &delay)) {
        source->counts.dropped++;
        return;
    }
    /* The first level that has the line, up to `level`, has used it. */
    for (unsigned i = 0; i <= level; i++)
        if (cache_array_use(&simulation->data[i], cache_array_block(&simulation->data[i], address))) {
            source->counts.resident++;
            return;
        }
    uint64_t *mshr = simulation->mshrs; /* the register for misses that is free first */
    for (unsigned i = 1; i < machine->mshrs; i++)
        if (simulation->mshrs[i] < *mshr)
            mshr = &simulation->mshrs[i];
    uint64_t begin = is_load && *mshr > now ? *mshr : now;
    if (*mshr > begin) {
        source->counts.dropped++;
        return;
    }

    struct cache_array *array = &simulation->data[level];
    struct request request = {
        .address = address >> array->shift << array->shift, .bytes = 1U << array->shift, .now = now};
    unsigned from = reference_levels(simulation, &request, level + 1);
    struct cache_line *line = reference_fill(simulation, array, level, cache_array_block(array, address));
    uint64_t arrival = begin + delay + reference_latency(machine, from);
    *line = (struct cache_line){.key = line->key,
                                .arrival = arrival > request.arrival ? arrival : request.arrival,
                                .mark = MARK_SOURCES + number};
    *mshr = line->arrival;
    source->outstanding++;
}

/* ---------------------------------------------------------------------------- ends -- */

bool cache_has(const struct cache_simulation *simulation, uint64_t address, uint64_t now)
{
    const struct cache_array *array = &simulation->data[0];
    const struct cache_line *line = cache_array_peek(array, cache_array_block(array, address));
    return line && line->arrival <= now;
}

void cache_finish(struct cache_simulation *simulation)
{
    for (unsigned i = 0; i < simulation->source_count; i++) {
        simulation->sources[i].counts.useless += simulation->sources[i].outstanding;
        simulation->sources[i].outstanding = 0;
    }
}

void cache_clear(struct cache_simulation *simulation)
{
    const struct cache_machine *machine = &simulation->machine;
    cache_finish(simulation);
    for (unsigned i = 0; i < machine->level_count; i++)
        cache_array_clear(&simulation->data[i]);
    if (simulation->instructions.lines)
        cache_array_clear(&simulation->instructions);
    if (simulation->tlb.lines)
        cache_array_clear(&simulation->tlb);
    for (unsigned i = 0; i < machine->mshrs; i++)
        simulation->mshrs[i] = 0;
    simulation->recent_page = REFERENCE_NO_PAGE;
    prefetcher_init(&simulation->prefetcher, machine->prefetcher, simulation->prefetcher.line, machine->page);
}

const struct cache_counts *cache_counts(const struct cache_simulation *simulation)
{
    return &simulation->counts;
}

const struct cache_prefetches *cache_prefetches(const struct cache_simulation *simulation, unsigned source)
{
    assert(source < simulation->source_count);
    return &simulation->sources[source].counts;
}
