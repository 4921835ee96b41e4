/*
 * The cache simulator against a naive model on random accesses, fetches and prefetches. The model shares no code with
 * it: lines have the time of their last use, trees of bits are walked from the root, and addresses are looked at byte
 * by byte.
 */
#include "analyze/cache/simulation.h"

#include <stdlib.h>

#include "tests/tap.h"

enum { LINES = 4096, SOURCES = 2, STEPS = 30000, NO_MARK = -1 };

/* ---------------------------------------------------------------------------- the model -- */

struct model_line {
    bool valid, dirty;
    uint64_t block, used, arrival;
    int mark;
};

struct model_array {
    unsigned sets, ways, line;
    bool tree;
    struct model_line lines[LINES]; /* [set × ways + way] */
    bool right[LINES];              /* [set × ways + node]: where the node of a tree points */
};

struct model {
    struct cache_machine machine;
    struct model_array data[CACHE_LEVELS_MAX], instructions, tlb;
    uint64_t clock; /* of uses */
    uint64_t mshrs[16];
    struct cache_prefetches prefetches[SOURCES];
    struct cache_counts counts;
};

static void model_shape(struct model_array *array, uint64_t bytes, unsigned ways, unsigned line, bool tree)
{
    array->line = line;
    array->ways = ways;
    array->sets = (unsigned)(bytes / line / ways);
    array->tree = tree;
}

static struct model *model_new(const struct cache_machine *machine)
{
    struct model *model = calloc(1, sizeof *model);
    model->machine = *machine;
    for (unsigned i = 0; i < machine->level_count; i++)
        model_shape(&model->data[i], machine->levels[i].bytes, machine->levels[i].ways, machine->levels[i].line,
                    machine->levels[i].replacement == CACHE_TREE_PLRU);
    if (machine->instructions.bytes)
        model_shape(&model->instructions, machine->instructions.bytes, machine->instructions.ways,
                    machine->instructions.line, machine->instructions.replacement == CACHE_TREE_PLRU);
    if (machine->tlb_entries)
        model_shape(&model->tlb, (uint64_t)machine->tlb_entries * machine->page, machine->tlb_ways, machine->page,
                    false);
    return model;
}

/* A way was used: on the path from the root to it each node points to the other half. */
static void model_touch(struct model *model, struct model_array *array, unsigned set, unsigned way)
{
    array->lines[set * array->ways + way].used = ++model->clock;
    unsigned low = 0, high = array->ways, node = 1;
    while (array->tree && high - low > 1) {
        unsigned middle = (low + high) / 2;
        bool in_right = way >= middle;
        array->right[set * array->ways + node] = !in_right;
        node = 2 * node + in_right;
        low = in_right ? middle : low;
        high = in_right ? high : middle;
    }
}

static struct model_line *model_find(struct model *model, struct model_array *array, uint64_t block, bool touch)
{
    unsigned set = (unsigned)(block % array->sets);
    for (unsigned way = 0; way < array->ways; way++) {
        struct model_line *line = &array->lines[set * array->ways + way];
        if (line->valid && line->block == block) {
            if (touch)
                model_touch(model, array, set, way);
            return line;
        }
    }
    return NULL;
}

static unsigned model_victim(struct model_array *array, unsigned set)
{
    struct model_line *lines = &array->lines[set * array->ways];
    unsigned oldest = 0;
    for (unsigned way = 0; way < array->ways; way++)
        if (!lines[way].valid)
            return way;
    for (unsigned way = 0; way < array->ways; way++)
        oldest = lines[way].used < lines[oldest].used ? way : oldest;
    unsigned low = 0, high = array->ways, node = 1;
    while (array->tree && high - low > 1) {
        bool right = array->right[set * array->ways + node];
        unsigned middle = (low + high) / 2;
        node = 2 * node + right;
        low = right ? middle : low;
        high = right ? high : middle;
    }
    return array->tree ? low : oldest;
}

