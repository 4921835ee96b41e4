#include "analyze/strides/plan.h"

#include <assert.h>
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
    struct follower *followers; /* of one leader: [row] */
    bool *among;                /* [row]: whether it is one of them; false between leaders */
    uint64_t distance;
};

/* A load whose address is known once the trigger's value is. */
struct follower {
    uint32_t row;
    enum plan_kind kind;
    int64_t offset, within;
};

static const struct loads_row *plan_row(const struct planner *planner, uint32_t row)
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

static void plan_set_reason(struct planner *planner, uint32_t row, enum plan_reason reason, uint32_t other)
{
    planner->plan->reasons[row] = reason;
    planner->plan->others[row] = other;
}

static int plan_add_element(struct planner *planner, struct plan_element element)
{
    struct plan *plan = planner->plan;
    const struct cache_machine *machine = &planner->options->machine;
    struct plan_element *elements = grow_unset(plan->elements, &plan->capacity, plan->count, sizeof *elements);
    if (!elements)
        return ENOMEM;
    assert(planner->distance > 0);
    uint64_t bytes = element.stride < 0 ? -(uint64_t)element.stride : (uint64_t)element.stride;
    bool far = bytes > machine->page / 2 / planner->distance; /* what is prefetched is probably on another page */
    element.distance = planner->distance;
    element.guarded =
        element.kind == PLAN_LOAD || (machine->prefetch_needs_tlb && (element.kind != PLAN_STRIDE || far));
    plan->elements = elements;
    plan->element_of[element.target] = plan->count;
    elements[plan->count++] = element;
    return 0;
}

static unsigned plan_line_bytes(const struct planner *planner)
{
    const struct cache_machine *machine = &planner->options->machine;
    return machine->levels[machine->prefetch_level].line;
}

/* Cycles that the simulated prefetches have hidden of what a row waits for. */
static double plan_hidden_cycles(const struct loads_row *row)
{
    return row->misses > 0 ? (double)row->prefetches.useful * (double)row->stall / (double)row->misses : 0;
}

/* Whether prefetches of what this row loads, of `instructions` each, hide more cycles than they take. Without a
 * simulation: could hide. */
static enum plan_reason plan_decide_row(const struct planner *planner, const struct loads_row *row,
                                        unsigned instructions)
{
    const struct cache_prefetches *prefetches = &row->prefetches;
    if (planner->options->always)
        return PLAN_PLANNED;
    if ((double)row->stall <= (double)row->executions * instructions ||
        (double)row->stall < LEAST_STALL * (double)loops_instructions(planner->strides))
        return PLAN_IN_CACHE;
    if (planner->tried && prefetches->issued > 0 &&
        plan_hidden_cycles(row) <= (double)prefetches->issued * instructions)
        return PLAN_USELESS;
    return PLAN_PLANNED;
}

/* ------------------------------------------------------------------------------------------- along a stride -- */

static int plan_stride(struct planner *planner, uint32_t row, int64_t stride)
{
    const struct loads_row *own = plan_row(planner, row);
    int64_t half = plan_line_bytes(planner) / 2;
    uint32_t shared = LOADS_NONE; /* the row whose line, along the same stride, is prefetched already */
    for (uint32_t i = 0; i < planner->plan->count && shared == LOADS_NONE; i++) {
        const struct plan_element *element = &planner->plan->elements[i];
        const struct loads_row *other = plan_row(planner, element->target);
        if ((element->kind != PLAN_STRIDE && element->kind != PLAN_LOAD) || element->stride != stride ||
            other->loop != own->loop || other->entry != own->entry)
            continue;
        /* how far apart they were in the same iteration */
        int64_t apart = (int64_t)(other->address - own->address - (uint64_t)stride * (other->serial - own->serial));
        if (apart > -half && apart < half)
            shared = element->target;
    }

    enum plan_reason reason = plan_decide_row(planner, own, COST_INSTRUCTION);
    if (llabs(stride) <= half)
        reason = PLAN_HALF_LINE;
    else if (shared != LOADS_NONE)
        reason = PLAN_SAME_LINE;
    plan_set_reason(planner, row, reason, shared);
    if (reason != PLAN_PLANNED)
        return 0;
    return plan_add_element(planner, (struct plan_element){row, row, PLAN_STRIDE, .stride = stride});
}

