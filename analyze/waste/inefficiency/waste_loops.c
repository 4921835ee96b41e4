#include "analyze/waste/inefficiency/waste_gatherer.h"

#include <errno.h>
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

static int waste_compare_bodies(const void *a, const void *b)
{
    const struct waste_body *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->loop < y->loop ? -1 : x->loop > y->loop;
}

int waste_order_bodies(struct waste_gatherer *gatherer)
{
    size_t count = gatherer->bodies.count;
    gatherer->body_order = calloc(count + 1, sizeof *gatherer->body_order);
    if (!gatherer->body_order)
        return ENOMEM;
    if (count > 0) {
        memcpy(gatherer->body_order, gatherer->bodies.items, count * sizeof *gatherer->body_order);
        qsort(gatherer->body_order, count, sizeof *gatherer->body_order, waste_compare_bodies);
    }
    return 0;
}

/* The frame of a path in this function; 0: there is none, or with recursion more than one. */
static uint32_t waste_only_frame(const struct waste_gatherer *gatherer, uint32_t node, uint32_t function)
{
    uint32_t found = 0;
    for (uint32_t at = node; at; at = waste_parent(gatherer, at)) {
        if (gatherer->functions[at] == function && found)
            return 0;
        if (gatherer->functions[at] == function)
            found = at;
    }
    return found;
}

