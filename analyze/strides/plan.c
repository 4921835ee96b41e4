#include "analyze/strides/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/strides/graph.h"
#include "analyze/strides/loops.h"
#include "analyze/strides/pattern.h"
#include "base/grow.h"

/* What waits for less than this share of all instructions does not matter. */
static const double LEAST_STALL = 0.001;

enum { COST_INSTRUCTION = 1, COST_GUARDED = 3 };

/* What is being planned: one loop of all. */
struct planner {
    const struct strides *strides;
    const struct strides_options *options;
    struct plan *plan;
    bool tried;
    uint32_t *rows; /* of the loop: [count] */
    uint32_t count;
    struct graph graph;         /* of the loop */
    bool *among;                /* [row] */
    struct follower *followers; /* of one leader: [row] */
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

/* ------------------------------------------------------------------------------------------------- elements -- */

static void give_reason(struct planner *planner, uint32_t row, enum plan_reason reason, uint32_t other)
{
    planner->plan->reasons[row] = reason;
    planner->plan->others[row] = other;
}

/* Whether what is prefetched is probably on another page. */
static bool is_far(const struct planner *planner, int64_t stride)
{
    uint64_t bytes = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
    return bytes > planner->options->machine.page / 2 / planner->distance;
}

static int add_element(struct planner *planner, struct plan_element element)
{
    struct plan *plan = planner->plan;
    const struct cache_machine *machine = &planner->options->machine;
    struct plan_element *elements = grow_unset(plan->elements, &plan->capacity, plan->count, sizeof *elements);
    if (!elements)
        return ENOMEM;
    element.distance = planner->distance;
    element.guarded = element.kind == PLAN_LOAD ||
                      (machine->prefetch_needs_tlb && (element.kind != PLAN_STRIDE || is_far(planner, element.stride)));
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
        (double)row->stall < LEAST_STALL * (double)loops_instructions(planner->strides))
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

/* Whether the address of a load that depends on another is known no other way. */
static bool needs_leader(const struct planner *planner, uint32_t row)
{
    int64_t stride;
    const struct loads_row *load = row_at(planner, row);
    return planner->plan->element_of[row] == LOADS_NONE && !pattern_inter(planner->options, load, &stride) &&
           !pattern_invariant(planner->options, load);
}

static void add_follower(const struct planner *planner, bool *among, struct follower follower,
                         struct follower *followers, uint32_t *count)
{
    if (among[follower.row] || !needs_leader(planner, follower.row))
        return;
    among[follower.row] = true;
    followers[(*count)++] = follower;
}

/* All loads that follow `leader`, directly or at a constant distance from one that does: their number. `among` is false
 * for all rows, before and after. */
static uint32_t find_followers(const struct planner *planner, uint32_t leader, bool *among, struct follower *followers)
{
    uint32_t count = 0;
    const struct graph_edge *edges;
    uint32_t edge_count = graph_edges(&planner->graph, leader, &edges);
    for (uint32_t e = 0; e < edge_count; e++)
        add_follower(
            planner, among,
            (struct follower){edges[e].row, edges[e].how == LOADS_BASE ? PLAN_BASE : PLAN_INDEX, edges[e].offset, 0},
            followers, &count);
    for (uint32_t at = 0; at < count; at++) {
        edge_count = followers[at].kind == PLAN_BASE ? graph_edges(&planner->graph, followers[at].row, &edges) : 0;
        for (uint32_t e = 0; e < edge_count; e++)
            if (edges[e].intra && edges[e].row != leader)
                add_follower(planner, among,
                             (struct follower){edges[e].row, PLAN_BASE, followers[at].offset + edges[e].distance,
                                               followers[at].within + edges[e].distance},
                             followers, &count);
    }
    for (uint32_t i = 0; i < count; i++)
        among[followers[i].row] = false;
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

/* How often a row's prefetch is executed: as simulated, since no more executions than options.iterations are counted.
 */
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
    struct follower *followers = planner->followers;
    uint32_t count = find_followers(planner, row, planner->among, followers);
    int error = 0;
    if (count > 0 && planner->options->algorithm == STRIDES_INTER)
        for (uint32_t i = 0; i < count; i++)
            give_reason(planner, followers[i].row, PLAN_NOT_INTER, row);
    else if (count > 0)
        error = plan_followers(planner, row, stride, followers, count);
    if (!error && planner->plan->element_of[row] == LOADS_NONE)
        error = plan_stride(planner, row, stride);
    return error;
}

static uint32_t index_of(const struct loads *loads, const struct loads_row *row)
{
    return (uint32_t)(row - (const struct loads_row *)loads->rows.items);
}

/* Why a load is not planned that has no stride and follows none that has one. */
static void explain(struct planner *planner, uint32_t index)
{
    const struct loads_row *row = row_at(planner, index);
    bool few = row->strides.total < PATTERN_LEAST, invariant = pattern_invariant(planner->options, row);
    give_reason(planner, index, few ? PLAN_FEW : invariant ? PLAN_INVARIANT : PLAN_NO_STRIDE, LOADS_NONE);
}

/* What depends on a load whose address is not known ahead. */
static void explain_edge(struct planner *planner, const struct graph_edge *edge)
{
    if (planner->plan->reasons[edge->row] != PLAN_INVARIANT)
        give_reason(planner, edge->row, PLAN_NO_LEADER, edge->leader);
}

static bool planned_within(const struct planner *planner, const struct loads_row *row)
{
    const struct loads_row *inner = loads_row_find(&planner->strides->loads, row->place, row->inner);
    return inner && inner != row && planner->plan->element_of[index_of(&planner->strides->loads, inner)] != LOADS_NONE;
}

static int plan_loop(struct planner *planner)
{
    int error = graph_make(&planner->graph, planner->rows, planner->count);
    for (uint32_t i = 0; i < planner->count; i++)
        explain(planner, planner->rows[i]);
    for (uint32_t i = 0; i < planner->graph.count; i++)
        explain_edge(planner, &planner->graph.edges[i]);
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

static int plan_all(struct planner *planner, struct loops_row *ranked)
{
    uint32_t count = loops_rank(planner->strides, ranked);
    int error = 0;
    for (uint32_t first = 0, end; first < count && !error; first = end) {
        for (end = first; end < count && ranked[end].loop == ranked[first].loop; end++)
            planner->rows[end - first] = ranked[end].row;
        planner->count = end - first;
        planner->distance = loops_distance(planner->strides, ranked[first].loop);
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
                              .rows = calloc(count, sizeof *planner.rows),
                              .among = calloc(count, sizeof *planner.among),
                              .followers = calloc(count, sizeof *planner.followers)};
    struct loops_row *ranked = calloc(count, sizeof *ranked);
    bool whole = plan->element_of && plan->reasons && plan->others && planner.rows && planner.among &&
                 planner.followers && ranked;
    for (size_t i = 0; i < count && whole; i++)
        plan->element_of[i] = plan->others[i] = LOADS_NONE;
    int error = graph_init(&planner.graph, strides);
    error = whole ? error : ENOMEM;
    if (!error)
        error = plan_all(&planner, ranked);
    free(planner.rows);
    graph_free(&planner.graph);
    free(planner.among);
    free(planner.followers);
    free(ranked);
    return error;
}