/* ------------------------------------------------------------------------------------------ through a value -- */

/* Adds a load that depends on another, unless it is there, or its address is known in another way. */
static void plan_add_follower(const struct planner *planner, struct follower follower, uint32_t *count)
{
    int64_t stride;
    const struct loads_row *load = plan_row(planner, follower.row);
    if (planner->among[follower.row] || planner->plan->element_of[follower.row] != LOADS_NONE ||
        pattern_inter(planner->options, load, &stride) || pattern_invariant(planner->options, load))
        return;
    planner->among[follower.row] = true;
    planner->followers[(*count)++] = follower;
}

/* How often a row's prefetch is executed: as simulated, since no more executions than options.iterations are counted.
 */
static double plan_execution_count(const struct planner *planner, const struct loads_row *row)
{
    return (double)(planner->tried && row->prefetches.issued > 0 ? row->prefetches.issued : row->executions);
}

/* Plans the first `count` followers of a leader, if what all of them may hide is worth loading it ahead. Each of them
 * gets its reason. */
static int plan_followers(struct planner *planner, uint32_t leader, int64_t stride, uint32_t count)
{
    const struct follower *followers = planner->followers;
    enum plan_reason *reasons = planner->plan->reasons;
    unsigned cost_each = planner->options->machine.prefetch_needs_tlb ? COST_GUARDED : COST_INSTRUCTION;
    double gain = 0, cost = plan_execution_count(planner, plan_row(planner, leader)) * (double)COST_GUARDED;
    for (uint32_t i = 0; i < count; i++) {
        const struct loads_row *row = plan_row(planner, followers[i].row);
        uint32_t same = 0; /* the follower that is on the same line and has been kept */
        while (same < i && (followers[same].kind != followers[i].kind ||
                            llabs(followers[same].offset - followers[i].offset) >= plan_line_bytes(planner) / 2 ||
                            reasons[followers[same].row] != PLAN_PLANNED))
            same++;
        enum plan_reason reason = same < i ? PLAN_SAME_LINE : plan_decide_row(planner, row, cost_each);
        plan_set_reason(planner, followers[i].row, reason, same < i ? followers[same].row : leader);
        if (reason != PLAN_PLANNED)
            continue;
        gain += planner->tried && row->prefetches.issued > 0 ? plan_hidden_cycles(row) : (double)row->stall;
        cost += plan_execution_count(planner, row) * cost_each;
    }

    bool worth = planner->options->always || gain > cost, any = false;
    int error = 0;
    for (uint32_t i = 0; i < count && !error; i++) {
        const struct follower *follower = &followers[i];
        enum plan_reason *reason = &reasons[follower->row];
        if (*reason == PLAN_PLANNED && !worth)
            *reason = plan_row(planner, follower->row)->prefetches.issued > 0 ? PLAN_USELESS : PLAN_IN_CACHE;
        if (*reason != PLAN_PLANNED)
            continue;
        if (!any)
            error = plan_add_element(planner, (struct plan_element){leader, leader, PLAN_LOAD, .stride = stride});
        any = true;
        if (!error)
            error = plan_add_element(planner,
                                     (struct plan_element){leader, follower->row, follower->kind, .stride = stride,
                                                           .offset = follower->offset, .within = follower->within});
    }
    if (any)
        plan_set_reason(planner, leader, PLAN_LEADS, LOADS_NONE);
    return error;
}

/* -------------------------------------------------------------------------------------------------- one loop -- */

/* Plans what follows a load with a stride, directly or at a constant distance from one that does, and the load itself.
 */
