#include "analyze/waste/inefficiency/waste_gatherer.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"

/* "All" of the accesses of a call: a few may be the first of their location in an iteration. */
static const double MOST_LOADS = 0.9;

/* ------------------------------------------------------------------------------------------ contexts -- */

/* Whether b is a line of the same invocation of a function as a, or of one of its callers. */
static bool waste_encloses(const struct waste_gatherer *gatherer, uint32_t a, uint32_t b)
{
    for (uint32_t at = a; at; at = waste_parent(gatherer, at))
        if (waste_parent(gatherer, at) == waste_parent(gatherer, b) &&
            gatherer->functions[at] == gatherer->functions[b])
            return true;
    return false;
}

static bool waste_is_recursive(const struct waste_gatherer *gatherer, uint32_t node)
{
    for (uint32_t at = waste_parent(gatherer, node); at; at = waste_parent(gatherer, at))
        if (gatherer->functions[at] == gatherer->functions[node])
            return true;
    return false;
}

/* Whether the line that makes the call stores what it stored in the last iteration. What it also loads there may be a
 * sum, which grows too little to be distinguished from what it was. */
static bool waste_repeats_result(const struct waste_gatherer *gatherer, uint32_t caller, uint32_t scope)
{
    const struct waste_loop_line key = {.node = caller, .scope = scope};
    uint32_t index = keyed_find(&gatherer->loop_lines, &key);
    if (index == KEYED_FULL)
        return false;
    const struct waste_loop_line *line = keyed_at(&gatherer->loop_lines, index);
    uint64_t silent = line->exact + (line->loads == 0 ? line->close : 0);
    return line->stores > 0 && (double)silent >= MOST_LOADS * (double)line->stores;
}

/* ------------------------------------------------------------------------------------------ pairs -- */

static bool waste_is_first_witness(const struct waste_gatherer *gatherer, const struct waste_pair *pair,
                                   uint64_t accesses, const struct waste_witness *witness)
{
    if (accesses != witness->accesses)
        return accesses > witness->accesses;
    int order = waste_compare(gatherer->waste, pair->first, witness->first);
    if (order == 0)
        order = waste_compare(gatherer->waste, pair->second, witness->second);
    return order ? order < 0 : waste_compare(gatherer->waste, pair->scope, witness->scope) < 0;
}

/* Whether the pair has another loop than the witness, or another function of the library was called. */
static bool waste_differs(const struct waste_gatherer *gatherer, const struct waste_pair *pair, uint32_t node,
                          const struct waste_witness *witness)
{
    const struct waste *waste = gatherer->waste;
    uint32_t called = gatherer->called[node];
    return waste_node_at(waste, pair->scope)->text != waste_node_at(waste, witness->scope)->text ||
           gatherer->functions[called] != gatherer->functions[witness->called];
}

static void waste_count_fact(const struct waste_gatherer *gatherer, const struct waste_pair *pair, uint32_t node,
                             const struct waste_span *span, enum waste_fact fact, uint64_t accesses)
{
    struct waste_line_facts *line = &gatherer->lines[gatherer->sites[gatherer->own[node]]];
    struct waste_witness *witness = &line->witnesses[fact];
    if (accesses == 0)
        return;
    bool several = witness->several || (witness->accesses > 0 && waste_differs(gatherer, pair, node, witness));
    line->facts.counts[fact] += accesses;
    if (waste_is_first_witness(gatherer, pair, accesses, witness))
        *witness = (struct waste_witness){.first = pair->first,
                                          .second = pair->second,
                                          .scope = pair->scope,
                                          .partner = gatherer->own[node == pair->first ? pair->second : pair->first],
                                          .called = gatherer->called[node],
                                          .caller = span->where == WASTE_SPAN_CALLER ? span->at : 0,
                                          .accesses = accesses,
                                          .times = span->times};
    witness->several = several;
}

