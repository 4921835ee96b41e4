#include "analyze/strides/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/strides/pattern.h"
#include "analyze/strides/walk.h"
#include "base/grow.h"

/* What waits for less than this share of all instructions does not matter. */
static const double LEAST_STALL = 0.001;

enum { COST_INSTRUCTION = 1, COST_GUARDED = 3, DISTANCE_MAX = 1024, DEPTH_MAX = 64 };

/* What is being planned: one loop of all. */
struct planner {
    const struct strides *strides;
    const struct strides_options *options;
    struct plan *plan;
    bool tried;
    uint32_t *rows; /* of the loop: [count] */
    uint32_t count;
    uint64_t distance;
};

/* A load whose address is known once the trigger's value is. */
struct follower {
    uint32_t row;
    enum plan_kind kind;
    int64_t offset, within;
};

static const struct loads_row *row_at(const struct planner *planner, uint32_t row)
{
    return loads_row_at(&planner->strides->loads, row);
}

unsigned plan_cost(const struct plan_element *element)
{
    return element->guarded || element->kind == PLAN_LOAD ? COST_GUARDED : COST_INSTRUCTION;
}

void plan_free(struct plan *plan)
{
    free(plan->elements);
    free(plan->element_of);
    free(plan->reasons);
    free(plan->others);
    *plan = (struct plan){0};
}

/* --------------------------------------------------------------------------------------------------- loops -- */

static bool is_small(const struct strides *strides, uint32_t place)
{
    const struct loads_loop *loop = loads_loop_find(&strides->loads, place);
    return loop && loads_trips(loop) < (double)strides->options.small;
}

bool plan_looks(const struct strides *strides, const struct loads_row *row)
{
    return (row->inner == row->loop || is_small(strides, row->inner)) &&
           (row->middle == row->loop || is_small(strides, row->middle));
}

static unsigned depth_of(const struct loads *loads, uint32_t place)
{
    unsigned depth = 0;
    const struct loads_loop *loop;
    while (depth < DEPTH_MAX && place != LOADS_NONE && (loop = loads_loop_find(loads, place))) {
        place = loop->outer;
        depth++;
    }
    return depth;
}

/* Of all traces, or as many as their accesses stand for. */
static uint64_t instructions_of(const struct strides *strides)
{
    const struct strides_totals *totals = &strides->totals;
    return totals->instructions > 0 ? totals->instructions : totals->accesses * WALK_CYCLES;
}

/* As many iterations as take the latency of memory, but no more than half of those that an entry has. */
static uint64_t distance_of(const struct strides *strides, uint32_t place)
{
    const struct loads_loop *loop = loads_loop_find(&strides->loads, place);
    const struct strides_totals *totals = &strides->totals;
    if (strides->options.distance)
        return strides->options.distance;
    if (!loop || loop->spans == 0 || loop->accesses == 0 || totals->accesses == 0)
        return 1;
    double iteration =
        (double)instructions_of(strides) / (double)totals->accesses * (double)loop->accesses / (double)loop->spans;
    double wanted = (double)strides->options.machine.memory / iteration, most = loads_trips(loop) / 2;
    if (wanted > most)
        wanted = most;
    return wanted <= 1 ? 1 : wanted > DISTANCE_MAX ? DISTANCE_MAX : (uint64_t)(wanted + 0.999);
}

/* ------------------------------------------------------------------------------------------------- elements -- */

static void give_reason(struct planner *planner, uint32_t row, enum plan_reason reason, uint32_t other)
{
    planner->plan->reasons[row] = reason;
    planner->plan->others[row] = other;
}

static int add_element(struct planner *planner, struct plan_element element)
{
    struct plan *plan = planner->plan;
    const struct cache_machine *machine = &planner->options->machine;
    struct plan_element *elements = grow_unset(plan->elements, &plan->capacity, plan->count, sizeof *elements);
    if (!elements)
        return ENOMEM;
    int64_t ahead = llabs(element.stride) * (int64_t)planner->distance;
    element.distance = planner->distance;
    element.guarded =
        element.kind == PLAN_LOAD ||
        (machine->prefetch_needs_tlb && (element.kind != PLAN_STRIDE || ahead > (int64_t)machine->page / 2));
    plan->elements = elements;
    plan->element_of[element.target] = plan->count;
    elements[plan->count++] = element;
    return 0;
}

static unsigned line_of(const struct planner *planner)
{
    const struct cache_machine *machine = &planner->options->machine;
    return machine->levels[machine->prefetch_level].line;
}

