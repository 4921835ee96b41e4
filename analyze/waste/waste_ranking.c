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
    uint32_t *own;      /* [node]: the innermost node of the program's own code, or the node itself */
    uint32_t *runs;     /* [run]: text */
    uint64_t *run_time; /* [run]: samples */
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

uint64_t waste_site_accesses(const struct waste_site *site)
{
    return waste_sum_of_kinds(site->events);
}

uint64_t waste_site_bytes(const struct waste_site *site)
{
    return waste_sum_of_kinds(site->wasted_bytes);
}

double waste_site_wasted(const struct waste_site *site)
{
    uint64_t accesses = waste_site_accesses(site);
    return accesses > 0 ? (double)waste_sum_of_kinds(site->wasted_events) / (double)accesses : NAN;
}

/* ------------------------------------------------------------------------------------------ sites -- */

/* The length of "f" in "f:30" and "f@0x11d3"; the line or address, and how far others may be to be near it. */
static size_t waste_function_length(const char *frame, struct waste_site *site)
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
    if (site && !site->times) {
        site->times = calloc(run_count + 1, sizeof *site->times);
        site->gains = calloc(run_count + 1, sizeof *site->gains);
        site->bounds = calloc(run_count + 1, sizeof *site->bounds);
        site->helper_times = calloc(run_count + 1, sizeof *site->helper_times);
    }
    return site && site->times && site->gains && site->bounds && site->helper_times ? site : NULL;
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
static int waste_find_own(struct ranker *ranker)
{
    size_t count = waste_count(ranker->waste, WASTE_NODE_ROWS);
    ranker->own = calloc(count + 1, sizeof *ranker->own);
    if (!ranker->own)
        return ENOMEM;
    for (uint32_t node = 1; node < count; node++) {
        const struct waste_node *row = waste_node_at(ranker->waste, node);
        uint32_t around = row->parent;
        bool around_is_own = around != 0 && !waste_node_at(ranker->waste, ranker->own[around])->is_runtime;
        ranker->own[node] = row->is_runtime && around_is_own ? ranker->own[around] : node;
    }
    return 0;
}

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
            both[p]->wasted_bytes[pair->waste] += bytes;
            if (bytes > both[p]->node_bytes) {
                both[p]->node = node;
                both[p]->node_bytes = bytes;
            }
        }
    }
    return 0;
}