/* A silent load, and no loop iterated since the location was loaded last. */
static enum waste_fact waste_near_load_fact(struct waste_gatherer *gatherer, const struct waste_pair *pair,
                                            uint32_t node, struct waste_span *span)
{
    uint32_t own = gatherer->own[node], partner = gatherer->own[pair->first];
    if (node != own)
        return WASTE_FACTS;
    if (!waste_encloses(gatherer, own, partner) && !waste_encloses(gatherer, partner, own) &&
        !waste_is_recursive(gatherer, own))
        return waste_repeats_in_call(gatherer, own) ? WASTE_FACT_LOAD_CALL : WASTE_FACT_LOAD_LOOP;
    if (waste_parent(gatherer, own) != waste_parent(gatherer, partner) ||
        gatherer->functions[own] != gatherer->functions[partner])
        return WASTE_FACT_LOAD_LOOP; /* its caller, or what it called, may have had a loop there */
    if (waste_is_recursive(gatherer, own))
        return WASTE_FACT_LOAD_LOOP; /* contexts of deep recursion are those of several calls */
    *span = waste_locate_call(gatherer, node, partner);
    return span->few ? WASTE_FACT_LOAD_SAME : span->many ? WASTE_FACT_LOAD_PASS : WASTE_FACT_LOAD_LOOP;
}

/* A silent load that none of the library's names explains. */
static enum waste_fact waste_load_fact(struct waste_gatherer *gatherer, const struct waste_pair *pair, uint32_t node,
                                       struct waste_span *span)
{
    bool library = node != gatherer->own[node];
    if (span->where == WASTE_SPAN_NONE)
        return waste_near_load_fact(gatherer, pair, node, span);
    if (span->where != WASTE_SPAN_OWN && span->where != WASTE_SPAN_CALLER)
        return WASTE_FACTS;
    if ((library || span->where == WASTE_SPAN_CALLER) &&
        waste_repeats_result(gatherer, span->at, waste_node_at(gatherer->waste, pair->scope)->text))
        return WASTE_FACT_LOAD_RESULT;
    if (span->many)
        return waste_is_lookup_name(waste_text(gatherer->waste, gatherer->functions[gatherer->own[node]]))
                   ? WASTE_FACT_LOOKUP
                   : WASTE_FACT_LOAD_AGAIN;
    return library ? WASTE_FACTS : WASTE_FACT_LOAD_LOOP;
}

static enum waste_fact waste_dead_fact(const struct waste_gatherer *gatherer, uint32_t node,
                                       const struct waste_span *span)
{
    if (node != gatherer->own[node] || span->where == WASTE_SPAN_UNKNOWN || span->where == WASTE_SPAN_LIBRARY)
        return WASTE_FACTS;
    if (span->where == WASTE_SPAN_NONE)
        return WASTE_FACT_DEAD_SAME;
    return WASTE_FACT_DEAD_AGAIN;
}

/* By the name of the library function that made the access. */
static enum waste_fact waste_role_fact(const struct waste_gatherer *gatherer, const struct waste_pair *pair,
                                       uint32_t node)
{
    bool load = waste_access(pair->waste) == ACCESS_LOAD, dead = pair->waste == WASTE_DEAD_STORE;
    uint64_t here = gatherer->events[node], calls = gatherer->events[gatherer->own[node]];
    switch (gatherer->roles[node]) {
    case WASTE_ROLE_FILL:
        return load ? WASTE_FACTS : dead ? WASTE_FACT_FILL_DEAD : WASTE_FACT_FILL_SILENT;
    case WASTE_ROLE_COPY:
        return load ? WASTE_FACT_COPY_LOAD : dead ? WASTE_FACT_COPY_DEAD : WASTE_FACT_COPY_SILENT;
    case WASTE_ROLE_SCAN:
        return load ? WASTE_FACT_SCAN : WASTE_FACTS;
    case WASTE_ROLE_LOOKUP: /* of a chain or tree: more than one step in a call */
        return load && calls > 0 && here / 2 >= calls ? WASTE_FACT_LOOKUP : WASTE_FACTS;
    default:
        return WASTE_FACTS;
    }
}

/* The fact that a pair shows, of its exact values; WASTE_FACTS: none. */
static enum waste_fact waste_pair_fact(struct waste_gatherer *gatherer, const struct waste_pair *pair, uint32_t node,
                                       struct waste_span *span)
{
    if (pair->waste == WASTE_SPATIAL_LOAD)
        return WASTE_FACT_NEIGHBOUR;
    if (pair->waste == WASTE_ADJACENT_LOAD)
        return WASTE_FACTS;
    if (gatherer->roles[node] != WASTE_ROLE_NONE)
        return waste_role_fact(gatherer, pair, node);
    if (pair->waste == WASTE_DEAD_STORE)
        return waste_dead_fact(gatherer, node, span);
    if (pair->waste == WASTE_SILENT_LOAD)
        return waste_load_fact(gatherer, pair, node, span);
    return node == gatherer->own[node] ? WASTE_FACT_SILENT_EXACT : WASTE_FACTS;
}

