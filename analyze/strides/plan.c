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
    uint32_t *row_of_place; /* [place]: its row in the loop, LOADS_NONE */
    struct edge *edges;     /* of the loop's load dependence graph, by leader */
    uint32_t edge_count;
    size_t edge_capacity;
    uint32_t *first_edge;       /* [row of the loop]: edge_count if it leads to none */
    bool *among;                /* [row] */
    struct follower *followers; /* of one leader: [row] */
    uint64_t distance;
};

/* In a loop, row `row` depends on row `leader`. */
struct edge {
    uint32_t leader, row;
    enum plan_kind kind; /* PLAN_BASE or PLAN_INDEX */
    int64_t offset;
    bool intra; /* the two keep a distance */
    int64_t distance;
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

bool plan_looks(const struct strides *strides, const struct loads_row *row)
{
    uint32_t at = row->inner;
    for (unsigned depth = 0; at != row->loop && depth < DEPTH_MAX; depth++) {
        const struct loads_loop *loop = loads_loop_find(&strides->loads, at);
        if (!loop || loads_trips(loop) >= (double)strides->options.small || loop->outer == LOADS_NONE)
            return false;
        at = loop->outer;
    }
    return at == row->loop;
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
    int64_t apart = (int64_t)(a->address - b->address) - stride * (int64_t)(a->serial - b->serial);
    return a->entry == b->entry && llabs(apart) < line_of(planner) / 2;
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

static int by_leader(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->leader != y->leader)
        return x->leader < y->leader ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int add_edge(struct planner *planner, uint32_t row, const struct loads_partner *partner)
{
    const struct loads_row *load = row_at(planner, row);
    struct edge edge = {.leader = planner->row_of_place[partner->place],
                        .row = row,
                        .kind = partner->how == LOADS_BASE ? PLAN_BASE : PLAN_INDEX};
    if (edge.leader == LOADS_NONE || edge.leader == row ||
        !pattern_depends(planner->options, load, partner, &edge.offset))
        return 0;
    edge.intra = pattern_intra(planner->options, load, partner, &edge.distance);
    struct edge *edges = grow_unset(planner->edges, &planner->edge_capacity, planner->edge_count, sizeof *edges);
    if (!edges)
        return ENOMEM;
    planner->edges = edges;
    edges[planner->edge_count++] = edge;
    return 0;
}

/* The load dependence graph of the loop (§3.1). */
static int make_graph(struct planner *planner)
{
    int error = 0;
    planner->edge_count = 0;
    for (uint32_t i = 0; i < planner->count; i++)
        planner->row_of_place[row_at(planner, planner->rows[i])->place] = planner->rows[i];
    for (uint32_t i = 0; i < planner->count && !error; i++) {
        const struct loads_row *row = row_at(planner, planner->rows[i]);
        for (uint32_t p = 0; p < row->partner_count && !error; p++)
            error = add_edge(planner, planner->rows[i], &row->partners[p]);
    }
    if (planner->edge_count > 1)
        qsort(planner->edges, planner->edge_count, sizeof *planner->edges, by_leader);
    for (uint32_t i = 0; i < planner->count; i++) {
        planner->row_of_place[row_at(planner, planner->rows[i])->place] = LOADS_NONE;
        planner->first_edge[planner->rows[i]] = planner->edge_count;
    }
    for (uint32_t i = planner->edge_count; i-- > 0;)
        planner->first_edge[planner->edges[i].leader] = i;
    return error;
}

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
    for (uint32_t e = planner->first_edge[leader]; e < planner->edge_count && planner->edges[e].leader == leader; e++) {
        const struct edge *edge = &planner->edges[e];
        add_follower(planner, among, (struct follower){edge->row, edge->kind, edge->offset, 0}, followers, &count);
    }
    for (uint32_t at = 0; at < count; at++)
        for (uint32_t e = planner->first_edge[followers[at].row];
             e < planner->edge_count && planner->edges[e].leader == followers[at].row; e++) {
            const struct edge *edge = &planner->edges[e];
            if (followers[at].kind == PLAN_BASE && edge->intra && edge->row != leader)
                add_follower(planner, among,
                             (struct follower){edge->row, PLAN_BASE, followers[at].offset + edge->distance,
                                               followers[at].within + edge->distance},
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

/* Gives each follower its reason; whether what all of them may hide is worth loading the leader ahead. */
static bool judge_followers(struct planner *planner, uint32_t leader, const struct follower *followers, uint32_t count)
{
    double gain = 0, cost = (double)row_at(planner, leader)->executions * COST_GUARDED;
    for (uint32_t i = 0; i < count; i++) {
        const struct loads_row *row = row_at(planner, followers[i].row);
        uint32_t kept = find_kept(planner, followers, i);
        enum plan_reason reason = kept != LOADS_NONE ? PLAN_SAME_LINE : judge(planner, row, cost_of(planner));
        give_reason(planner, followers[i].row, reason, kept != LOADS_NONE ? kept : leader);
        if (reason != PLAN_PLANNED)
            continue;
        gain += planner->tried && row->prefetches.issued > 0 ? hidden(row) : (double)row->stall;
        cost += (double)row->executions * cost_of(planner);
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

/* Why a load is not planned that has no stride and follows none that has one. */
static void explain(struct planner *planner, uint32_t index)
{
    const struct loads_row *row = row_at(planner, index);
    bool few = row->strides.total < PATTERN_LEAST, invariant = pattern_invariant(planner->options, row);
    give_reason(planner, index, few ? PLAN_FEW : invariant ? PLAN_INVARIANT : PLAN_NO_STRIDE, LOADS_NONE);
}

/* What depends on a load whose address is not known ahead. */
static void explain_edge(struct planner *planner, const struct edge *edge)
{
    if (planner->plan->reasons[edge->row] != PLAN_INVARIANT)
        give_reason(planner, edge->row, PLAN_NO_LEADER, edge->leader);
}

static bool planned_within(const struct planner *planner, const struct loads_row *row)
{
    const struct loads_row *inner = loads_row_find(&planner->strides->loads, row->place, row->inner);
    return inner && inner != row &&
           planner->plan->element_of[inner - (const struct loads_row *)planner->strides->loads.rows.items] !=
               LOADS_NONE;
}

static int plan_loop(struct planner *planner)
{
    int error = make_graph(planner);
    for (uint32_t i = 0; i < planner->count; i++)
        explain(planner, planner->rows[i]);
    for (uint32_t i = 0; i < planner->edge_count; i++)
        explain_edge(planner, &planner->edges[i]);
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
                              .rows = calloc(count, sizeof *planner.rows),
                              .row_of_place = malloc((strides->loads.places.count + 1) * sizeof *planner.row_of_place),
                              .first_edge = calloc(count, sizeof *planner.first_edge),
                              .among = calloc(count, sizeof *planner.among),
                              .followers = calloc(count, sizeof *planner.followers)};
    struct ranked_row *ranked = calloc(count, sizeof *ranked);
    bool whole = plan->element_of && plan->reasons && plan->others && planner.rows && planner.row_of_place &&
                 planner.first_edge && planner.among && planner.followers && ranked;
    for (size_t i = 0; i < count && whole; i++)
        plan->element_of[i] = plan->others[i] = LOADS_NONE;
    for (size_t i = 0; i < strides->loads.places.count && whole; i++)
        planner.row_of_place[i] = LOADS_NONE;
    int error = whole ? 0 : ENOMEM;
    if (!error)
        error = plan_all(&planner, ranked);
    free(planner.rows);
    free(planner.row_of_place);
    free(planner.edges);
    free(planner.first_edge);
    free(planner.among);
    free(planner.followers);
    free(ranked);
    return error;
}