static void model_write_back(struct model *model, unsigned level, uint64_t address, unsigned bytes)
{
    model->counts.write_backs[level]++;
    for (unsigned next = level + 1; next < model->machine.level_count; next++) {
        bool found = false;
        for (uint64_t byte = address; byte < address + bytes; byte++) {
            struct model_line *line = model_find(model, &model->data[next], byte / model->data[next].line, false);
            if (line)
                line->dirty = found = true;
        }
        if (found)
            return;
    }
}

static struct model_line *model_fill(struct model *model, struct model_array *array, unsigned level, uint64_t block)
{
    unsigned set = (unsigned)(block % array->sets), way = model_victim(array, set);
    struct model_line *line = &array->lines[set * array->ways + way];
    if (line->valid && line->mark != NO_MARK)
        model->prefetches[line->mark].useless++;
    if (line->valid && line->dirty)
        model_write_back(model, level, line->block * array->line, array->line);
    *line = (struct model_line){.valid = true, .block = block, .mark = NO_MARK};
    model_touch(model, array, set, way);
    return line;
}

static bool model_line_hit(struct model *model, struct model_array *array, unsigned level, uint64_t block, bool store,
                           uint64_t now, uint64_t *in_flight)
{
    struct model_line *line = model_find(model, array, block, true);
    bool hit = line != NULL, allocate = !store || model->machine.write_allocate;
    if (!hit && !allocate)
        return false;
    if (!hit)
        line = model_fill(model, array, level, block);
    if (line->mark != NO_MARK && line->arrival <= now)
        model->prefetches[line->mark].useful++;
    if (line->mark != NO_MARK && line->arrival > now)
        model->prefetches[line->mark].late++;
    if (line->arrival > now && line->arrival > *in_flight)
        *in_flight = line->arrival;
    line->mark = NO_MARK;
    line->arrival = 0;
    if (store && (level == 0 || !allocate))
        line->dirty = true;
    return hit;
}

/* The bytes from first to last. */
static unsigned model_search(struct model *model, bool fetch, unsigned level, uint64_t first, uint64_t last, bool store,
                             uint64_t now, uint64_t *in_flight)
{
    if (level == model->machine.level_count)
        return level;
    struct model_array *array = fetch && level == 0 ? &model->instructions : &model->data[level];
    bool all = true;
    for (uint64_t byte = first; byte <= last; byte++)
        if (byte == first || byte / array->line != (byte - 1) / array->line)
            all &= model_line_hit(model, array, level, byte / array->line, store, now, in_flight);
    if (all)
        return level;
    if (!model->machine.cachegrind) {
        first = first / array->line * array->line;
        last = first + array->line - 1;
    }
    return model_search(model, fetch, level + 1, first, last, store, now, in_flight);
}

static bool model_tlb(struct model *model, uint64_t first, uint64_t last)
{
    bool miss = false;
    for (uint64_t byte = first; model->machine.tlb_entries && byte <= last; byte++)
        if (!model_find(model, &model->tlb, byte / model->machine.page, true)) {
            miss = true;
            model_fill(model, &model->tlb, 0, byte / model->machine.page);
        }
    return miss;
}

static struct cache_outcome model_access(struct model *model, bool fetch, bool store, uint64_t address, unsigned bytes,
                                         uint64_t now)
{
    struct cache_outcome outcome = {0};
    struct model_array *array = fetch ? &model->instructions : &model->data[0];
    uint64_t in_flight = 0, last = address + bytes - 1;
    outcome.tlb_miss = !fetch && model_tlb(model, address, last);
    if (model->machine.cachegrind) {
        outcome.depth = model_search(model, fetch, 0, address, last, store, now, &in_flight);
    } else {
        for (uint64_t block = address / array->line; block <= last / array->line; block++) {
            uint64_t low = block * array->line, high = low + array->line - 1;
            unsigned depth = model_search(model, fetch, 0, low < address ? address : low, high > last ? last : high,
                                          store, now, &in_flight);
            outcome.depth = depth > outcome.depth ? depth : outcome.depth;
        }
    }
    outcome.late = in_flight > now;
    return outcome;
}