/* The lines that call a function with accesses, also by way of functions without any. */
static int waste_rank_calls(struct ranker *ranker, unsigned kind)
{
    for (size_t i = 0; i < waste_count(ranker->waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(ranker->waste, WASTE_PAIR_ROWS, i);
        uint32_t node = pair->waste == WASTE_DEAD_STORE ? pair->first : pair->second;
        struct waste_site *line = waste_line_of(ranker, node), *function;
        if (!line)
            return ENOMEM;
        struct waste_call call = {.function = line->function};
        do {
            uint32_t around = waste_node_at(ranker->waste, ranker->own[node])->parent;
            if (around == 0 || around == FIELD_NONE || (kind != WASTE_COUNT && kind != pair->waste))
                break;
            node = around;
            line = waste_line_of(ranker, node);
            call.line = line ? line->index : 0;
            if (!line || keyed_add(&ranker->ranking->calls, &call) == KEYED_FULL)
                return ENOMEM;
            function = keyed_at(&ranker->ranking->functions, line->function);
        } while (waste_site_accesses(function) == 0);
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ time -- */

/* Numbers the runs of the profile. */
static int waste_rank_runs(struct ranker *ranker)
{
    size_t count = waste_count(ranker->waste, WASTE_TIME_ROWS), *run_count = &ranker->ranking->run_count;
    ranker->runs = calloc(count + 1, sizeof *ranker->runs);
    ranker->run_time = calloc(count + 1, sizeof *ranker->run_time);
    if (!ranker->runs || !ranker->run_time)
        return ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct waste_time *time = waste_row(ranker->waste, WASTE_TIME_ROWS, i);
        size_t run = 0;
        while (run < *run_count && ranker->runs[run] != time->run)
            run++;
        if (run == *run_count)
            ranker->runs[(*run_count)++] = time->run;
        ranker->run_time[run] += time->samples;
    }
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
        double share = (double)time->samples / (double)ranker->run_time[run];
        line->times[run] += share;
        ((struct waste_site *)keyed_at(&ranking->functions, line->function))->times[run] += share;
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
    if (!isnan(x->gain.value) && x->gain.value != y->gain.value)
        return x->gain.value > y->gain.value ? -1 : 1;
    uint64_t bytes = waste_site_bytes(x), other = waste_site_bytes(y);
    return bytes != other ? (bytes > other ? -1 : 1)
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
        site->fraction =
            ranker->ranking->bytes > 0 ? (double)waste_site_bytes(site) / (double)ranker->ranking->bytes : NAN;
        if (waste_site_bytes(site) > 0)
            (*by_rank)[(*count)++] = i;
    }
    qsort_r(*by_rank, *count, sizeof **by_rank, waste_compare_sites, &order);
    return 0;
}

/* All bytes loaded and stored. A trace of sampled accesses has no totals: there it is the bytes of the pairs. */
static uint64_t waste_all_bytes(const struct waste *waste)
{
    uint64_t bytes = 0, pairs[WASTE_COUNT] = {0};
    for (size_t i = 0; i < waste_count(waste, WASTE_TOTAL_ROWS); i++) {
        const struct waste_total *total = waste_row(waste, WASTE_TOTAL_ROWS, i);
        for (size_t access = 0; access < ACCESS_COUNT; access++)
            for (size_t values = 0; values < VALUES_COUNT; values++)
                bytes += total->bytes[access][values];
    }
    for (size_t i = 0; bytes == 0 && i < waste_count(waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(waste, WASTE_PAIR_ROWS, i);
        pairs[pair->waste] += pair->bytes;
    }
    return bytes ? bytes
                 : waste_larger(pairs[WASTE_DEAD_STORE], pairs[WASTE_SILENT_STORE]) +
                       waste_larger(pairs[WASTE_SILENT_LOAD], pairs[WASTE_SPATIAL_LOAD]);
}

int waste_rank(struct waste *waste, unsigned kind, const struct analysis_options *options,
               struct waste_ranking *ranking)
{
    const struct keyed empty = {.item_bytes = sizeof(struct waste_site), .key_bytes = sizeof(uint32_t)};
    *ranking = (struct waste_ranking){
        .lines = empty,
        .functions = empty,
        .calls = {.item_bytes = sizeof(struct waste_call), .key_bytes = sizeof(struct waste_call)},
        .bytes = waste_all_bytes(waste)};
    struct ranker ranker = {.waste = waste, .ranking = ranking};
    int error = waste_find_own(&ranker);
    if (!error)
        error = waste_rank_runs(&ranker);
    if (!error)
        error = waste_rank_pairs(&ranker, kind);
    if (!error)
        error = waste_rank_calls(&ranker, kind);
    if (!error)
        error = waste_rank_times(&ranker);
    ranking->samples = error ? 0 : ranker.run_time[0];
    if (!error)
        error = waste_rank_gains(ranking, options);
    if (!error)
        error = waste_order_sites(&ranker, &ranking->lines, &ranking->lines_by_rank, &ranking->line_count);
    if (!error)
        error = waste_order_sites(&ranker, &ranking->functions, &ranking->functions_by_rank, &ranking->function_count);
    free(ranker.own);
    free(ranker.runs);
    free(ranker.run_time);
    return error;
}

void waste_ranking_free(struct waste_ranking *ranking)
{
    struct keyed *const sets[] = {&ranking->lines, &ranking->functions};
    for (size_t s = 0; s < 2; s++) {
        for (size_t i = 0; i < sets[s]->count; i++) {
            const struct waste_site *site = keyed_at(sets[s], i);
            free(site->times);
            free(site->gains);
            free(site->bounds);
            free(site->helper_times);
        }
        keyed_free(sets[s]);
    }
    keyed_free(&ranking->calls);
    free(ranking->lines_by_rank);
    free(ranking->functions_by_rank);
}