int waste_add_bodies(struct waste_gatherer *gatherer, const struct waste_pair *pair)
{
    const uint32_t ends[] = {pair->first, pair->second};
    uint32_t function = gatherer->functions[pair->scope];
    for (size_t e = 0; e < 2; e++) {
        uint32_t at = waste_only_frame(gatherer, ends[e], function);
        const struct waste_body body = {.line = waste_node_at(gatherer->waste, at)->text,
                                        .loop = waste_node_at(gatherer->waste, pair->scope)->text,
                                        .function = function,
                                        .position = gatherer->positions[pair->scope]};
        if (at != 0 && keyed_add(&gatherer->bodies, &body) == KEYED_FULL)
            return ENOMEM;
    }
    return 0;
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

/* The first row of a line in the order of lines, or where it would be. */
static size_t waste_first_body(const struct waste_gatherer *gatherer, uint32_t line)
{
    size_t low = 0, high = gatherer->bodies.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (gatherer->body_order[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether a loop of the function, which begins between the lines of both accesses, contains only the later one (own).
 */
static bool waste_begins_loop(const struct waste_gatherer *gatherer, uint32_t partner, uint32_t node)
{
    uint32_t line = waste_node_at(gatherer->waste, node)->text;
    for (size_t at = waste_first_body(gatherer, line);
         at < gatherer->bodies.count && gatherer->body_order[at].line == line; at++) {
        const struct waste_body *body = &gatherer->body_order[at];
        const struct waste_body key = {.line = waste_node_at(gatherer->waste, partner)->text, .loop = body->loop};
        if (body->function == gatherer->functions[node] && body->position > gatherer->positions[partner] &&
            body->position < gatherer->positions[node] && keyed_find(&gatherer->bodies, &key) == KEYED_FULL)
            return true;
    }
    return false;
}

/* Whether some loop contains both lines. */
static bool waste_share_loop(const struct waste_gatherer *gatherer, uint32_t node, uint32_t line)
{
    size_t at = waste_first_body(gatherer, waste_node_at(gatherer->waste, node)->text);
    for (; at < gatherer->bodies.count && gatherer->body_order[at].line == waste_node_at(gatherer->waste, node)->text;
         at++) {
        const struct waste_body key = {.line = line, .loop = gatherer->body_order[at].loop};
        if (keyed_find(&gatherer->bodies, &key) != KEYED_FULL)
            return true;
    }
    return false;
}

/* Whether a loop of the function that begins after `from` contains this line, and the line loads more than what each of
 * its iterations loads again: a value that a short inner loop loads twice would be half of the loads. */
static bool waste_has_inner_loop(const struct waste_gatherer *gatherer, uint32_t own, uint64_t from)
{
    uint32_t line = waste_node_at(gatherer->waste, own)->text;
    uint64_t again = 0;
    bool known = false;
    for (size_t at = waste_first_body(gatherer, line);
         at < gatherer->bodies.count && gatherer->body_order[at].line == line; at++) {
        const struct waste_body *body = &gatherer->body_order[at];
        if (body->function != gatherer->functions[own] || body->position <= from ||
            body->position > gatherer->positions[own])
            continue;
        const struct waste_loop_line key = {.node = own, .scope = body->loop};
        uint32_t index = keyed_find(&gatherer->loop_lines, &key);
        if (index != KEYED_FULL)
            again += ((const struct waste_loop_line *)keyed_at(&gatherer->loop_lines, index))->loads;
        known = true;
    }
    return known && again < (gatherer->events[own] + 1) / 2;
}

/* The accesses of the loop's own line in the call of `node`, if it loads or stores there in each iteration. Other lines
 * of the loop may be skipped, and what precedes the first iteration is not in the loop. */
static uint64_t waste_head_events(const struct waste_gatherer *gatherer, uint32_t node, const struct waste_loop *loop)
{
    return waste_events_between(gatherer, node, loop->position, loop->position + 1, loop->line);
}

/* A loop of the line's own function. */
static void waste_count_own_runs(struct waste_gatherer *gatherer, uint32_t node, const struct waste_loop *loop,
                                 struct waste_span *span)
{
    uint32_t own = gatherer->own[node];
    uint64_t position = gatherer->positions[own], here = gatherer->events[node],
             there = waste_head_events(gatherer, own, loop);
    if (node != own && gatherer->events[own] > there && waste_is_in_loop(gatherer, own, loop->line))
        there = gatherer->events[own]; /* in a library function that the line calls */
    if (there > 0)
        span->times = (double)here / (double)there;
    /* The line of the loop itself runs once in each iteration. */
    span->many = position != loop->position &&
                 (span->times >= WASTE_MANY || (node == own && waste_has_inner_loop(gatherer, own, loop->position)));
}

/* A loop of a caller: the line that makes the call runs once in an iteration. */
static void waste_count_called_runs(struct waste_gatherer *gatherer, uint32_t node, const struct waste_loop *loop,
                                    struct waste_span *span)
{
    uint64_t here = gatherer->events[node], there = waste_head_events(gatherer, span->at, loop);
    if (gatherer->events[span->at] > there && waste_is_in_loop(gatherer, span->at, loop->line))
        there = gatherer->events[span->at];
    if (there > 0)
        span->times = (double)here / (double)there;
    span->many =
        there > 0 ? span->times >= WASTE_MANY : node == gatherer->own[node] && waste_has_inner_loop(gatherer, node, 0);
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

struct waste_span waste_locate_call(struct waste_gatherer *gatherer, uint32_t node, uint32_t partner)
{
    uint32_t own = gatherer->own[node], call = waste_parent(gatherer, own);
    uint64_t here = gatherer->events[node], there = call ? gatherer->events[call] : 0;
    uint32_t line = waste_node_at(gatherer->waste, partner)->text;
    struct waste_span span = {.where = WASTE_SPAN_NONE, .times = NAN};
    if (there > 0)
        span.times = (double)here / (double)there;
    bool same = line == waste_node_at(gatherer->waste, own)->text;
    /* A loop that begins with the line itself may be a do loop that both close. */
    span.many = !same && waste_begins_loop(gatherer, partner, own);
    span.few = !span.many && (same || span.times < WASTE_MANY || waste_share_loop(gatherer, own, line));
    return span;
}

bool waste_repeats_in_call(struct waste_gatherer *gatherer, uint32_t own)
{
    uint32_t call = waste_parent(gatherer, own);
    uint64_t calls = call ? gatherer->events[call] : 0;
    if (calls == 0) /* other lines of the caller may run less often than the call */
        return waste_has_inner_loop(gatherer, own, 0);
    uint64_t others = waste_events_between(gatherer, call, 0, UINT64_MAX, FIELD_NONE);
    return gatherer->events[own] / WASTE_MANY >= (others > calls ? others : calls);
}
