#include "analyze/waste/waste_ranking.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"

/* What becomes a ranking: the site of each node, and the totals of each run of the profile. */
struct ranker {
    struct waste *waste; /* new texts are added to it: names of functions */
    struct waste_ranking *ranking;
    uint32_t *own;        /* [node]: the innermost node of the program's own code, or the node itself */
    uint32_t *runs;       /* [run]: text */
    struct keyed sources; /* struct waste_source_bytes */
};

static uint64_t waste_larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

double waste_site_share(const struct waste_site *site, enum trace_waste kind)
{
    return site->events[kind] > 0 ? (double)site->wasted_events[kind] / (double)site->events[kind] : NAN;
}

/* Adds counts by kind: stores may be of two kinds, and so may loads. */
static uint64_t waste_sum_of_kinds(const uint64_t counts[WASTE_COUNT])
{
    return waste_larger(counts[WASTE_DEAD_STORE], counts[WASTE_SILENT_STORE]) +
           waste_larger(counts[WASTE_SILENT_LOAD], counts[WASTE_SPATIAL_LOAD]);
}

/* ------------------------------------------------------------------------------------------ sites -- */

size_t waste_function_length(const char *frame, struct waste_site *site)
{
    enum { NEAR_LINES = 10, NEAR_BYTES = 128 };
    size_t length = strlen(frame), end = length;
    while (end > 0 && isxdigit((unsigned char)frame[end - 1]))
        end--;
    if (end < length && end > 3 && memcmp(frame + end - 3, "@0x", 3) == 0) {
        site->position = strtoull(frame + end, NULL, 16);
        site->reach = NEAR_BYTES;
        return end - 3;
    }
    for (end = length; end > 0 && isdigit((unsigned char)frame[end - 1]);)
        end--;
    if (end == length || end < 2 || frame[end - 1] != ':')
        return length;
    site->position = strtoull(frame + end, NULL, 10);
    site->reach = NEAR_LINES;
    return end - 1;
}

static struct waste_site *waste_site_in(struct keyed *sites, uint32_t text, size_t run_count)
{
    const struct waste_site key = {.text = text, .function = FIELD_NONE, .index = (uint32_t)sites->count};
    uint32_t index = keyed_add(sites, &key);
    struct waste_site *site = index == KEYED_FULL ? NULL : keyed_at(sites, index);
    if (site && !site->samples) {
        site->samples = calloc(run_count + 1, sizeof *site->samples);
        site->gains = calloc(run_count + 1, sizeof *site->gains);
        site->bounds = calloc(run_count + 1, sizeof *site->bounds);
        site->helper_samples = calloc(run_count + 1, sizeof *site->helper_samples);
    }
    return site && site->samples && site->gains && site->bounds && site->helper_samples ? site : NULL;
}

/* The line that a node belongs to; NULL without memory. */
static struct waste_site *waste_line_of(struct ranker *ranker, uint32_t node)
{
    struct waste_ranking *ranking = ranker->ranking;
    char function[METHOD_NAME_MAX + 32];
    uint32_t text = waste_node_at(ranker->waste, ranker->own[node])->text;
    if (text == FIELD_NONE) /* node 0 */
        text = relations_text(&ranker->waste->relations, "[unknown]");
    struct waste_site *line = text == FIELD_NONE ? NULL : waste_site_in(&ranking->lines, text, ranking->run_count);
    if (!line || line->function != FIELD_NONE)
        return line;
    const char *frame = waste_text(ranker->waste, text);
    snprintf(function, sizeof function, "%.*s", (int)waste_function_length(frame, line), frame);
    text = relations_text(&ranker->waste->relations, function);
    struct waste_site *whole = text == FIELD_NONE ? NULL : waste_site_in(&ranking->functions, text, ranking->run_count);
    if (!whole)
        return NULL;
    line->function = whole->function = whole->index;
    return line;
}