static uint32_t waste_pair_node(const struct waste_pair *pair)
{
    return pair->waste == WASTE_DEAD_STORE ? pair->first : pair->second;
}

/* Not if the context is unknown, or nothing in it is the program's own. */
static bool waste_is_classified(const struct waste_gatherer *gatherer, const struct waste_pair *pair)
{
    uint32_t node = waste_pair_node(pair), own = gatherer->own[node];
    return node != 0 && !waste_node_at(gatherer->waste, own)->is_runtime && gatherer->sites[own] != KEYED_FULL;
}

/* The row of a line in a context of its function; NULL without memory. */
static struct waste_calls *waste_calls_of(struct waste_gatherer *gatherer, uint32_t own)
{
    const struct waste_calls key = {.line = gatherer->sites[own], .around = waste_parent(gatherer, own)};
    uint32_t index = keyed_add(&gatherer->calls, &key);
    return index == KEYED_FULL ? NULL : keyed_at(&gatherer->calls, index);
}

static int waste_sum_calls(struct waste_gatherer *gatherer, const struct waste_pair *pair)
{
    if (pair->waste != WASTE_SILENT_LOAD || !waste_is_classified(gatherer, pair) ||
        pair->second != gatherer->own[pair->second])
        return 0;
    struct waste_span span = waste_locate_loop(gatherer, pair, waste_pair_node(pair));
    struct waste_calls *calls = waste_calls_of(gatherer, pair->second);
    if (!calls)
        return ENOMEM;
    calls->loads += pair->events;
    if (waste_pair_fact(gatherer, pair, pair->second, &span) == WASTE_FACT_LOAD_CALL)
        calls->repeated += pair->wasted_events;
    return 0;
}

static int waste_classify_pair(struct waste_gatherer *gatherer, const struct waste_pair *pair)
{
    uint32_t node = waste_pair_node(pair);
    if (pair->wasted_events == 0 || !waste_is_classified(gatherer, pair))
        return 0;
    struct waste_span span = waste_locate_loop(gatherer, pair, waste_pair_node(pair));
    enum waste_fact fact = waste_pair_fact(gatherer, pair, node, &span);
    uint64_t events = pair->wasted_events, bytes = pair->wasted[VALUES_PRECISE] + pair->wasted[VALUES_APPROXIMATE];
    if (fact == WASTE_FACT_LOAD_CALL) {
        const struct waste_calls *calls = waste_calls_of(gatherer, node);
        if (!calls)
            return ENOMEM;
        if ((double)calls->repeated < MOST_LOADS * (double)calls->loads)
            fact = WASTE_FACT_LOAD_LOOP;
    }
    if (fact == WASTE_FACT_SILENT_EXACT && bytes > 0) {
        uint64_t exact = (uint64_t)((double)events * (double)pair->wasted[VALUES_PRECISE] / (double)bytes);
        waste_count_fact(gatherer, pair, node, &span, WASTE_FACT_SILENT_CLOSE, events - exact);
        events = exact;
    }
    if (fact != WASTE_FACTS)
        waste_count_fact(gatherer, pair, node, &span, fact, events);
    if (bytes > 0)
        waste_count_fact(gatherer, pair, node, &span, WASTE_FACT_STACK,
                         (uint64_t)((double)pair->wasted_events * (double)pair->on_stack.wasted_bytes / (double)bytes));
    return 0;
}

/* ------------------------------------------------------------------------------------------ nodes -- */

static int waste_read_nodes(struct waste_gatherer *gatherer)
{
    struct waste *waste = gatherer->waste;
    size_t count = waste_count(waste, WASTE_NODE_ROWS);
    char function[METHOD_NAME_MAX + 32];
    for (uint32_t node = 1; node < count; node++) {
        const struct waste_node *row = waste_node_at(waste, node);
        const char *frame = waste_text(waste, row->text);
        uint32_t own = gatherer->own[node], around = row->parent;
        uint64_t position, reach;
        snprintf(function, sizeof function, "%.*s", (int)waste_frame_split(frame, &position, &reach), frame);
        gatherer->functions[node] = relations_text(&waste->relations, function);
        if (gatherer->functions[node] == FIELD_NONE)
            return ENOMEM;
        gatherer->positions[node] = position | (strchr(frame, '@') && reach != 0 ? WASTE_ADDRESS : 0);
        gatherer->sites[node] = keyed_find(&gatherer->ranking->lines, &row->text);
        if (own == node)
            continue;
        gatherer->called[node] = around == own ? node : gatherer->called[around];
        gatherer->roles[node] = around == own ? waste_role_of(function) : gatherer->roles[around];
    }
    return 0;
}

