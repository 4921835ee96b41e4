#include "analyze/waste/waste_facts.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"

/* "All" of the accesses of a call: a few may be the first of their location in an iteration. */
static const double MOST_LOADS = 0.9;

/* A loop that some pair has as its scope. */
struct waste_loop {
    uint32_t function, line; /* the key: texts */
    uint64_t position;
};

/* The accesses of a line itself, without those of what it calls, that follow others in the last iteration of a loop. */
struct waste_loop_line {
    uint32_t node, scope; /* the key: of the line; text */
    uint64_t loads, stores, exact, close;
};

/* Whether a loop of a function, after a position, contains a line. */
struct waste_inner {
    uint32_t line, function; /* the key: index, text; */
    uint64_t from;           /* and position */
    bool known;
};

/* The loads of a line in one context of its function, and those that another call has just loaded. */
struct waste_calls {
    uint32_t line, around; /* the key: index, node */
    uint64_t loads, repeated;
};

struct waste_gatherer {
    struct waste *waste;
    const struct waste_ranking *ranking;
    struct waste_line_facts *lines;
    uint32_t *own, *functions, *called; /* [node]: own as in a ranking; text of the function; library function or 0 */
    uint32_t *sites;                    /* [node]: index of the line of an own node, KEYED_FULL: none */
    enum waste_role *roles;             /* [node]: of library functions */
    uint64_t (*events)[WASTE_COUNT];    /* [node]: of this frame alone */
    struct keyed loops, loop_lines, calls, inner;
    const struct waste_site **order; /* lines by function and position */
    size_t *first;                   /* [function]: index of its first line in the order; one more at the end */
};

/* Where the loop of a pair is, seen from the access that belongs to a line. */
enum waste_loop_site { WASTE_SPAN_UNKNOWN, WASTE_SPAN_NONE, WASTE_SPAN_LIBRARY, WASTE_SPAN_OWN, WASTE_SPAN_CALLER };
struct waste_span {
    enum waste_loop_site where;
    uint32_t at;  /* the node of the frame that contains the loop */
    bool many;    /* the line runs WASTE_MANY times or more in an iteration */
    bool few;     /* it is known to run less often */
    double times; /* NaN: unknown */
};

static uint32_t waste_parent(const struct waste_gatherer *gatherer, uint32_t node)
{
    return waste_node_at(gatherer->waste, node)->parent;
}

static uint64_t waste_most_events(const uint64_t events[WASTE_COUNT])
{
    uint64_t most = 0;
    for (size_t kind = 0; kind < WASTE_COUNT; kind++)
        most = events[kind] > most ? events[kind] : most;
    return most;
}

/* ------------------------------------------------------------------------------------------ loops -- */

/* The most accesses of a line from the head of a loop to before the line. */
static uint64_t waste_events_between(const struct waste_gatherer *gatherer, const struct waste_site *line,
                                     uint64_t from)
{
    uint64_t most = 0;
    for (size_t i = gatherer->first[line->function]; i < gatherer->first[line->function + 1]; i++) {
        const struct waste_site *other = gatherer->order[i];
        bool between = other->reach == line->reach && other->position >= from && other->position < line->position;
        uint64_t events = between ? waste_most_events(other->events) : 0;
        most = events > most ? events : most;
    }
    return most;
}

/* Some pair has the loop as its scope, and no line after its head runs so much more often than this one that the loop
 * must have ended before it. */
static bool waste_find_inner_loop(const struct waste_gatherer *gatherer, const struct waste_site *line,
                                  uint32_t function, uint64_t from)
{
    uint64_t own = waste_most_events(line->events);
    for (size_t i = 0; i < gatherer->loops.count; i++) {
        const struct waste_loop *loop = keyed_at(&gatherer->loops, i);
        if (loop->function == function && loop->position > from && loop->position <= line->position &&
            waste_events_between(gatherer, line, loop->position) / WASTE_MANY < own)
            return true;
    }
    return false;
}

