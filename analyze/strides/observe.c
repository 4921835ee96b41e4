#include "analyze/strides/observe.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/strides/origins.h"
#include "analyze/strides/walk.h"
#include "base/grow.h"

enum { RECENT = 8, SCALE_MAX = 1 << 16, NUMBER_MAX_BITS = 32 };

/* A load of a number that may be an index. */
struct recent_load {
    uint32_t site;
    uint64_t number; /* of the access, from 1; 0: none */
};

/* How many strides a row had when the latest burst that has seen it began. */
struct burst_start {
    uint64_t strides;
    uint32_t burst; /* from 1; 0: none */
};

/* Which loads of a trace use what others have loaded, where the trace records it (kind dependence). */
struct dependence {
    uint32_t from; /* a site */
    unsigned how;  /* enum trace_dependence */
    uint32_t next; /* of the same load: index + 1; 0: none */
};

struct dependences {
    bool recorded;   /* the trace has some: all others do not exist */
    uint32_t *first; /* [site]: index + 1; 0: none */
    struct dependence *items;
    size_t count, capacity;
};

struct observer {
    struct strides *strides;
    struct walk walk;
    struct origins *origins;
    struct dependences dependences;
    struct cache_simulation *cache;
    struct recent_load recent[RECENT];
    unsigned next_recent;
    struct burst_start *starts; /* [start_capacity], by rows; only with --iterations */
    size_t start_capacity;
    struct loads_totals totals;
    uint64_t waited; /* cycles of all loads so far */
    uint64_t gaps;   /* that the simulated caches have forgotten */
    bool is_jvm, has_values;
};

/* ------------------------------------------------------------------------------------------------ dependences -- */

/* Reads those that the trace records. Damaged chunks are left out: the driver counts them. 0 or ENOMEM. */
static int observer_read_dependences(struct dependences *dependences, const struct trace *trace,
                                     const struct trace_names *names)
{
    struct trace_batch batch = {0};
    *dependences = (struct dependences){.first = calloc(names->site_count, sizeof *dependences->first)};
    int error = dependences->first ? 0 : ENOMEM;
    for (size_t chunk = 0; chunk < trace_chunk_count(trace) && !error; chunk++) {
        struct error_text ignored;
        if (trace_chunk_at(trace, chunk)->kind != TRACE_DEPENDENCE)
            continue;
        dependences->recorded = true;
        int status = trace_read(trace, chunk, TRACE_ALL_COLUMNS, &batch, &ignored);
        if (status == TRACE_NO_MEMORY)
            error = ENOMEM;
        if (status)
            continue;
        for (size_t i = 0; i < batch.count && !error; i++) {
            uint64_t from = batch.integers[DEPENDENCE_FROM][i], to = batch.integers[DEPENDENCE_TO][i];
            if (from >= names->site_count || to >= names->site_count)
                continue;
            struct dependence *items =
                grow_unset(dependences->items, &dependences->capacity, dependences->count, sizeof *items);
            if (!items) {
                error = ENOMEM;
                break;
            }
            dependences->items = items;
            items[dependences->count++] = (struct dependence){
                (uint32_t)from, (unsigned)batch.integers[DEPENDENCE_HOW][i], dependences->first[to]};
            dependences->first[to] = (uint32_t)dependences->count;
        }
    }
    trace_batch_free(&batch);
    return error;
}

static int observer_add_dependence(struct observer *observer, uint32_t row, uint32_t location, enum loads_how how,
                                   int64_t offset, int64_t stride)
{
    struct loads_partner *partner;
    int error = loads_partner(&observer->strides->loads, row, location, how, &partner);
    if (error || !partner)
        return error;
    partner->executions++;
    error = histogram_add(&partner->offsets, offset, 1);
    return error || how == LOADS_INDEX ? error : histogram_add(&partner->strides, stride, 1);
}

static int64_t observer_extend_number(uint64_t value, uint32_t bytes)
{
    return bytes == 4 ? (int32_t)value : (int64_t)value;
}

/* An index that was loaded in this iteration, if it was loaded in the one before, too. */
static int observer_try_index(struct observer *observer, uint32_t from, const struct walk_access *access,
                              const struct walk_visit *visit, const struct turns_loop *loop)
{
    const struct walk_visit *other = walk_find_visit(&observer->walk, from, visit->loop);
    const struct trace_site *site = &observer->walk.names->sites[from];
    if (!other || other->serial != loop->serial || other->before != visit->serial ||
        site->thread != access->site->thread)
        return 0;
    int64_t moved = (int64_t)(access->address - visit->address),
            change = (int64_t)((uint64_t)observer_extend_number(other->value, site->bytes) -
                               (uint64_t)observer_extend_number(other->value_before, site->bytes));
    if (change == 0)
        return 0;
    /* The factor by which the address moved when the number did, or 0. */
    int64_t scale = moved != INT64_MIN && moved % change == 0 ? moved / change : 0;
    return observer_add_dependence(observer, visit->row, observer->walk.sites[from].location, LOADS_INDEX,
                                   scale > 0 && scale <= SCALE_MAX ? scale : 0, 0);
}