/* Cycles that the simulated prefetches have hidden of what a row waits for. */
static double hidden(const struct loads_row *row)
{
    return row->misses > 0 ? (double)row->prefetches.useful * (double)row->stall / (double)row->misses : 0;
}

/* Whether prefetches of what this row loads, of `instructions` each, hide more cycles than they take. Without a
 * simulation: could hide. */
static enum plan_reason judge(const struct planner *planner, const struct loads_row *row, unsigned instructions)
{
    const struct cache_prefetches *prefetches = &row->prefetches;
    if (planner->options->always)
        return PLAN_PLANNED;
    if ((double)row->stall <= (double)row->executions * instructions ||
        (double)row->stall < LEAST_STALL * (double)instructions_of(planner->strides))
        return PLAN_IN_CACHE;
    if (planner->tried && prefetches->issued > 0 && hidden(row) <= (double)prefetches->issued * instructions)
        return PLAN_USELESS;
    return PLAN_PLANNED;
}

/* ------------------------------------------------------------------------------------------- along a stride -- */

/* Whether two loads with the same stride were less than half a line apart in the same iteration. */
static bool share_line(const struct planner *planner, const struct loads_row *a, const struct loads_row *b,
                       int64_t stride)
{
    int64_t apart = (int64_t)(a->address - b->address - (uint64_t)stride * (a->serial - b->serial)),
            half = line_of(planner) / 2;
    return a->entry == b->entry && apart > -half && apart < half;
}

/* The row whose line, along the same stride, is prefetched already; LOADS_NONE if there is none. */
static uint32_t find_shared(const struct planner *planner, uint32_t row, int64_t stride)
{
    for (uint32_t i = 0; i < planner->plan->count; i++) {
        const struct plan_element *element = &planner->plan->elements[i];
        if ((element->kind == PLAN_STRIDE || element->kind == PLAN_LOAD) && element->stride == stride &&
            row_at(planner, element->target)->loop == row_at(planner, row)->loop &&
            share_line(planner, row_at(planner, element->target), row_at(planner, row), stride))
            return element->target;
    }
    return LOADS_NONE;
}

static int plan_stride(struct planner *planner, uint32_t row, int64_t stride)
{
    uint32_t shared = find_shared(planner, row, stride);
    enum plan_reason reason = judge(planner, row_at(planner, row), COST_INSTRUCTION);
    if (llabs(stride) <= line_of(planner) / 2)
        reason = PLAN_HALF_LINE;
    else if (shared != LOADS_NONE)
        reason = PLAN_SAME_LINE;
    give_reason(planner, row, reason, shared);
    if (reason != PLAN_PLANNED)
        return 0;
    return add_element(planner, (struct plan_element){row, row, PLAN_STRIDE, .stride = stride});
}

/* ------------------------------------------------------------------------------------------ through a value -- */

/* The quick answer to most questions about two rows. */
static bool has_partner(const struct loads_row *row, uint32_t place)
{
    for (uint32_t i = 0; i < row->partner_count; i++)
        if (row->partners[i].place == place)
            return true;
    return false;
}

/* Whether row `row` depends on `leader`, without a stride of its own. */
static bool follows(const struct planner *planner, uint32_t row, uint32_t leader, struct follower *follower)
{
    const struct loads_row *load = row_at(planner, row);
    int64_t stride;
    if (row == leader || !has_partner(load, row_at(planner, leader)->place) ||
        planner->plan->element_of[row] != LOADS_NONE || pattern_inter(planner->options, load, &stride) ||
        pattern_invariant(planner->options, load))
        return false;
    for (uint32_t i = 0; i < load->partner_count; i++) {
        const struct loads_partner *partner = &load->partners[i];
        if (partner->place == row_at(planner, leader)->place &&
            pattern_depends(planner->options, load, partner, &follower->offset)) {
            follower->row = row;
            follower->kind = partner->how == LOADS_BASE ? PLAN_BASE : PLAN_INDEX;
            follower->within = 0;
            return true;
        }
    }
    return false;
}

/* Whether row `row` keeps a distance from `leader`, and which. */
static bool keeps_distance(const struct planner *planner, uint32_t row, uint32_t leader, int64_t *distance)
{
    const struct loads_row *load = row_at(planner, row);
    int64_t stride;
    if (row == leader || !has_partner(load, row_at(planner, leader)->place) ||
        planner->plan->element_of[row] != LOADS_NONE || pattern_inter(planner->options, load, &stride))
        return false;
    for (uint32_t i = 0; i < load->partner_count; i++)
        if (load->partners[i].place == row_at(planner, leader)->place &&
            pattern_intra(planner->options, load, &load->partners[i], distance))
            return true;
    return false;
}

