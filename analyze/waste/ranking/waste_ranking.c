#include "analyze/waste/ranking/waste_ranking.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names/method_name.h"
#include "analyze/waste/sums/waste_traffic.h"

/* What becomes a ranking: the site of each node, and the totals of each run of the profile. */
struct ranker {
    struct waste *waste; /* new texts are added to it: names of functions */
    struct waste_ranking *ranking;
    uint32_t *own;              /* [node]: the innermost node of the program's own code, or the node itself */
    uint32_t *runs;             /* [run]: text */
    struct keyed sources;       /* struct waste_source_bytes */
    struct waste_groups groups; /* one, of all runs */
    unsigned kind;              /* only this one; WASTE_COUNT: all */
};

double waste_site_share(const struct waste_site *site, enum trace_waste kind)
{
    return site->events[kind] > 0 ? (double)site->wasted_events[kind] / (double)site->events[kind] : NAN;
}

/* ------------------------------------------------------------------------------------------ sites -- */

size_t waste_frame_split(const char *frame, uint64_t *position, uint64_t *reach)
{
    enum { NEAR_LINES = 10 };
    size_t length = strlen(frame), end = length;
    *position = *reach = 0;
    while (end > 0 && isxdigit((unsigned char)frame[end - 1]))
        end--;
    if (end < length && end > 3 && memcmp(frame + end - 3, "@0x", 3) == 0) {
        *position = strtoull(frame + end, NULL, 16);
        *reach = WASTE_NEAR_BYTES;
        return end - 3;
    }
    for (end = length; end > 0 && isdigit((unsigned char)frame[end - 1]);)
        end--;
    if (end == length || end < 2 || frame[end - 1] != ':')
        return length;
    *position = strtoull(frame + end, NULL, 10);
    *reach = NEAR_LINES;
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
    snprintf(function, sizeof function, "%.*s", (int)waste_frame_split(frame, &line->position, &line->reach), frame);
    text = relations_text(&ranker->waste->relations, function);
    struct waste_site *whole = text == FIELD_NONE ? NULL : waste_site_in(&ranking->functions, text, ranking->run_count);
    if (!whole)
        return NULL;
    line->function = whole->function = whole->index;
    return line;
}

/* Callers have smaller numbers than what they call. */
int waste_find_own(const struct waste *waste, uint32_t **own)
{
    size_t count = waste_count(waste, WASTE_NODE_ROWS);
    uint32_t *found = *own = calloc(count + 1, sizeof *found);
    if (!found)
        return ENOMEM;
    for (uint32_t node = 1; node < count; node++) {
        const struct waste_node *row = waste_node_at(waste, node);
        uint32_t around = row->parent;
        bool around_is_own = around != 0 && !waste_node_at(waste, found[around])->is_runtime;
        found[node] = row->is_runtime && around_is_own ? found[around] : node;
    }
    return 0;
}

/* What the accesses of one context wasted. */
struct waste_source_bytes {
    uint32_t line, node; /* the key: index, row */
    uint64_t bytes;
};

/* The wasted bytes of a site in each run, by kind; NULL without memory. */
static uint64_t *waste_site_runs(const struct ranker *ranker, struct waste_site *site)
{
    if (!site->wasted_runs)
        site->wasted_runs = calloc((ranker->ranking->traffic.run_count + 1) * WASTE_COUNT, sizeof *site->wasted_runs);
    return site->wasted_runs;
}