static int waste_read_loop(struct waste_gatherer *gatherer, const struct waste_pair *pair)
{
    const struct waste *waste = gatherer->waste;
    uint32_t node = waste_pair_node(pair), text = waste_node_at(waste, pair->scope)->text;
    const struct waste_loop loop = {gatherer->functions[pair->scope], text, gatherer->positions[pair->scope]};
    if (keyed_add(&gatherer->loops, &loop) == KEYED_FULL)
        return ENOMEM;
    if (node != gatherer->own[node] || pair->waste == WASTE_DEAD_STORE)
        return 0;
    const struct waste_loop_line key = {.node = node, .scope = text};
    uint32_t index = keyed_add(&gatherer->loop_lines, &key);
    if (index == KEYED_FULL)
        return ENOMEM;
    struct waste_loop_line *line = keyed_at(&gatherer->loop_lines, index);
    bool store = pair->waste == WASTE_SILENT_STORE, precise = pair->wasted[VALUES_APPROXIMATE] == 0;
    line->loads += store ? 0 : pair->events;
    line->stores += store ? pair->events : 0;
    line->exact += store && precise ? pair->wasted_events : 0;
    line->close += store && !precise ? pair->wasted_events : 0;
    return 0;
}

/* Loops, and the accesses of single frames. */
static int waste_read_pairs(struct waste_gatherer *gatherer, unsigned kind)
{
    const struct waste *waste = gatherer->waste;
    size_t nodes = waste_count(waste, WASTE_NODE_ROWS);
    uint64_t(*counts)[WASTE_COUNT] = calloc(nodes + 1, sizeof *counts);
    int error = counts ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < waste_count(waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(waste, WASTE_PAIR_ROWS, i);
        if (kind == WASTE_COUNT || kind == pair->waste)
            counts[waste_pair_node(pair)][pair->waste] += pair->events;
        if (pair->scope != 0)
            error = waste_read_loop(gatherer, pair);
        if (!error && pair->scope != 0)
            error = waste_add_bodies(gatherer, pair);
    }
    for (size_t node = 0; !error && node < nodes; node++)
        for (size_t k = 0; k < WASTE_COUNT; k++)
            if (counts[node][k] > gatherer->events[node])
                gatherer->events[node] = counts[node][k];
    free(counts);
    return error ? error : waste_order_bodies(gatherer);
}

/* ------------------------------------------------------------------------------------------ lines -- */

static void waste_sum_line(const struct waste_site *site, struct waste_facts *facts)
{
    const uint64_t *events = site->events;
    bool spatial = events[WASTE_SPATIAL_LOAD] > events[WASTE_SILENT_LOAD];
    facts->loads = events[spatial ? WASTE_SPATIAL_LOAD : WASTE_SILENT_LOAD];
    facts->dead_stores = events[WASTE_DEAD_STORE];
    facts->silent_stores = events[WASTE_SILENT_STORE];
    facts->stores = facts->dead_stores > facts->silent_stores ? facts->dead_stores : facts->silent_stores;
    facts->wasted = site->wasted_accesses;
}