/* Whether a loop of the function after `from` contains the line. */
static bool waste_has_inner_loop(struct waste_gatherer *gatherer, const struct waste_site *line, uint32_t function,
                                 uint64_t from)
{
    const struct waste_inner key = {.line = line->index, .function = function, .from = from};
    size_t count = gatherer->inner.count;
    uint32_t index = keyed_add(&gatherer->inner, &key);
    if (index == KEYED_FULL) /* without memory: once more */
        return waste_find_inner_loop(gatherer, line, function, from);
    struct waste_inner *inner = keyed_at(&gatherer->inner, index);
    if (gatherer->inner.count > count)
        inner->known = waste_find_inner_loop(gatherer, line, function, from);
    return inner->known;
}

/* How often the line runs in an iteration of the loop. */
static void waste_count_runs(struct waste_gatherer *gatherer, uint32_t node, const struct waste_site *line,
                             const struct waste_loop *loop, struct waste_span *span)
{
    uint64_t here = waste_most_events(gatherer->events[node]), there;
    bool inner;
    if (span->where == WASTE_SPAN_CALLER) {
        there = waste_most_events(gatherer->events[span->at]);
        inner = waste_has_inner_loop(gatherer, line, gatherer->functions[gatherer->own[node]], 0);
    } else {
        there = node == gatherer->own[node] ? waste_events_between(gatherer, line, loop->position)
                                            : waste_most_events(gatherer->events[gatherer->own[node]]);
        inner = waste_has_inner_loop(gatherer, line, loop->function, loop->position);
    }
    if (there > 0)
        span->times = (double)here / (double)there;
    span->many =
        there > 0 && span->where == WASTE_SPAN_CALLER ? span->times >= WASTE_MANY : inner || span->times >= WASTE_MANY;
    span->few = !span->many && (there > 0 || span->where == WASTE_SPAN_OWN);
}

/* The frame of the path whose function contains the loop: the innermost one of that name. */
static struct waste_span waste_locate_loop(struct waste_gatherer *gatherer, const struct waste_pair *pair,
                                           uint32_t node, const struct waste_site *line)
{
    struct waste_span span = {.where = WASTE_SPAN_NONE, .times = NAN};
    if (pair->traps > 0)
        span.where = WASTE_SPAN_UNKNOWN;
    if (pair->traps > 0 || pair->scope == 0)
        return span;
    const struct waste_loop key = {.function = gatherer->functions[pair->scope],
                                   .line = waste_node_at(gatherer->waste, pair->scope)->text};
    bool library = node != gatherer->own[node];
    span.where = WASTE_SPAN_UNKNOWN;
    for (span.at = node; span.at && gatherer->functions[span.at] != key.function;) {
        library &= span.at != gatherer->own[node];
        span.at = waste_parent(gatherer, span.at);
    }
    if (!span.at)
        return span;
    span.where = span.at == gatherer->own[node] ? WASTE_SPAN_OWN : library ? WASTE_SPAN_LIBRARY : WASTE_SPAN_CALLER;
    if (span.where != WASTE_SPAN_LIBRARY)
        waste_count_runs(gatherer, node, line, keyed_at(&gatherer->loops, keyed_find(&gatherer->loops, &key)), &span);
    return span;
}

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
                                   const struct waste_witness *witness)
{
    if (pair->wasted_events != witness->accesses)
        return pair->wasted_events > witness->accesses;
    int order = waste_compare(gatherer->waste, pair->first, witness->first);
    if (order == 0)
        order = waste_compare(gatherer->waste, pair->second, witness->second);
    return order ? order < 0 : waste_compare(gatherer->waste, pair->scope, witness->scope) < 0;
}

