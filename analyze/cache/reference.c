#include "analyze/cache/reference.h"

/* ---------------------------------------------------------------------------- lines -- */

struct cache_line *reference_fill(struct cache_simulation *simulation, struct cache_array *array, unsigned level,
                                  uint64_t block)
{
    struct cache_line replaced, *line = cache_array_fill(array, block, &replaced);
    if (replaced.mark >= MARK_SOURCES) {
        struct source *source = &simulation->sources[replaced.mark - MARK_SOURCES];
        source->counts.useless++;
        source->outstanding--;
    }
    if (!replaced.dirty)
        return line;

    /* The levels behind `level` get what was stored to the line that it replaces. */
    const struct cache_array *from = &simulation->data[level];
    uint64_t first = cache_array_address(from, &replaced);
    bool found = false;
    simulation->counts.write_backs[level]++;
    for (unsigned next = level + 1; next < simulation->machine.level_count && !found; next++) {
        const struct cache_array *next_array = &simulation->data[next];
        for (uint64_t offset = 0; offset >> from->shift == 0; offset += UINT64_C(1) << next_array->shift) {
            struct cache_line *behind = cache_array_peek(next_array, cache_array_block(next_array, first + offset));
            if (behind)
                behind->dirty = found = true;
        }
    }
    return line;
}

/* Whether the level has the line; if not, it gets it, except for a store that does not allocate. */
static bool reference_line(struct cache_simulation *simulation, struct request *request, unsigned level,
                           uint64_t address)
{
    struct cache_array *array = simulation->path[request->fetch][level];
    uint64_t block = cache_array_block(array, address);
    bool allocates = !request->write || simulation->machine.write_allocate || simulation->machine.cachegrind;
    struct cache_line *line = cache_array_use(array, block);
    bool hit = line != NULL;
    if (!hit && !allocates)
        return false;
    if (!hit)
        line = reference_fill(simulation, array, level, block);
    if (line->mark == MARK_HARDWARE) { /* with a mark, it is accessed for the first time */
        simulation->counts.hardware_useful++;
    } else if (line->mark) {
        struct source *source = &simulation->sources[line->mark - MARK_SOURCES];
        source->counts.useful += line->arrival <= request->now;
        source->counts.late += line->arrival > request->now;
        source->outstanding--;
    }
    line->mark = 0;
    if (line->arrival > request->now)
        request->arrival = line->arrival > request->arrival ? line->arrival : request->arrival;
    line->arrival = 0;
    line->dirty |= request->write && (level == 0 || !allocates);
    return hit;
}

unsigned reference_levels(struct cache_simulation *simulation, struct request *request, unsigned level)
{
    for (; level < simulation->machine.level_count; level++) {
        uint64_t line = UINT64_C(1) << simulation->path[request->fetch][level]->shift;
        uint64_t within = request->address & (line - 1);
        bool hit = true;
        for (uint64_t offset = 0; offset < within + request->bytes; offset += line)
            hit &= reference_line(simulation, request, level, request->address - within + offset);
        if (hit)
            break;
        if (simulation->machine.cachegrind)
            continue;
        request->address -= within;
        request->bytes = (unsigned)line;
    }
    return level;
}

unsigned reference_latency(const struct cache_machine *machine, unsigned level)
{
    return level < machine->level_count ? machine->levels[level].latency : machine->memory;
}

bool reference_tlb(struct cache_simulation *simulation, uint64_t address, unsigned bytes)
{
    struct cache_array *tlb = &simulation->tlb;
    struct cache_line replaced;
    bool miss = false;
    if (!tlb->lines)
        return false;
    uint64_t page = cache_array_block(tlb, address), last = cache_array_block(tlb, address + bytes - 1);
    if (page == last && page == simulation->recent_page)
        return false;
    for (; page <= last; page++)
        if (!cache_array_use(tlb, page)) {
            miss = true;
            cache_array_fill(tlb, page, &replaced);
        }
    simulation->recent_page = page - 1;
    return miss;
}

/* ---------------------------------------------------------------------------- hardware prefetches -- */

unsigned reference_hardware_level(const struct cache_machine *machine)
{
    return machine->level_count > 1;
}

void reference_missed(struct cache_simulation *simulation, uint64_t address, uint64_t now)
{
    uint64_t lines[PREFETCHER_LINES_MAX];
    unsigned count = prefetcher_miss(&simulation->prefetcher, address, lines);
    unsigned level = reference_hardware_level(&simulation->machine);
    struct cache_array *array = &simulation->data[level];
    for (unsigned i = 0; i < count; i++) {
        uint64_t block = cache_array_block(array, lines[i]);
        struct request request = {.address = lines[i], .bytes = 1U << array->shift, .now = now};
        if (cache_array_peek(array, block))
            continue;
        simulation->counts.hardware_prefetches++;
        unsigned from = reference_levels(simulation, &request, level + 1);
        struct cache_line *line = reference_fill(simulation, array, level, block);
        uint64_t arrival = now + reference_latency(&simulation->machine, from);
        line->arrival = arrival > request.arrival ? arrival : request.arrival;
        line->mark = MARK_HARDWARE;
    }
}
