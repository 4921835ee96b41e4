#include "analyze/strides/walk.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

int walk_init(struct walk *walk, struct loads *loads, const struct trace *trace, const struct trace_names *names)
{
    *walk = (struct walk){.loads = loads,
                          .trace = trace,
                          .names = names,
                          .sites = calloc(names->site_count, sizeof *walk->sites),
                          .numbers = calloc(names->site_count, sizeof *walk->numbers),
                          .memo = calloc(names->frame_count, sizeof *walk->memo)};
    if (!walk->sites || !walk->numbers || !walk->memo || turns_init(&walk->turns, names) != 0)
        return ENOMEM;

    /* An instruction that loads twice has two sites in a context, in the order of its loads. Sites of damaged
     * definitions have no context, and are not numbered. */
    uint32_t *last = calloc(names->context_count, sizeof *last), *before = calloc(names->site_count, sizeof *before);
    for (uint32_t i = 1; last && before && i < names->site_count; i++) {
        uint32_t context = names->sites[i].context < names->context_count ? names->sites[i].context : 0;
        unsigned seen = 0;
        for (uint32_t other = last[context]; context > 0 && other > 0 && seen++ < UINT8_MAX; other = before[other]) {
            const struct trace_site *a = &names->sites[i], *b = &names->sites[other];
            bool same =
                a->context == b->context && a->loop == b->loop && a->access == b->access && a->bytes == b->bytes;
            if (same && walk->numbers[i] < UINT8_MAX)
                walk->numbers[i]++;
        }
        before[i] = last[context];
        last[context] = i;
    }
    int error = last && before ? 0 : ENOMEM;
    free(last);
    free(before);
    return error;
}

void walk_free(struct walk *walk)
{
    turns_free(&walk->turns);
    free(walk->sites);
    free(walk->numbers);
    free(walk->memo);
    free(walk->visits);
}

/* ------------------------------------------------------------------------------------------ sites and their loops --
 */

/* Contexts share their frames, whose texts take longer to find. */
static uint32_t walk_find_location(struct walk *walk, uint32_t context, uint32_t bytes, uint32_t number)
{
    struct walk_memo *memo = &walk->memo[trace_names_context(walk->names, context)->frame];
    if (memo->known && memo->bytes == bytes && memo->number == number)
        return memo->location;
    uint32_t location = loads_location(walk->loads, walk->names, context, bytes, number);
    *memo = (struct walk_memo){location, bytes, number, location != LOADS_NONE};
    return location;
}

int walk_define_site(struct walk *walk, uint32_t id)
{
    struct walk_site *site = &walk->sites[id];
    const struct trace_site *from = &walk->names->sites[id];
    const struct trace_loop *loops = walk->names->loops;
    if (site->known)
        return 0;
    site->known = true;
    if (id == 0 || from->access != ACCESS_LOAD || from->bytes == 0 || !from->loop)
        return 0;
    site->location = walk_find_location(walk, from->context, from->bytes, walk->numbers[id]);
    if (site->location == LOADS_NONE)
        return ENOMEM;
    site->first = (uint32_t)walk->visit_count;
    uint32_t around[WALK_LEVELS]; /* locations of loops, the innermost one first */
    for (uint32_t loop = from->loop, outer; loop && site->levels < WALK_LEVELS; loop = outer) {
        outer = loops[loop].outer;
        uint32_t level = site->levels, location = walk_find_location(walk, loops[loop].context, 0, 0),
                 outer_location = outer ? walk_find_location(walk, loops[outer].context, 0, 0) : LOADS_NONE;
        if (location == LOADS_NONE || (outer && outer_location == LOADS_NONE) ||
            loads_loop(walk->loads, location, outer_location) == LOADS_NONE)
            return ENOMEM;
        around[level] = location;
        struct walk_visit *visits = grow_unset(walk->visits, &walk->visit_capacity, walk->visit_count, sizeof *visits);
        if (!visits)
            return ENOMEM;
        walk->visits = visits;
        uint32_t row = loads_row(walk->loads, site->location, location, around[0], around[level > 1 ? 1 : level]);
        if (row == LOADS_NONE)
            return ENOMEM;
        bool recursive = false; /* the same loop again */
        for (size_t i = site->first; i < walk->visit_count; i++)
            recursive |= visits[i].row == row;
        if (!recursive) {
            visits[walk->visit_count++] = (struct walk_visit){.row = row, .loop = loop};
            site->levels++;
        }
    }
    return 0;
}