static int waste_rank_pairs(struct ranker *ranker)
{
    for (size_t i = 0; i < waste_count(ranker->waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(ranker->waste, WASTE_PAIR_ROWS, i);
        if (ranker->kind != WASTE_COUNT && ranker->kind != pair->waste)
            continue;
        uint32_t node = pair->waste == WASTE_DEAD_STORE ? pair->first : pair->second;
        uint64_t bytes = pair->wasted[VALUES_PRECISE] + pair->wasted[VALUES_APPROXIMATE];
        struct waste_site *line = waste_line_of(ranker, node);
        uint64_t *runs = line ? waste_site_runs(ranker, line) : NULL;
        if (!runs)
            return ENOMEM;
        struct waste_site *const both[] = {line, keyed_at(&ranker->ranking->functions, line->function)};
        runs[ranker->groups.items[0].run_of[pair->source] * WASTE_COUNT + pair->waste] += bytes;
        for (size_t p = 0; p < 2; p++) {
            both[p]->events[pair->waste] += pair->events;
            both[p]->wasted_events[pair->waste] += pair->wasted_events;
        }
        line->wasted_bytes[pair->waste] += bytes;
        both[1]->wasted_bytes[pair->waste] += bytes;
        const struct waste_source_bytes key = {.line = line->index, .node = node};
        uint32_t index = keyed_add(&ranker->sources, &key);
        if (index == KEYED_FULL)
            return ENOMEM;
        ((struct waste_source_bytes *)keyed_at(&ranker->sources, index))->bytes += bytes;
    }
    return 0;
}

/* The share of all bytes loaded and stored: of stores that of the larger kind, and likewise of loads. Kinds may have
 * been recorded in different runs. */
static void waste_set_traffic_share(const struct ranker *ranker, struct waste_site *line)
{
    double kinds[WASTE_COUNT], shares[ACCESS_COUNT] = {NAN, NAN};
    line->traffic_share = NAN;
    if (!line->wasted_runs)
        return;
    for (unsigned kind = 0; kind < WASTE_COUNT; kind++)
        kinds[kind] = ranker->kind == WASTE_COUNT || ranker->kind == kind
                          ? waste_traffic_share(&ranker->ranking->traffic, UINT32_C(1) << kind,
                                                line->wasted_runs + kind, WASTE_COUNT)
                          : NAN;
    if (!isnan(kinds[WASTE_ADJACENT_LOAD]) && !isnan(kinds[WASTE_SILENT_LOAD])) /* no load is both */
        kinds[WASTE_SILENT_LOAD] += kinds[WASTE_ADJACENT_LOAD];
    for (unsigned kind = 0; kind < WASTE_COUNT; kind++)
        shares[waste_access(kind)] = fmax(shares[waste_access(kind)], kinds[kind]); /* which ignores NaN */
    for (unsigned access = 0; access < ACCESS_COUNT; access++)
        if (!isnan(shares[access]))
            line->traffic_share = isnan(line->traffic_share) ? shares[access] : line->traffic_share + shares[access];
}

/* Adds up the shares of lines for their functions. */
static void waste_rank_shares(struct ranker *ranker)
{
    for (size_t i = 0; i < ranker->ranking->functions.count; i++)
        ((struct waste_site *)keyed_at(&ranker->ranking->functions, i))->traffic_share = NAN;
    for (size_t i = 0; i < ranker->ranking->lines.count; i++) {
        struct waste_site *line = keyed_at(&ranker->ranking->lines, i);
        struct waste_site *function = keyed_at(&ranker->ranking->functions, line->function);
        waste_set_traffic_share(ranker, line);
        if (!isnan(line->traffic_share))
            function->traffic_share =
                isnan(function->traffic_share) ? line->traffic_share : function->traffic_share + line->traffic_share;
    }
}

/* The sums over kinds of a line, and over lines of a function; and the context that wasted most. */
static void waste_rank_sums(struct ranker *ranker)
{
    struct waste_ranking *ranking = ranker->ranking;
    for (size_t i = 0; i < ranking->lines.count; i++) {
        struct waste_site *line = keyed_at(&ranking->lines, i),
                          *function = keyed_at(&ranking->functions, line->function);
        uint64_t wasted = waste_sum_wasted(line->wasted_events);
        line->accesses = waste_sum_of_kinds(line->events);
        line->wasted_accesses = wasted < line->accesses ? wasted : line->accesses;
        line->bytes = waste_sum_wasted(line->wasted_bytes);
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
        if (run == ranking->run_count && time->samples > 0) /* shares of no samples say nothing */
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
        if (time->samples == 0)
            continue;
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
    double share = isnan(x->traffic_share) ? -1 : x->traffic_share,
           other_share = isnan(y->traffic_share) ? -1 : y->traffic_share;
    return share != other_share ? (share > other_share ? -1 : 1)
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
        const struct waste_site *site = keyed_at(sites, i);
        if (site->bytes > 0)
            (*by_rank)[(*count)++] = i;
    }
    qsort_r(*by_rank, *count, sizeof **by_rank, waste_compare_sites, &order);
    return 0;
}

/* Links the lines of each function by rank. */
static int waste_link_lines(struct waste_ranking *ranking)
{
    ranking->first_ranks = malloc((ranking->functions.count + 1) * sizeof *ranking->first_ranks);
    ranking->next_ranks = malloc((ranking->line_count + 1) * sizeof *ranking->next_ranks);
    if (!ranking->first_ranks || !ranking->next_ranks)
        return ENOMEM;
    for (size_t i = 0; i < ranking->functions.count; i++)
        ranking->first_ranks[i] = FIELD_NONE;
    for (size_t rank = ranking->line_count; rank-- > 0;) {
        const struct waste_site *line = keyed_at(&ranking->lines, ranking->lines_by_rank[rank]);
        ranking->next_ranks[rank] = ranking->first_ranks[line->function];
        ranking->first_ranks[line->function] = (uint32_t)rank;
    }
    return 0;
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
                            .kind = kind,
                            .sources = {.item_bytes = sizeof(struct waste_source_bytes),
                                        .key_bytes = offsetof(struct waste_source_bytes, bytes)}};
    int error = waste_find_own(waste, &ranker.own);
    if (!error)
        error = waste_group(waste, NULL, &ranker.groups);
    if (!error)
        error = waste_traffic(waste, &ranker.groups.items[0], &ranking->traffic);
    if (!error)
        error = waste_rank_runs(&ranker);
    if (!error)
        error = waste_rank_pairs(&ranker);
    if (!error) {
        waste_rank_shares(&ranker);
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
    if (!error)
        error = waste_link_lines(ranking);
    ranking->traffic.kinds = NULL; /* the group's */
    waste_groups_free(&ranker.groups);
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
            free(site->wasted_runs);
            free(site->gains);
            free(site->bounds);
            free(site->helper_samples);
        }
        keyed_free(sets[s]);
    }
    keyed_free(&ranking->calls);
    waste_traffic_free(&ranking->traffic);
    free(ranking->run_samples);
    free(ranking->shares);
    free(ranking->lines_by_rank);
    free(ranking->functions_by_rank);
    free(ranking->first_ranks);
    free(ranking->next_ranks);
}