static void model_prefetch(struct model *model, uint64_t address, bool load, unsigned source, uint64_t now)
{
    const struct cache_machine *machine = &model->machine;
    struct cache_prefetches *counts = &model->prefetches[source];
    unsigned level = load ? 0 : machine->prefetch_level, free = 0, walk = 0;
    counts->issued++;
    if (machine->tlb_entries && !model_find(model, &model->tlb, address / machine->page, true)) {
        if (!load && machine->prefetch_needs_tlb) {
            counts->dropped++;
            return;
        }
        model_tlb(model, address, address);
        walk = machine->walk;
    }
    for (unsigned i = 0; i <= level; i++)
        if (model_find(model, &model->data[i], address / model->data[i].line, true)) {
            counts->resident++;
            return;
        }
    for (unsigned i = 1; i < machine->mshrs; i++)
        free = model->mshrs[i] < model->mshrs[free] ? i : free;
    if (!load && model->mshrs[free] > now) {
        counts->dropped++;
        return;
    }
    uint64_t begin = model->mshrs[free] > now ? model->mshrs[free] : now, in_flight = 0;
    struct model_array *array = &model->data[level];
    uint64_t first = address / array->line * array->line;
    unsigned from = model_search(model, false, level + 1, first, first + array->line - 1, false, now, &in_flight);
    struct model_line *line = model_fill(model, array, level, address / array->line);
    line->mark = (int)source;
    line->arrival = begin + walk + (from < machine->level_count ? machine->levels[from].latency : machine->memory);
    line->arrival = in_flight > line->arrival ? in_flight : line->arrival;
    model->mshrs[free] = line->arrival;
}

/* Prefetched lines that are still there become useless. */
static void model_finish(struct model *model)
{
    for (unsigned i = 0; i < model->machine.level_count; i++)
        for (unsigned n = 0; n < LINES; n++) {
            struct model_line *line = &model->data[i].lines[n];
            if (line->valid && line->mark != NO_MARK) {
                model->prefetches[line->mark].useless++;
                line->mark = NO_MARK;
            }
        }
}

static void model_forget(struct model *model)
{
    model_finish(model);
    struct model *fresh = model_new(&model->machine);
    memcpy(fresh->prefetches, model->prefetches, sizeof fresh->prefetches);
    fresh->counts = model->counts;
    *model = *fresh;
    free(fresh);
}

/* ---------------------------------------------------------------------------- comparing -- */

static uint64_t seed;

static unsigned pick(unsigned below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((seed >> 33) % below);
}

/* Mostly near the previous address. */
static uint64_t pick_address(uint64_t *at, unsigned span)
{
    *at = pick(4) ? (*at + pick(96) + span - 32) % span : pick(span);
    return (UINT64_C(1) << 40) + *at;
}

static void count(struct cache_counts *counts, unsigned what, struct cache_outcome outcome)
{
    uint64_t *misses = what == 0 ? counts->load_misses : what == 1 ? counts->store_misses : counts->fetch_misses;
    *(what == 0 ? &counts->loads : what == 1 ? &counts->stores : &counts->fetches) += 1;
    for (unsigned level = 0; level < outcome.depth; level++)
        misses[level]++;
    if (outcome.tlb_miss)
        *(what == 0 ? &counts->load_tlb_misses : &counts->store_tlb_misses) += 1;
}

static struct cache_outcome act(struct cache_simulation *cache, unsigned what, uint64_t address, unsigned bytes,
                                uint64_t now)
{
    return what == 0   ? cache_load(cache, address, bytes, now)
           : what == 1 ? cache_store(cache, address, bytes, now)
                       : cache_fetch_instruction(cache, address, bytes, now);
}