static bool is_among(const struct follower *followers, uint32_t count, uint32_t row)
{
    for (uint32_t i = 0; i < count; i++)
        if (followers[i].row == row)
            return true;
    return false;
}

/* All loads that follow `leader`, directly or at a constant distance from one that does: their number. */
static uint32_t find_followers(const struct planner *planner, uint32_t leader, struct follower *followers)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < planner->count; i++)
        count += follows(planner, planner->rows[i], leader, &followers[count]);
    for (uint32_t at = 0; at < count; at++)
        for (uint32_t i = 0; i < planner->count; i++) {
            int64_t distance;
            uint32_t row = planner->rows[i];
            if (followers[at].kind == PLAN_BASE && row != leader &&
                keeps_distance(planner, row, followers[at].row, &distance) && !is_among(followers, count, row))
                followers[count++] =
                    (struct follower){row, PLAN_BASE, followers[at].offset + distance, followers[at].within + distance};
        }
    return count;
}

/* The follower that is on the same line and has been kept, or LOADS_NONE. */
static uint32_t find_kept(const struct planner *planner, const struct follower *followers, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (followers[i].kind == followers[at].kind &&
            llabs(followers[i].offset - followers[at].offset) < line_of(planner) / 2 &&
            planner->plan->reasons[followers[i].row] == PLAN_PLANNED)
            return followers[i].row;
    return LOADS_NONE;
}

static unsigned cost_of(const struct planner *planner)
{
    return planner->options->machine.prefetch_needs_tlb ? COST_GUARDED : COST_INSTRUCTION;
}

/* How often a row's prefetch is executed: as simulated, since no more executions than options.iterations are counted. */
static double times(const struct planner *planner, const struct loads_row *row)
{
    return (double)(planner->tried && row->prefetches.issued > 0 ? row->prefetches.issued : row->executions);
}

/* Gives each follower its reason; whether what all of them may hide is worth loading the leader ahead. */
static bool judge_followers(struct planner *planner, uint32_t leader, const struct follower *followers, uint32_t count)
{
    double gain = 0, cost = times(planner, row_at(planner, leader)) * COST_GUARDED;
    for (uint32_t i = 0; i < count; i++) {
        const struct loads_row *row = row_at(planner, followers[i].row);
        uint32_t kept = find_kept(planner, followers, i);
        enum plan_reason reason = kept != LOADS_NONE ? PLAN_SAME_LINE : judge(planner, row, cost_of(planner));
        give_reason(planner, followers[i].row, reason, kept != LOADS_NONE ? kept : leader);
        if (reason != PLAN_PLANNED)
            continue;
        gain += planner->tried && row->prefetches.issued > 0 ? hidden(row) : (double)row->stall;
        cost += times(planner, row) * cost_of(planner);
    }
    return planner->options->always || gain > cost;
}

static int plan_followers(struct planner *planner, uint32_t leader, int64_t stride, const struct follower *followers,
                          uint32_t count)
{
    bool worth = judge_followers(planner, leader, followers, count), any = false;
    int error = 0;
    for (uint32_t i = 0; i < count && !error; i++) {
        const struct follower *follower = &followers[i];
        enum plan_reason *reason = &planner->plan->reasons[follower->row];
        if (*reason == PLAN_PLANNED && !worth)
            *reason = row_at(planner, follower->row)->prefetches.issued > 0 ? PLAN_USELESS : PLAN_IN_CACHE;
        if (*reason != PLAN_PLANNED)
            continue;
        if (!any)
            error = add_element(planner, (struct plan_element){leader, leader, PLAN_LOAD, .stride = stride});
        any = true;
        if (!error)
            error = add_element(planner, (struct plan_element){leader, follower->row, follower->kind, .stride = stride,
                                                               .offset = follower->offset, .within = follower->within});
    }
    if (any)
        give_reason(planner, leader, PLAN_LEADS, LOADS_NONE);
    return error;
}

/* -------------------------------------------------------------------------------------------------- one loop -- */

static int plan_leader(struct planner *planner, uint32_t row, int64_t stride)
{
    struct follower *followers = calloc(planner->count + 1, sizeof *followers);
    if (!followers)
        return ENOMEM;
    uint32_t count = find_followers(planner, row, followers);
    int error = 0;
    if (count > 0 && planner->options->algorithm == STRIDES_INTER)
        for (uint32_t i = 0; i < count; i++)
            give_reason(planner, followers[i].row, PLAN_NOT_INTER, row);
    else if (count > 0)
        error = plan_followers(planner, row, stride, followers, count);
    if (!error && planner->plan->element_of[row] == LOADS_NONE)
        error = plan_stride(planner, row, stride);
    free(followers);
    return error;
}