static void waste_count_fact(const struct waste_gatherer *gatherer, const struct waste_pair *pair, uint32_t node,
                             const struct waste_span *span, enum waste_fact fact, uint64_t accesses)
{
    struct waste_line_facts *line = &gatherer->lines[gatherer->sites[gatherer->own[node]]];
    if (accesses == 0)
        return;
    line->facts.counts[fact] += accesses;
    if (waste_is_first_witness(gatherer, pair, &line->witnesses[fact]))
        line->witnesses[fact] = (struct waste_witness){pair->first,
                                                       pair->second,
                                                       pair->scope,
                                                       gatherer->called[node],
                                                       span->where == WASTE_SPAN_CALLER ? span->at : 0,
                                                       pair->wasted_events,
                                                       span->times};
}

/* A silent load that none of the library's names explains. */
static enum waste_fact waste_load_fact(const struct waste_gatherer *gatherer, const struct waste_pair *pair,
                                       uint32_t node, const struct waste_span *span)
{
    uint32_t own = gatherer->own[node], partner = gatherer->own[pair->first];
    bool library = node != own, near = waste_encloses(gatherer, own, partner) || waste_encloses(gatherer, partner, own);
    switch (span->where) {
    case WASTE_SPAN_NONE:
        if (library)
            return WASTE_FACTS;
        return near || waste_is_recursive(gatherer, own) ? WASTE_FACT_LOAD_SAME : WASTE_FACT_LOAD_CALL;
    case WASTE_SPAN_OWN:
    case WASTE_SPAN_CALLER:
        if ((library || span->where == WASTE_SPAN_CALLER) &&
            waste_repeats_result(gatherer, span->at, waste_node_at(gatherer->waste, pair->scope)->text))
            return WASTE_FACT_LOAD_RESULT;
        if (span->many)
            return waste_is_lookup_name(waste_text(gatherer->waste, gatherer->functions[own])) ? WASTE_FACT_LOOKUP
                                                                                               : WASTE_FACT_LOAD_AGAIN;
        return span->few && !library ? WASTE_FACT_LOAD_NEXT : WASTE_FACTS;
    default:
        return WASTE_FACTS;
    }
}

static enum waste_fact waste_dead_fact(const struct waste_gatherer *gatherer, uint32_t node,
                                       const struct waste_span *span)
{
    if (node != gatherer->own[node])
        return WASTE_FACTS;
    switch (span->where) {
    case WASTE_SPAN_NONE:
        return WASTE_FACT_DEAD_SAME;
    case WASTE_SPAN_OWN:
        return span->many ? WASTE_FACT_DEAD_AGAIN : WASTE_FACT_DEAD_NEXT;
    case WASTE_SPAN_CALLER:
        return WASTE_FACT_DEAD_AGAIN;
    default:
        return WASTE_FACTS;
    }
}