static int plan_leader(struct planner *planner, uint32_t leader, int64_t stride)
{
    struct follower *followers = planner->followers;
    uint32_t count = 0;
    const struct graph_edge *edges;
    uint32_t edge_count = graph_edges(&planner->graph, leader, &edges);
    for (uint32_t e = 0; e < edge_count; e++)
        plan_add_follower(
            planner,
            (struct follower){edges[e].row, edges[e].how == LOADS_BASE ? PLAN_BASE : PLAN_INDEX, edges[e].offset, 0},
            &count);
    for (uint32_t at = 0; at < count; at++) {
        edge_count = followers[at].kind == PLAN_BASE ? graph_edges(&planner->graph, followers[at].row, &edges) : 0;
        for (uint32_t e = 0; e < edge_count; e++)
            if (edges[e].intra && edges[e].row != leader)
                plan_add_follower(planner,
                                  (struct follower){edges[e].row, PLAN_BASE, followers[at].offset + edges[e].distance,
                                                    followers[at].within + edges[e].distance},
                                  &count);
    }
    for (uint32_t i = 0; i < count; i++)
        planner->among[followers[i].row] = false;

    int error = 0;
    if (count > 0 && planner->options->algorithm == STRIDES_INTER)
        for (uint32_t i = 0; i < count; i++)
            plan_set_reason(planner, followers[i].row, PLAN_NOT_INTER, leader);
    else if (count > 0)
        error = plan_followers(planner, leader, stride, count);
    if (!error && planner->plan->element_of[leader] == LOADS_NONE)
        error = plan_stride(planner, leader, stride);
    return error;
}

static int plan_loop(struct planner *planner)
{
    int error = graph_make(&planner->graph, planner->rows, planner->count);
    /* Why a load is not planned that has no stride and follows none that has one. */
    for (uint32_t i = 0; i < planner->count; i++) {
        const struct loads_row *row = plan_row(planner, planner->rows[i]);
        bool few = row->strides.total < PATTERN_LEAST, invariant = pattern_invariant(planner->options, row);
        plan_set_reason(planner, planner->rows[i],
                        few         ? PLAN_FEW
                        : invariant ? PLAN_INVARIANT
                                    : PLAN_NO_STRIDE,
                        LOADS_NONE);
    }
    for (uint32_t i = 0; i < planner->graph.count; i++) {
        const struct graph_edge *edge = &planner->graph.edges[i]; /* from a load whose address is not known ahead */
        if (planner->plan->reasons[edge->row] != PLAN_INVARIANT)
            plan_set_reason(planner, edge->row, PLAN_NO_LEADER, edge->leader);
    }
    for (uint32_t i = 0; i < planner->count && !error; i++) {
        int64_t stride;
        uint32_t index = planner->rows[i];
        const struct loads *loads = &planner->strides->loads;
        const struct loads_row *row = plan_row(planner, index), *all = loads_row_at(loads, 0),
                               *inner = loads_row_find(loads, row->location, row->inner);
        if (inner && inner != row && planner->plan->element_of[inner - all] != LOADS_NONE)
            plan_set_reason(planner, index, PLAN_INNER, LOADS_NONE);
        else if (planner->plan->element_of[index] == LOADS_NONE && pattern_inter(planner->options, row, &stride))
            error = plan_leader(planner, index, stride);
    }
    return error;
}

/* -------------------------------------------------------------------------------------------------- all loops -- */

int plan_make(const struct strides *strides, bool tried, struct plan *plan)
{
    size_t count = loads_row_count(&strides->loads) + 1;
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
    uint32_t ranked_count = error ? 0 : loops_rank(strides, ranked);
    for (uint32_t first = 0, end; first < ranked_count && !error; first = end) {
        for (end = first; end < ranked_count && ranked[end].loop == ranked[first].loop; end++)
            planner.rows[end - first] = ranked[end].row;
        planner.count = end - first;
        planner.distance = loops_distance(strides, ranked[first].loop);
        error = plan_loop(&planner);
    }
    free(planner.rows);
    graph_free(&planner.graph);
    free(planner.among);
    free(planner.followers);
    free(ranked);
    return error;
}