static uint32_t index_of(const struct loads *loads, const struct loads_row *row)
{
    return (uint32_t)(row - (const struct loads_row *)loads->rows.items);
}

/* Why a load is not planned that has no stride and follows none that has one. */
static void explain(struct planner *planner, uint32_t index)
{
    const struct loads *loads = &planner->strides->loads;
    const struct loads_row *row = row_at(planner, index);
    int64_t offset;
    bool few = row->strides.total < PATTERN_LEAST, invariant = pattern_invariant(planner->options, row);
    give_reason(planner, index, few ? PLAN_FEW : invariant ? PLAN_INVARIANT : PLAN_NO_STRIDE, LOADS_NONE);
    if (invariant)
        return;
    for (uint32_t i = 0; i < row->partner_count; i++)
        if (pattern_depends(planner->options, row, &row->partners[i], &offset)) {
            const struct loads_row *other = loads_row_find(loads, row->partners[i].place, row->loop);
            if (other && plan_looks(planner->strides, other))
                give_reason(planner, index, PLAN_NO_LEADER, index_of(loads, other));
        }
}

static bool planned_within(const struct planner *planner, const struct loads_row *row)
{
    const struct loads_row *inner = loads_row_find(&planner->strides->loads, row->place, row->inner);
    return inner && inner != row &&
           planner->plan->element_of[index_of(&planner->strides->loads, inner)] != LOADS_NONE;
}

static int plan_loop(struct planner *planner)
{
    int error = 0;
    for (uint32_t i = 0; i < planner->count; i++)
        explain(planner, planner->rows[i]);
    for (uint32_t i = 0; i < planner->count && !error; i++) {
        int64_t stride;
        uint32_t index = planner->rows[i];
        const struct loads_row *row = row_at(planner, index);
        if (planned_within(planner, row))
            give_reason(planner, index, PLAN_INNER, LOADS_NONE);
        else if (planner->plan->element_of[index] == LOADS_NONE && pattern_inter(planner->options, row, &stride))
            error = plan_leader(planner, index, stride);
    }
    return error;
}

/* -------------------------------------------------------------------------------------------------- all loops -- */

struct ranked_row {
    uint32_t row, loop;
    unsigned depth;
};

/* Inner loops first. */
static int by_loop(const void *a, const void *b)
{
    const struct ranked_row *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    if (x->loop != y->loop)
        return x->loop < y->loop ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static uint32_t rank(const struct strides *strides, struct ranked_row *ranked)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < strides->loads.rows.count; i++) {
        const struct loads_row *row = loads_row_at(&strides->loads, i);
        if (plan_looks(strides, row))
            ranked[count++] = (struct ranked_row){i, row->loop, depth_of(&strides->loads, row->loop)};
    }
    if (count > 1)
        qsort(ranked, count, sizeof *ranked, by_loop);
    return count;
}

static int plan_all(struct planner *planner, struct ranked_row *ranked)
{
    uint32_t count = rank(planner->strides, ranked);
    int error = 0;
    for (uint32_t first = 0, end; first < count && !error; first = end) {
        for (end = first; end < count && ranked[end].loop == ranked[first].loop; end++)
            planner->rows[end - first] = ranked[end].row;
        planner->count = end - first;
        planner->distance = distance_of(planner->strides, ranked[first].loop);
        error = plan_loop(planner);
    }
    return error;
}

int plan_make(const struct strides *strides, bool tried, struct plan *plan)
{
    size_t count = strides->loads.rows.count + 1;
    *plan = (struct plan){.element_of = malloc(count * sizeof *plan->element_of),
                          .reasons = calloc(count, sizeof *plan->reasons),
                          .others = malloc(count * sizeof *plan->others)};
    struct planner planner = {.strides = strides,
                              .options = &strides->options,
                              .plan = plan,
                              .tried = tried,
                              .rows = calloc(count, sizeof(uint32_t))};
    struct ranked_row *ranked = calloc(count, sizeof *ranked);
    int error = plan->element_of && plan->reasons && plan->others && planner.rows && ranked ? 0 : ENOMEM;
    for (size_t i = 0; i < count && !error; i++)
        plan->element_of[i] = plan->others[i] = LOADS_NONE;
    if (!error)
        error = plan_all(&planner, ranked);
    free(planner.rows);
    free(ranked);
    return error;
}
