#include "analyze/waste/inefficiency/waste_gatherer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int waste_compare_frames(const struct waste_gatherer *gatherer, uint32_t around, uint32_t function,
                                uint64_t position, uint32_t node)
{
    uint32_t other = waste_parent(gatherer, node);
    if (around != other)
        return around < other ? -1 : 1;
    if (function != gatherer->functions[node])
        return function < gatherer->functions[node] ? -1 : 1;
    return position < gatherer->positions[node] ? -1 : position > gatherer->positions[node];
}

static int waste_compare_nodes(const void *a, const void *b, void *user)
{
    const struct waste_gatherer *gatherer = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order =
        waste_compare_frames(gatherer, waste_parent(gatherer, x), gatherer->functions[x], gatherer->positions[x], y);
    return order ? order : x < y ? -1 : x > y;
}

static int waste_compare_loops(const void *a, const void *b)
{
    const struct waste_loop *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

void waste_order_loops(struct waste_gatherer *gatherer)
{
    if (gatherer->loops.count == 0)
        return;
    memcpy(gatherer->loop_order, gatherer->loops.items, gatherer->loops.count * sizeof *gatherer->loop_order);
    qsort(gatherer->loop_order, gatherer->loops.count, sizeof *gatherer->loop_order, waste_compare_loops);
}

void waste_order_nodes(struct waste_gatherer *gatherer)
{
    size_t count = waste_count(gatherer->waste, WASTE_NODE_ROWS);
    for (uint32_t node = 0; node < count; node++)
        gatherer->order[node] = node;
    if (count > 1) /* node 0 has no frame */
        qsort_r(gatherer->order + 1, count - 1, sizeof *gatherer->order, waste_compare_nodes, gatherer);
}

static bool waste_is_in_loop(const struct waste_gatherer *gatherer, uint32_t node, uint32_t scope)
{
    const struct waste_loop_line key = {.node = node, .scope = scope};
    return keyed_find(&gatherer->loop_lines, &key) != KEYED_FULL;
}

/* The most accesses of another line in the same call of the function of `node`, at positions from `from` to below `to`;
 * unless `scope` is FIELD_NONE, of those that follow others in an earlier iteration of this loop, and so are in it. */
static uint64_t waste_events_between(const struct waste_gatherer *gatherer, uint32_t node, uint64_t from, uint64_t to,
                                     uint32_t scope)
{
    size_t count = waste_count(gatherer->waste, WASTE_NODE_ROWS), low = 1, high = count;
    uint32_t around = waste_parent(gatherer, node), function = gatherer->functions[node];
    uint64_t most = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (waste_compare_frames(gatherer, around, function, from, gatherer->order[middle]) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && waste_compare_frames(gatherer, around, function, to, gatherer->order[low]) > 0; low++) {
        uint32_t other = gatherer->order[low];
        if (other != node && gatherer->events[other] > most &&
            (scope == FIELD_NONE || waste_is_in_loop(gatherer, other, scope)))
            most = gatherer->events[other];
    }
    return most;
}

/* Some pair has the loop as its scope. A line after its head that runs WASTE_MANY times as often as this one shows that
 * the loop ended before it. */
static bool waste_find_inner_loop(const struct waste_gatherer *gatherer, uint32_t node, uint64_t from)
{
    size_t low = 0, high = gatherer->loops.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (gatherer->loop_order[middle].function < gatherer->functions[node])
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < gatherer->loops.count && gatherer->loop_order[low].function == gatherer->functions[node]; low++) {
        const struct waste_loop *loop = &gatherer->loop_order[low];
        uint64_t here = gatherer->positions[node];
        if (loop->position > from && loop->position <= here &&
            waste_events_between(gatherer, node, loop->position, here, FIELD_NONE) / WASTE_MANY <=
                gatherer->events[node])
            return true;
    }
    return false;
}

/* Whether a loop of the node's function that begins after `from` contains it. */
static bool waste_has_inner_loop(struct waste_gatherer *gatherer, uint32_t node, uint64_t from)
{
    const struct waste_inner key = {.node = node, .function = gatherer->functions[node], .from = from};
    size_t count = gatherer->inner.count;
    uint32_t index = keyed_add(&gatherer->inner, &key);
    if (index == KEYED_FULL) /* without memory it is found again each time */
        return waste_find_inner_loop(gatherer, node, from);
    struct waste_inner *inner = keyed_at(&gatherer->inner, index);
    if (gatherer->inner.count > count)
        inner->known = waste_find_inner_loop(gatherer, node, from);
    return inner->known;
}