/* ---------------------------------------------------------------------------------------- inferred from values -- */

/* The load that brought the address, if it was in this iteration; else the loads of numbers in this iteration with
 * which the address moves. `learns`: whether this execution shows the latter. */
static int observer_infer(struct observer *observer, const struct walk_access *access, const struct walk_visit *visit,
                          const struct turns_loop *loop, bool learns)
{
    const struct origin *origin = origins_find(observer->origins, access->address);
    if (origin && origin->access > loop->since &&
        observer->walk.names->sites[origin->site].thread == access->site->thread &&
        observer->walk.sites[origin->site].levels > 0)
        return observer_add_dependence(observer, visit->row, observer->walk.sites[origin->site].location, LOADS_BASE,
                                       (int64_t)(access->address - origin->value),
                                       (int64_t)(access->address - origin->address));
    int error = 0;
    for (unsigned i = 0; learns && !error && i < RECENT; i++) {
        const struct recent_load *load = &observer->recent[i];
        bool wanted = load->number > loop->since && load->site != access->site_id;
        for (unsigned j = 0; wanted && j < i; j++) /* each load once */
            wanted = observer->recent[j].number <= loop->since || observer->recent[j].site != load->site;
        if (wanted)
            error = observer_try_index(observer, load->site, access, visit, loop);
    }
    return error;
}

/* ---------------------------------------------------------------------------------------- recorded by the trace -- */

static int observer_add_recorded(struct observer *observer, const struct walk_access *access,
                                 const struct walk_visit *visit, const struct turns_loop *loop, bool learns)
{
    int error = 0;
    for (uint32_t i = observer->dependences.first[access->site_id]; i > 0 && !error;
         i = observer->dependences.items[i - 1].next) {
        const struct dependence *dependence = &observer->dependences.items[i - 1];
        if (dependence->how == DEPENDENCE_BASE) {
            const struct walk_visit *other = walk_find_visit(&observer->walk, dependence->from, visit->loop);
            if (other && other->serial == loop->serial)
                error = observer_add_dependence(observer, visit->row, observer->walk.sites[dependence->from].location,
                                                LOADS_BASE, (int64_t)(access->address - other->value),
                                                (int64_t)(access->address - other->address));
        } else if (dependence->how == DEPENDENCE_INDEX && learns)
            error = observer_try_index(observer, dependence->from, access, visit, loop);
    }
    return error;
}

static int observer_visit(struct walk *walk, const struct walk_access *access, struct walk_visit *visit,
                          const struct turns_loop *loop, bool continues)
{
    struct observer *observer = walk->user;
    struct loads_row *row = loads_row_at(walk->loads, visit->row);
    uint64_t most = observer->strides->options.iterations;
    if (most) { /* has the burst seen as many iterations of the load as --iterations allows? */
        uint32_t burst = walk->turns.burst + 1;
        struct burst_start *starts = grow(observer->starts, &observer->start_capacity, visit->row, sizeof *starts);
        if (!starts)
            return ENOMEM;
        observer->starts = starts;
        if (starts[visit->row].burst != burst)
            starts[visit->row] = (struct burst_start){row->strides.total, burst};
        if (row->strides.total - starts[visit->row].strides + 1 >= most)
            return 0;
    }

    int64_t stride = (int64_t)(access->address - visit->address);
    row->executions++;
    row->address = access->address;
    row->serial = loop->serial;
    row->entry = loop->entry;
    if (continues && histogram_add(&row->strides, stride, 1) != 0)
        return ENOMEM;
    bool repeats = continues && visit->strided && stride == visit->stride;
    row->repeats += repeats;
    bool learns = continues && !repeats; /* of an index: nothing from a constant stride */
    return observer->dependences.recorded ? observer_add_recorded(observer, access, visit, loop, learns)
                                          : observer_infer(observer, access, visit, loop, learns);
}

/* ---------------------------------------------------------------------------------------------------- accesses -- */