/* By the name of the library function that made the access. */
static enum waste_fact waste_role_fact(const struct waste_gatherer *gatherer, const struct waste_pair *pair,
                                       uint32_t node)
{
    bool load = waste_access(pair->waste) == ACCESS_LOAD, dead = pair->waste == WASTE_DEAD_STORE;
    uint64_t here = waste_most_events(gatherer->events[node]),
             calls = waste_most_events(gatherer->events[gatherer->own[node]]);
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
static enum waste_fact waste_pair_fact(const struct waste_gatherer *gatherer, const struct waste_pair *pair,
                                       uint32_t node, const struct waste_span *span)
{
    if (pair->waste == WASTE_SPATIAL_LOAD)
        return WASTE_FACT_NEIGHBOUR;
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

/* Not if the context is unknown. */
static bool waste_is_classified(const struct waste_gatherer *gatherer, const struct waste_pair *pair)
{
    uint32_t node = waste_pair_node(pair);
    return node != 0 && gatherer->sites[gatherer->own[node]] != KEYED_FULL;
}

static struct waste_span waste_pair_span(struct waste_gatherer *gatherer, const struct waste_pair *pair)
{
    uint32_t node = waste_pair_node(pair), line = gatherer->sites[gatherer->own[node]];
    return waste_locate_loop(gatherer, pair, node, keyed_at(&gatherer->ranking->lines, line));
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
    struct waste_span span = waste_pair_span(gatherer, pair);
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
    struct waste_span span = waste_pair_span(gatherer, pair);
    enum waste_fact fact = waste_pair_fact(gatherer, pair, node, &span);
    uint64_t events = pair->wasted_events, bytes = pair->wasted[VALUES_PRECISE] + pair->wasted[VALUES_APPROXIMATE];
    if (fact == WASTE_FACT_LOAD_CALL) {
        const struct waste_calls *calls = waste_calls_of(gatherer, node);
        if (!calls)
            return ENOMEM;
        if ((double)calls->repeated < MOST_LOADS * (double)calls->loads)
            fact = WASTE_FACTS;
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
        struct waste_site site = {0};
        snprintf(function, sizeof function, "%.*s", (int)waste_function_length(frame, &site), frame);
        gatherer->functions[node] = relations_text(&waste->relations, function);
        if (gatherer->functions[node] == FIELD_NONE)
            return ENOMEM;
        gatherer->sites[node] = keyed_find(&gatherer->ranking->lines, &row->text);
        if (own == node)
            continue;
        gatherer->called[node] = around == own ? node : gatherer->called[around];
        gatherer->roles[node] = gatherer->roles[around];
        if (gatherer->roles[node] == WASTE_ROLE_NONE)
            gatherer->roles[node] = waste_role_of(function);
    }
    return 0;
}

/* Loops, and accesses of single frames. */
static int waste_read_pairs(struct waste_gatherer *gatherer, unsigned kind)
{
    const struct waste *waste = gatherer->waste;
    for (size_t i = 0; i < waste_count(waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(waste, WASTE_PAIR_ROWS, i);
        uint32_t node = waste_pair_node(pair);
        if (kind == WASTE_COUNT || kind == pair->waste)
            gatherer->events[node][pair->waste] += pair->events;
        if (pair->scope == 0)
            continue;
        struct waste_site site = {0};
        uint32_t text = waste_node_at(waste, pair->scope)->text;
        waste_function_length(waste_text(waste, text), &site);
        const struct waste_loop loop = {gatherer->functions[pair->scope], text, site.position};
        if (keyed_add(&gatherer->loops, &loop) == KEYED_FULL)
            return ENOMEM;
        const struct waste_loop_line key = {.node = node, .scope = text};
        uint32_t index = node == gatherer->own[node] && pair->waste != WASTE_DEAD_STORE
                             ? keyed_add(&gatherer->loop_lines, &key)
                             : KEYED_FULL;
        if (index == KEYED_FULL)
            continue;
        struct waste_loop_line *line = keyed_at(&gatherer->loop_lines, index);
        uint64_t bytes = pair->wasted[VALUES_PRECISE] + pair->wasted[VALUES_APPROXIMATE];
        if (pair->waste == WASTE_SILENT_STORE) {
            line->stores += pair->events;
            bool precise = bytes > 0 && pair->wasted[VALUES_APPROXIMATE] == 0;
            line->exact += precise ? pair->wasted_events : 0;
            line->close += precise ? 0 : pair->wasted_events;
        } else {
            line->loads += pair->events;
        }
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ lines -- */

static int waste_compare_lines(const void *a, const void *b)
{
    const struct waste_site *x = *(struct waste_site *const *)a, *y = *(struct waste_site *const *)b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static void waste_order_lines(struct waste_gatherer *gatherer)
{
    const struct waste_ranking *ranking = gatherer->ranking;
    size_t count = ranking->lines.count;
    for (size_t i = 0; i < count; i++)
        gatherer->order[i] = keyed_at(&ranking->lines, i);
    qsort(gatherer->order, count, sizeof(struct waste_site *), waste_compare_lines);
    for (size_t i = 0; i < count; i++)
        gatherer->first[gatherer->order[i]->function + 1] = i + 1;
    for (size_t f = 1; f <= ranking->functions.count; f++)
        if (gatherer->first[f] < gatherer->first[f - 1])
            gatherer->first[f] = gatherer->first[f - 1];
}

static void waste_sum_line(const struct waste_site *site, struct waste_facts *facts)
{
    const uint64_t *events = site->events;
    bool dead = events[WASTE_DEAD_STORE] > events[WASTE_SILENT_STORE],
         spatial = events[WASTE_SPATIAL_LOAD] > events[WASTE_SILENT_LOAD];
    facts->loads = events[spatial ? WASTE_SPATIAL_LOAD : WASTE_SILENT_LOAD];
    facts->stores = events[dead ? WASTE_DEAD_STORE : WASTE_SILENT_STORE];
    facts->wasted = site->wasted_accesses;
}

/* A function that loads little of what others have loaded is not called needlessly. */
static void waste_check_calls(struct waste_gatherer *gatherer)
{
    const struct waste_ranking *ranking = gatherer->ranking;
    for (size_t f = 0; f < ranking->functions.count; f++) {
        uint64_t loads = 0, repeated = 0;
        for (size_t i = gatherer->first[f]; i < gatherer->first[f + 1]; i++) {
            const struct waste_facts *facts = &gatherer->lines[gatherer->order[i]->index].facts;
            loads += facts->loads;
            repeated += facts->counts[WASTE_FACT_LOAD_CALL];
        }
        for (size_t i = gatherer->first[f]; repeated < loads / 4 && i < gatherer->first[f + 1]; i++)
            gatherer->lines[gatherer->order[i]->index].facts.counts[WASTE_FACT_LOAD_CALL] = 0;
    }
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
    waste_check_calls(gatherer);
    return error;
}

int waste_gather_facts(struct waste *waste, const struct waste_ranking *ranking, unsigned kind,
                       struct waste_line_facts **lines)
{
    size_t nodes = waste_count(waste, WASTE_NODE_ROWS) + 1, count = ranking->lines.count + 1;
    struct waste_gatherer gatherer = {
        .waste = waste,
        .ranking = ranking,
        .lines = calloc(count, sizeof *gatherer.lines),
        .own = waste_own_nodes(waste),
        .functions = calloc(nodes, sizeof *gatherer.functions),
        .called = calloc(nodes, sizeof *gatherer.called),
        .sites = calloc(nodes, sizeof *gatherer.sites),
        .roles = calloc(nodes, sizeof *gatherer.roles),
        .events = calloc(nodes, sizeof *gatherer.events),
        .order = calloc(count, sizeof *gatherer.order),
        .first = calloc(ranking->functions.count + 2, sizeof *gatherer.first),
        .loops = {.item_bytes = sizeof(struct waste_loop), .key_bytes = offsetof(struct waste_loop, position)},
        .loop_lines = {.item_bytes = sizeof(struct waste_loop_line),
                       .key_bytes = offsetof(struct waste_loop_line, loads)},
        .calls = {.item_bytes = sizeof(struct waste_calls), .key_bytes = offsetof(struct waste_calls, loads)},
        .inner = {.item_bytes = sizeof(struct waste_inner), .key_bytes = offsetof(struct waste_inner, known)}};
    bool full = !gatherer.lines || !gatherer.own || !gatherer.functions || !gatherer.called || !gatherer.sites ||
                !gatherer.roles || !gatherer.events || !gatherer.order || !gatherer.first;
    int error = full ? ENOMEM : waste_read_nodes(&gatherer);
    if (!error)
        waste_order_lines(&gatherer);
    if (!error)
        error = waste_read_pairs(&gatherer, kind);
    if (!error)
        error = waste_gather_lines(&gatherer, kind);
    struct keyed *const sets[] = {&gatherer.loops, &gatherer.loop_lines, &gatherer.calls, &gatherer.inner};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
        keyed_free(sets[s]);
    void *const arrays[] = {gatherer.own,   gatherer.functions, gatherer.called, gatherer.sites,
                            gatherer.roles, gatherer.events,    gatherer.order,  gatherer.first};
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
        free(arrays[a]);
    *lines = gatherer.lines;
    return error;
}