/* A loop of the line's own function. Lines from its head to before this one run in each iteration, or more often; what
 * its head accesses, once. */
static void waste_count_own_runs(struct waste_gatherer *gatherer, uint32_t node, const struct waste_loop *loop,
                                 struct waste_span *span)
{
    uint32_t own = gatherer->own[node];
    uint64_t position = gatherer->positions[own], here = gatherer->events[node],
             there = waste_events_between(gatherer, own, loop->position, position, FIELD_NONE);
    if (node != own && gatherer->events[own] > there) /* in a library function that the line calls */
        there = gatherer->events[own];
    if (there == 0)
        there = waste_events_between(gatherer, own, position, UINT64_MAX, loop->line);
    if (there > 0)
        span->times = (double)here / (double)there;
    /* The line of the loop itself runs once in each. */
    span->many = position != loop->position &&
                 (span->times >= WASTE_MANY || waste_has_inner_loop(gatherer, own, loop->position));
}

/* A loop of a caller: the line that makes the call runs once in an iteration. */
static void waste_count_called_runs(struct waste_gatherer *gatherer, uint32_t node, const struct waste_loop *loop,
                                    struct waste_span *span)
{
    uint64_t here = gatherer->events[node], call = gatherer->events[span->at],
             there =
                 waste_events_between(gatherer, span->at, loop->position, gatherer->positions[span->at], FIELD_NONE);
    if (call > there)
        there = call;
    if (there == 0)
        there = waste_events_between(gatherer, span->at, gatherer->positions[span->at], UINT64_MAX, loop->line);
    if (there > 0)
        span->times = (double)here / (double)there;
    span->many = there > 0 ? span->times >= WASTE_MANY : waste_has_inner_loop(gatherer, gatherer->own[node], 0);
}

/* The frame of the path whose function contains the loop: the innermost one of that name. */
struct waste_span waste_locate_loop(struct waste_gatherer *gatherer, const struct waste_pair *pair, uint32_t node)
{
    struct waste_span span = {.where = WASTE_SPAN_UNKNOWN, .times = NAN};
    if (pair->traps == 0 && pair->scope == 0)
        span.where = WASTE_SPAN_NONE;
    if (pair->traps > 0 || pair->scope == 0)
        return span;
    const struct waste_loop key = {.function = gatherer->functions[pair->scope],
                                   .line = waste_node_at(gatherer->waste, pair->scope)->text};
    const struct waste_loop *loop = keyed_at(&gatherer->loops, keyed_find(&gatherer->loops, &key));
    bool library = node != gatherer->own[node];
    for (span.at = node; span.at && gatherer->functions[span.at] != key.function;) {
        span.at = waste_parent(gatherer, span.at);
        library &= span.at != gatherer->own[node];
    }
    if (span.at == 0)
        return span;
    if (library) {
        span.where = WASTE_SPAN_LIBRARY;
    } else if (span.at == gatherer->own[node]) {
        span.where = WASTE_SPAN_OWN;
        waste_count_own_runs(gatherer, node, loop, &span);
    } else {
        span.where = WASTE_SPAN_CALLER;
        waste_count_called_runs(gatherer, node, loop, &span);
    }
    return span;
}

struct waste_span waste_locate_call(struct waste_gatherer *gatherer, uint32_t node, bool same_line)
{
    uint32_t own = gatherer->own[node], call = waste_parent(gatherer, own);
    uint64_t here = gatherer->events[node], there = call ? gatherer->events[call] : 0;
    struct waste_span span = {.where = WASTE_SPAN_NONE, .times = NAN};
    if (there > 0)
        span.times = (double)here / (double)there;
    span.few = same_line || waste_has_inner_loop(gatherer, own, 0) || span.times < WASTE_MANY;
    span.many = !span.few && span.times >= WASTE_MANY;
    return span;
}

bool waste_repeats_in_call(struct waste_gatherer *gatherer, uint32_t own)
{
    uint32_t call = waste_parent(gatherer, own);
    uint64_t calls = 0;
    if (call) {
        calls = waste_events_between(gatherer, call, 0, UINT64_MAX, FIELD_NONE);
        calls = gatherer->events[call] > calls ? gatherer->events[call] : calls;
    }
    return calls > 0 ? gatherer->events[own] / WASTE_MANY >= calls : waste_has_inner_loop(gatherer, own, 0);
}