/* Callers have smaller numbers than what they call. */
uint32_t *waste_own_nodes(const struct waste *waste)
{
    size_t count = waste_count(waste, WASTE_NODE_ROWS);
    uint32_t *own = calloc(count + 1, sizeof *own);
    for (uint32_t node = 1; own && node < count; node++) {
        const struct waste_node *row = waste_node_at(waste, node);
        uint32_t around = row->parent;
        bool around_is_own = around != 0 && !waste_node_at(waste, own[around])->is_runtime;
        own[node] = row->is_runtime && around_is_own ? own[around] : node;
    }
    return own;
}

/* What the accesses of one context wasted. */
struct waste_source_bytes {
    uint32_t line, node; /* the key: index, row */
    uint64_t bytes;
};

static int waste_rank_pairs(struct ranker *ranker, unsigned kind)
{
    for (size_t i = 0; i < waste_count(ranker->waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(ranker->waste, WASTE_PAIR_ROWS, i);
        if (kind != WASTE_COUNT && kind != pair->waste)
            continue;
        uint32_t node = pair->waste == WASTE_DEAD_STORE ? pair->first : pair->second;
        uint64_t bytes = pair->wasted[VALUES_PRECISE] + pair->wasted[VALUES_APPROXIMATE];
        struct waste_site *line = waste_line_of(ranker, node);
        if (!line)
            return ENOMEM;
        struct waste_site *const both[] = {line, keyed_at(&ranker->ranking->functions, line->function)};
        for (size_t p = 0; p < 2; p++) {
            both[p]->events[pair->waste] += pair->events;
            both[p]->wasted_events[pair->waste] += pair->wasted_events;
        }
        line->wasted_bytes[pair->waste] += bytes;
        const struct waste_source_bytes key = {.line = line->index, .node = node};
        uint32_t index = keyed_add(&ranker->sources, &key);
        if (index == KEYED_FULL)
            return ENOMEM;
        ((struct waste_source_bytes *)keyed_at(&ranker->sources, index))->bytes += bytes;
    }
    return 0;
}

/* The sums over kinds of a line, and over lines of a function; and the context that wasted most. */
static void waste_rank_sums(struct ranker *ranker)
{
    struct waste_ranking *ranking = ranker->ranking;
    for (size_t i = 0; i < ranking->lines.count; i++) {
        struct waste_site *line = keyed_at(&ranking->lines, i),
                          *function = keyed_at(&ranking->functions, line->function);
        uint64_t wasted = waste_sum_of_kinds(line->wasted_events);
        line->accesses = waste_sum_of_kinds(line->events);
        line->wasted_accesses = wasted < line->accesses ? wasted : line->accesses;
        line->bytes = waste_sum_of_kinds(line->wasted_bytes);
        function->accesses += line->accesses;
        function->wasted_accesses += line->wasted_accesses;
        function->bytes += line->bytes;
        ranking->accesses += line->accesses;
    }
    for (size_t i = 0; i < ranker->sources.count; i++) {
        const struct waste_source_bytes *source = keyed_at(&ranker->sources, i);
        struct waste_site *line = keyed_at(&ranking->lines, source->line);
        struct waste_site *const both[] = {line, keyed_at(&ranking->functions, line->function)};
        for (size_t p = 0; p < 2; p++) {
            bool more = both[p]->node == 0 || source->bytes > both[p]->node_bytes;
            if (more || (source->bytes == both[p]->node_bytes &&
                         waste_compare(ranker->waste, source->node, both[p]->node) < 0)) {
                both[p]->node = source->node;
                both[p]->node_bytes = source->bytes;
            }
        }
    }
}

/* The lines that call a function with accesses, also by way of functions without any. */
static int waste_rank_calls(struct ranker *ranker)
{
    for (size_t i = 0; i < ranker->sources.count; i++) {
        const struct waste_source_bytes *source = keyed_at(&ranker->sources, i);
        const struct waste_site *line = keyed_at(&ranker->ranking->lines, source->line), *function;
        struct waste_call call = {.function = line->function};
        uint32_t node = source->node;
        do {
            node = waste_node_at(ranker->waste, ranker->own[node])->parent;
            if (node == 0 || node == FIELD_NONE)
                break;
            line = waste_line_of(ranker, node);
            call.line = line ? line->index : 0;
            if (!line || keyed_add(&ranker->ranking->calls, &call) == KEYED_FULL)
                return ENOMEM;
            function = keyed_at(&ranker->ranking->functions, line->function);
        } while (function->accesses == 0);
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ time -- */

static int waste_compare_texts(const void *a, const void *b, void *user)
{
    const struct waste *waste = user;
    return strcmp(waste_text(waste, *(const uint32_t *)a), waste_text(waste, *(const uint32_t *)b));
}

/* Numbers the runs of the profile, by their ids. */
static int waste_rank_runs(struct ranker *ranker)
{
    struct waste_ranking *ranking = ranker->ranking;
    size_t count = waste_count(ranker->waste, WASTE_TIME_ROWS);
    ranker->runs = calloc(count + 1, sizeof *ranker->runs);
    ranking->run_samples = calloc(count + 1, sizeof *ranking->run_samples);
    ranking->shares = calloc(count + 1, sizeof *ranking->shares);
    if (!ranker->runs || !ranking->run_samples || !ranking->shares)
        return ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct waste_time *time = waste_row(ranker->waste, WASTE_TIME_ROWS, i);
        size_t run = 0;
        while (run < ranking->run_count && ranker->runs[run] != time->run)
            run++;
        if (run == ranking->run_count)
            ranker->runs[ranking->run_count++] = time->run;
    }
    qsort_r(ranker->runs, ranking->run_count, sizeof *ranker->runs, waste_compare_texts, ranker->waste);
    return 0;
}

static int waste_rank_times(struct ranker *ranker)
{
    struct waste_ranking *ranking = ranker->ranking;
    size_t run = 0;
    for (size_t i = 0; i < waste_count(ranker->waste, WASTE_TIME_ROWS); i++) {
        const struct waste_time *time = waste_row(ranker->waste, WASTE_TIME_ROWS, i);
        if (ranker->runs[run] != time->run)
            for (run = 0; ranker->runs[run] != time->run;)
                run++;
        struct waste_site *line = waste_line_of(ranker, time->node);
        if (!line)
            return ENOMEM;
        double samples = (double)time->samples;
        line->samples[run] += samples;
        ((struct waste_site *)keyed_at(&ranking->functions, line->function))->samples[run] += samples;
        ranking->run_samples[run] += samples;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ order -- */

struct order {
    const struct waste *waste;
    const struct keyed *sites;
};

static int waste_compare_sites(const void *a, const void *b, void *user)
{
    const struct order *order = user;
    const struct waste_site *x = keyed_at(order->sites, *(const uint32_t *)a),
                            *y = keyed_at(order->sites, *(const uint32_t *)b);
    double gain = isnan(x->gain.value) ? -1 : x->gain.value, other = isnan(y->gain.value) ? -1 : y->gain.value;
    if (gain != other)
        return gain > other ? -1 : 1;
    return x->bytes != y->bytes ? (x->bytes > y->bytes ? -1 : 1)
                                : strcmp(waste_text(order->waste, x->text), waste_text(order->waste, y->text));
}

/* Those that wasted anything. */
static int waste_order_sites(const struct ranker *ranker, const struct keyed *sites, uint32_t **by_rank, size_t *count)
{
    struct order order = {ranker->waste, sites};
    *by_rank = malloc((sites->count + 1) * sizeof **by_rank);
    if (!*by_rank)
        return ENOMEM;
    for (uint32_t i = 0; i < sites->count; i++) {
        struct waste_site *site = keyed_at(sites, i);
        site->fraction = ranker->ranking->bytes > 0 ? (double)site->bytes / (double)ranker->ranking->bytes : NAN;
        if (site->bytes > 0)
            (*by_rank)[(*count)++] = i;
    }
    qsort_r(*by_rank, *count, sizeof **by_rank, waste_compare_sites, &order);
    return 0;
}

/* All bytes loaded and stored; of a source without totals, where accesses were sampled, the bytes of its pairs. 0 or
 * ENOMEM. */
static int waste_sum_bytes(const struct waste *waste, uint64_t *bytes)
{
    size_t count = waste_count(waste, WASTE_SOURCE_ROWS);
    uint64_t *totals = calloc(count + 1, sizeof *totals), (*pairs)[WASTE_COUNT] = calloc(count + 1, sizeof *pairs);
    int error = totals && pairs ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < waste_count(waste, WASTE_TOTAL_ROWS); i++) {
        const struct waste_total *total = waste_row(waste, WASTE_TOTAL_ROWS, i);
        for (size_t access = 0; access < ACCESS_COUNT; access++)
            for (size_t values = 0; values < VALUES_COUNT; values++)
                totals[total->source] += total->bytes[access][values];
    }
    for (size_t i = 0; !error && i < waste_count(waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(waste, WASTE_PAIR_ROWS, i);
        pairs[pair->source][pair->waste] += pair->bytes;
    }
    *bytes = 0;
    for (size_t source = 0; !error && source < count; source++)
        *bytes += totals[source] ? totals[source] : waste_sum_of_kinds(pairs[source]);
    free(totals);
    free(pairs);
    return error;
}

int waste_rank(struct waste *waste, unsigned kind, const struct analysis_options *options,
               struct waste_ranking *ranking)
{
    const struct keyed empty = {.item_bytes = sizeof(struct waste_site), .key_bytes = sizeof(uint32_t)};
    *ranking = (struct waste_ranking){
        .lines = empty,
        .functions = empty,
        .calls = {.item_bytes = sizeof(struct waste_call), .key_bytes = sizeof(struct waste_call)}};
    struct ranker ranker = {.waste = waste,
                            .ranking = ranking,
                            .own = waste_own_nodes(waste),
                            .sources = {.item_bytes = sizeof(struct waste_source_bytes),
                                        .key_bytes = offsetof(struct waste_source_bytes, bytes)}};
    int error = ranker.own ? 0 : ENOMEM;
    if (!error)
        error = waste_sum_bytes(waste, &ranking->bytes);
    if (!error)
        error = waste_rank_runs(&ranker);
    if (!error)
        error = waste_rank_pairs(&ranker, kind);
    if (!error) {
        waste_rank_sums(&ranker);
        error = waste_rank_calls(&ranker);
    }
    if (!error)
        error = waste_rank_times(&ranker);
    if (!error)
        error = waste_rank_gains(ranking, options);
    if (!error)
        error = waste_order_sites(&ranker, &ranking->lines, &ranking->lines_by_rank, &ranking->line_count);
    if (!error)
        error = waste_order_sites(&ranker, &ranking->functions, &ranking->functions_by_rank, &ranking->function_count);
    free(ranker.own);
    free(ranker.runs);
    keyed_free(&ranker.sources);
    return error;
}

void waste_ranking_free(struct waste_ranking *ranking)
{
    struct keyed *const sets[] = {&ranking->lines, &ranking->functions};
    for (size_t s = 0; s < 2; s++) {
        for (size_t i = 0; i < sets[s]->count; i++) {
            const struct waste_site *site = keyed_at(sets[s], i);
            free(site->samples);
            free(site->gains);
            free(site->bounds);
            free(site->helper_samples);
        }
        keyed_free(sets[s]);
    }
    keyed_free(&ranking->calls);
    free(ranking->run_samples);
    free(ranking->shares);
    free(ranking->lines_by_rank);
    free(ranking->functions_by_rank);
}