struct walk_visit *walk_find_visit(const struct walk *walk, uint32_t site, uint32_t loop)
{
    const struct walk_site *found = &walk->sites[site];
    for (unsigned level = 0; level < found->levels; level++)
        if (walk->visits[found->first + level].loop == loop)
            return &walk->visits[found->first + level];
    return NULL;
}

/* --------------------------------------------------------------------------------------------------- accesses -- */

static int walk_feed_access(struct walk *walk, const struct trace_batch *batch, size_t i)
{
    uint64_t id = batch->integers[ACCESS_SITE][i];
    struct walk_access access = {.site = trace_names_site(walk->names, id),
                                 .site_id = id < walk->names->site_count ? (uint32_t)id : 0,
                                 .number = ++walk->accesses,
                                 .address = batch->integers[ACCESS_ADDRESS][i],
                                 .value = batch->integers[ACCESS_VALUE] ? batch->integers[ACCESS_VALUE][i] : 0};
    uint64_t instructions = batch->integers[ACCESS_INSTRUCTIONS] ? batch->integers[ACCESS_INSTRUCTIONS][i] : 0;
    struct walk_site *site = &walk->sites[access.site_id];
    if (instructions > walk->instructions)
        walk->instructions = instructions;
    access.now = walk->instructions > 0 ? walk->instructions : access.number * WALK_CYCLES;
    turns_advance(&walk->turns, access.number - 1);
    int error = walk_define_site(walk, access.site_id);
    for (unsigned level = 0; !error && level < site->levels; level++) {
        struct walk_visit *visit = &walk->visits[site->first + level];
        const struct turns_loop *loop = turns_find_loop(&walk->turns, visit->loop);
        if (!loop || visit->serial == loop->serial)
            continue;
        bool continues = visit->serial >= loop->entry;
        error = walk->visit(walk, &access, visit, loop, continues);
        visit->stride = (int64_t)(access.address - visit->address);
        visit->strided = continues;
        visit->before = visit->serial;
        visit->address_before = visit->address;
        visit->value_before = visit->value;
        visit->serial = loop->serial;
        visit->address = access.address;
        visit->value = access.value;
    }
    return error ? error : walk->access(walk, &access, access.site_id ? site : NULL);
}

int walk_feed(struct walk *walk, const struct trace_batch *batch)
{
    /* Damaged chunks are skipped. Accesses keep their numbers. Which of them were the first in the iteration that goes
     * on behind them is lost, and without the iterations of a damaged chunk it is unknown where the loops are. */
    for (; walk->next_chunk < batch->chunk; walk->next_chunk++) {
        const struct trace_chunk *lost = trace_chunk_at(walk->trace, walk->next_chunk);
        if (lost->thread != 0 || (lost->kind != TRACE_ACCESS && lost->kind != TRACE_ITERATION))
            continue;
        if (lost->kind == TRACE_ACCESS) {
            walk->accesses += lost->count;
            if (walk->accesses > 0)
                turns_advance(&walk->turns, walk->accesses - 1);
        }
        walk->turns.burst++;
    }
    walk->next_chunk = batch->chunk + 1;

    if (batch->kind == TRACE_ITERATION)
        return turns_add(&walk->turns, batch);
    int error = 0;
    for (size_t i = 0; !error && i < batch->count; i++)
        error = walk_feed_access(walk, batch, i);
    return error;
}