/* A function that loads little of what others have just loaded is not called needlessly. 0 or ENOMEM. */
static int waste_check_calls(struct waste_gatherer *gatherer)
{
    const struct waste_ranking *ranking = gatherer->ranking;
    uint64_t(*loads)[2] = calloc(ranking->functions.count + 1, sizeof *loads); /* all; repeated */
    if (!loads)
        return ENOMEM;
    for (size_t i = 0; i < ranking->lines.count; i++) {
        uint32_t function = ((const struct waste_site *)keyed_at(&ranking->lines, i))->function;
        loads[function][0] += gatherer->lines[i].facts.loads;
        loads[function][1] += gatherer->lines[i].facts.counts[WASTE_FACT_LOAD_CALL];
    }
    for (size_t i = 0; i < ranking->lines.count; i++) {
        uint32_t function = ((const struct waste_site *)keyed_at(&ranking->lines, i))->function;
        struct waste_line_facts *line = &gatherer->lines[i];
        if (loads[function][1] >= loads[function][0] / 4)
            continue;
        line->facts.counts[WASTE_FACT_LOAD_LOOP] += line->facts.counts[WASTE_FACT_LOAD_CALL];
        line->facts.counts[WASTE_FACT_LOAD_CALL] = 0;
        struct waste_witness *loop = &line->witnesses[WASTE_FACT_LOAD_LOOP],
                             *call = &line->witnesses[WASTE_FACT_LOAD_CALL];
        loop->several |= call->accesses > 0 && loop->scope != call->scope && loop->accesses > 0;
        if (loop->accesses < call->accesses) {
            call->several |= loop->several;
            *loop = *call;
        }
    }
    free(loads);
    return 0;
}

static int waste_gather_lines(struct waste_gatherer *gatherer, unsigned kind)
{
    const struct waste *waste = gatherer->waste;
    size_t count = waste_count(waste, WASTE_PAIR_ROWS);
    int error = 0;
    for (size_t i = 0; !error && i < count; i++) {
        const struct waste_pair *pair = waste_row(waste, WASTE_PAIR_ROWS, i);
        if (kind == WASTE_COUNT || kind == pair->waste)
            error = waste_sum_calls(gatherer, pair);
    }
    for (size_t i = 0; !error && i < count; i++) {
        const struct waste_pair *pair = waste_row(waste, WASTE_PAIR_ROWS, i);
        if (kind == WASTE_COUNT || kind == pair->waste)
            error = waste_classify_pair(gatherer, pair);
    }
    for (size_t i = 0; i < gatherer->ranking->lines.count; i++)
        waste_sum_line(keyed_at(&gatherer->ranking->lines, i), &gatherer->lines[i].facts);
    return error ? error : waste_check_calls(gatherer);
}

int waste_gather_facts(struct waste *waste, const struct waste_ranking *ranking, unsigned kind,
                       struct waste_line_facts **lines)
{
    size_t nodes = waste_count(waste, WASTE_NODE_ROWS) + 1, count = ranking->lines.count + 1;
    struct waste_gatherer gatherer = {
        .waste = waste,
        .ranking = ranking,
        .lines = calloc(count, sizeof *gatherer.lines),
        .functions = calloc(nodes, sizeof *gatherer.functions),
        .called = calloc(nodes, sizeof *gatherer.called),
        .sites = calloc(nodes, sizeof *gatherer.sites),
        .roles = calloc(nodes, sizeof *gatherer.roles),
        .events = calloc(nodes, sizeof *gatherer.events),
        .positions = calloc(nodes, sizeof *gatherer.positions),
        .order = calloc(nodes, sizeof *gatherer.order),
        .loops = {.item_bytes = sizeof(struct waste_loop), .key_bytes = offsetof(struct waste_loop, position)},
        .loop_lines = {.item_bytes = sizeof(struct waste_loop_line),
                       .key_bytes = offsetof(struct waste_loop_line, loads)},
        .calls = {.item_bytes = sizeof(struct waste_calls), .key_bytes = offsetof(struct waste_calls, loads)},
        .bodies = {.item_bytes = sizeof(struct waste_body), .key_bytes = offsetof(struct waste_body, function)}};
    bool full = waste_find_own(waste, &gatherer.own) != 0 || !gatherer.lines || !gatherer.functions ||
                !gatherer.called || !gatherer.sites || !gatherer.roles || !gatherer.events || !gatherer.order ||
                !gatherer.positions;
    int error = full ? ENOMEM : waste_read_nodes(&gatherer);
    if (!error)
        waste_order_nodes(&gatherer);
    if (!error)
        error = waste_read_pairs(&gatherer, kind);
    if (!error)
        error = waste_gather_lines(&gatherer, kind);
    struct keyed *const sets[] = {&gatherer.loops, &gatherer.loop_lines, &gatherer.calls, &gatherer.bodies};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
        keyed_free(sets[s]);
    void *const arrays[] = {gatherer.own,    gatherer.functions, gatherer.called,    gatherer.sites,     gatherer.roles,
                            gatherer.events, gatherer.order,     gatherer.positions, gatherer.body_order};
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
        free(arrays[a]);
    *lines = gatherer.lines;
    return error;
}