/* The number of steps before the first difference. */
static unsigned run(struct cache_simulation *cache, struct model *model, unsigned span)
{
    uint64_t data = 0, code = 0, now = 0;
    for (unsigned step = 0; step < STEPS; step++, now += pick(4)) {
        unsigned choice = pick(16), what = choice < 6 ? 0 : choice < 10 ? 1 : 2;
        if (pick(3000) == 0) {
            cache_clear(cache);
            model_forget(model);
        }
        if (choice >= 13) {
            uint64_t address = pick_address(&data, span);
            unsigned source = pick(SOURCES);
            cache_prefetch(cache, address, choice == 13 ? CACHE_PREFETCH_LOAD : CACHE_PREFETCH_INSTRUCTION, source,
                           now);
            model_prefetch(model, address, choice == 13, source, now);
            continue;
        }
        if (what == 2 && !model->machine.instructions.bytes)
            what = 0;
        uint64_t address = what == 2 ? pick_address(&code, span) + span / 2 : pick_address(&data, span);
        unsigned bytes = what == 2 ? 1 + pick(15) : 1U << pick(6);
        struct cache_outcome got = act(cache, what, address, bytes, now);
        struct cache_outcome expected = model_access(model, what == 2, what == 1, address, bytes, now);
        count(&model->counts, what, expected);
        if (got.depth != expected.depth || got.late != expected.late || got.tlb_miss != expected.tlb_miss)
            return step;
    }
    return STEPS;
}

static void compare(const char *text, const char *variant, unsigned span)
{
    struct cache_machine machine;
    struct error_text message = {""};
    if (cache_machine_find(text, &machine, &message) != STATUS_GOOD) {
        ok(false, "%s: %s", text, message.text);
        return;
    }
    machine.prefetcher = CACHE_PREFETCHER_NONE;
    for (unsigned i = 0; strstr(variant, "tree") && i < machine.level_count; i++)
        machine.levels[i].replacement = CACHE_TREE_PLRU;
    machine.write_allocate = !strstr(variant, "around");
    machine.prefetch_needs_tlb = strstr(variant, "needs") != NULL;
    machine.prefetch_level = strstr(variant, "behind") != NULL;
    machine.mshrs = 3;
    struct cache_simulation *cache = cache_simulation_new(&machine, SOURCES);
    struct model *model = model_new(&machine);
    is_u64(run(cache, model, span), STEPS, text);
    cache_finish(cache);
    model_finish(model);
    ok(memcmp(cache_counts(cache), &model->counts, sizeof model->counts) == 0, "%s %s: the counts", text, variant);
    for (unsigned source = 0; source < SOURCES; source++) {
        const struct cache_prefetches *p = cache_prefetches(cache, source);
        ok(memcmp(p, &model->prefetches[source], sizeof *p) == 0, "%s %s: prefetches of %u", text, variant, source);
        ok(p->issued > 0 && p->issued == p->useful + p->late + p->useless + p->resident + p->dropped,
           "%s %s: each of %u has one outcome", text, variant, source);
    }
    cache_simulation_free(cache);
    free(model);
}

int main(void)
{
    seed = 2003;
    compare("D1=1K,2,32", "", 8 << 10);
    compare("D1=1K,1,64:L2=4K,4,64", "", 16 << 10);
    compare("D1=1K,4,16:L2=2K,2,64:L3=4K,8,128:TLB=4,4,1K", "", 16 << 10);
    compare("D1=1K,2,64:L2=4K,4,32:TLB=8,2,1K", "needs behind", 16 << 10);
    compare("D1=1K,4,32:L2=4K,8,64:I1=1K,2,32:TLB=4,2,4K", "tree", 32 << 10);
    compare("D1=2K,16,32:L2=4K,32,64:I1=1K,2,64", "tree behind around", 16 << 10);
    compare("D1=512,2,32:L2=2K,4,32:TLB=4,4,1K", "around needs", 8 << 10);
    compare("cachegrind:D1=1K,2,32:LL=4K,4,64:I1=1K,2,64", "", 16 << 10);
    compare("cachegrind:D1=512,1,64:LL=2K,2,32:I1=512,1,32", "behind", 8 << 10);
    compare("cachegrind:D1=1K,16,64:LL=8K,8,128:I1=2K,4,32:TLB=4,4,4K", "needs", 32 << 10);
    compare("pentium4", "tree needs behind", 1 << 20);
    compare("athlon-mp", "", 1 << 20);
    return done_testing();
}