static int observer_access(struct walk *walk, const struct walk_access *access, struct walk_site *site)
{
    struct observer *observer = walk->user;
    struct loads_totals *totals = &observer->totals;
    const struct cache_machine *machine = &observer->strides->options.machine;
    uint32_t bytes = access->site->bytes;
    if (observer->gaps != walk->turns.gaps)
        cache_clear(observer->cache);
    observer->gaps = walk->turns.gaps;
    totals->accesses++;
    if (access->site->access != ACCESS_LOAD) {
        cache_store(observer->cache, access->address, bytes, access->now + observer->waited);
        return 0;
    }
    struct cache_outcome outcome = cache_load(observer->cache, access->address, bytes, access->now + observer->waited);
    observer->waited += outcome.wait;
    totals->loads++;
    if (!site || site->levels == 0)
        return 0;
    totals->loads_in_loops++;
    site->accesses++;
    site->misses += outcome.depth > machine->prefetch_level;
    site->stall += outcome.wait;

    /* Native addresses have 8 bytes; those of references of Java, which may be compressed, are in the trace in full. */
    if (bytes == 8 || (observer->is_jvm && bytes == 4))
        origins_add(observer->origins,
                    &(struct origin){access->value, access->address, access->number, access->site_id});
    if (access->value >> NUMBER_MAX_BITS == 0 && bytes <= 8)
        observer->recent[observer->next_recent++ % RECENT] = (struct recent_load){access->site_id, access->number};
    return 0;
}

/* -------------------------------------------------------------------------------------------------- one trace -- */

struct observer *observer_new(struct strides *strides, const struct analysis_trace *trace)
{
    struct observer *observer = calloc(1, sizeof *observer);
    if (!observer)
        return NULL;
    const json_t *metadata = trace_metadata(trace->trace);
    const char *order = json_string_value(json_object_get(metadata, "access_order"));
    *observer = (struct observer){.strides = strides,
                                  .origins = origins_new(),
                                  .cache = cache_simulation_new(&strides->options.machine, 0),
                                  .is_jvm = order != NULL,
                                  .has_values = json_is_true(json_object_get(metadata, "values"))};
    bool walks = walk_init(&observer->walk, &strides->loads, trace->trace, trace->names) == 0 &&
                 observer_read_dependences(&observer->dependences, trace->trace, trace->names) == 0;
    observer->walk.user = observer;
    observer->walk.visit = observer_visit;
    observer->walk.access = observer_access;
    if (walks && observer->origins && observer->cache)
        return observer;
    observer_free(observer);
    return NULL;
}

void observer_free(struct observer *observer)
{
    if (!observer)
        return;
    walk_free(&observer->walk);
    origins_free(observer->origins);
    free(observer->dependences.first);
    free(observer->dependences.items);
    cache_simulation_free(observer->cache);
    free(observer->starts);
    free(observer);
}

int observer_feed(struct observer *observer, const struct trace_batch *batch)
{
    return walk_feed(&observer->walk, batch);
}

int observer_finalize(struct observer *observer)
{
    struct loads_totals *totals = &observer->totals;
    struct loads *loads = &observer->strides->loads;
    const struct walk *walk = &observer->walk;
    uint64_t skipped = walk->turns.skipped;
    cache_finish(observer->cache);
    totals->traces = 1;
    totals->valueless = !observer->has_values;
    totals->instructions = skipped < walk->instructions ? walk->instructions - skipped : 0;
    totals->gaps = walk->turns.gaps;
    totals->before = *cache_counts(observer->cache);

    for (size_t i = 0; i < walk->names->site_count; i++)
        for (unsigned level = 0; level < walk->sites[i].levels; level++) {
            struct loads_row *row = loads_row_at(loads, walk->visits[walk->sites[i].first + level].row);
            row->accesses += walk->sites[i].accesses;
            row->misses += walk->sites[i].misses;
            row->stall += walk->sites[i].stall;
        }

    for (uint32_t i = 1; i < walk->names->loop_count; i++) {
        const struct turns_loop *loop = &walk->turns.loops[i];
        if (loop->serial == 0)
            continue;
        uint32_t location = loads_location(loads, walk->names, walk->names->loops[i].context, 0, 0);
        if (location == LOADS_NONE)
            return ENOMEM;
        const struct loads_loop more = {.location = location,
                                        .entries = loop->entries,
                                        .iterations = loop->serial,
                                        .spans = loop->spans,
                                        .accesses = loop->accesses};
        if (loads_loop_find(loads, location)) /* loops without a load are not known */
            relations_add(&loads->relations, LOADS_LOOPS, &more);
    }
    return loads_add_totals(loads, totals);
}
