/* Waste by location: pairs of contexts, objects, loops. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/sums/waste_traffic.h"

static int waste_location_add_pair(const struct waste *waste, const struct waste_wish *wish,
                                   const struct waste_pair *pair, size_t run, struct waste_locations *locations)
{
    struct waste_location key = {
        .waste = pair->waste, .thread = wish->threads ? pair->thread : 0, .instructions = {FIELD_NONE, FIELD_NONE}};
    if (wish->granularity != WASTE_SCOPES)
        key.object = pair->object;
    if (wish->granularity != WASTE_OBJECTS)
        key.scope = pair->scope;
    if (wish->granularity == WASTE_PAIRS || wish->granularity == WASTE_OBJECT_PAIRS) {
        key.first = pair->first;
        key.second = pair->second;
    }
    uint32_t index = keyed_add(&locations->rows, &key);
    struct waste_location *row = index == KEYED_FULL ? NULL : keyed_at(&locations->rows, index);
    if (row && !row->runs)
        row->runs = calloc(locations->run_count + 1, sizeof *row->runs);
    if (!row || !row->runs)
        return ENOMEM;

    for (size_t v = 0; v < VALUES_COUNT; v++) {
        row->runs[run].wasted[v] += pair->wasted[v];
        row->wasted_bytes += pair->wasted[v];
    }
    row->runs[run].bytes += pair->bytes;
    row->bytes += pair->bytes;
    row->wasted_events += pair->wasted_events;
    row->events += pair->events;
    row->wasted_squares += pair->wasted_squares;
    waste_join_instructions(&waste->relations, pair, row->instructions, row->several);
    return 0;
}

/* ------------------------------------------------------------------------------------------ order -- */

static int waste_compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Undefined shares are last. */
static int waste_compare_shares(const void *a, const void *b)
{
    const struct waste_location *x = a, *y = b;
    double f = isnan(x->traffic_share) ? -1 : x->traffic_share, g = isnan(y->traffic_share) ? -1 : y->traffic_share;
    return f != g ? (f > g ? -1 : 1) : waste_compare_numbers(x->waste, y->waste);
}

static int waste_compare_names(const void *a, const void *b, void *user)
{
    const struct waste_location *x = a, *y = b;
    const struct waste *waste = user;
    const struct waste_object *left = waste_row(waste, WASTE_OBJECT_ROWS, x->object),
                              *right = waste_row(waste, WASTE_OBJECT_ROWS, y->object);
    int order = waste_compare(waste, x->first, y->first);
    if (!order)
        order = waste_compare(waste, x->second, y->second);
    if (!order)
        order = waste_compare(waste, x->scope, y->scope);
    if (!order)
        order = x->object && y->object ? waste_compare(waste, left->node, right->node)
                                       : waste_compare_numbers(x->object, y->object);
    if (!order)
        order = waste_compare_numbers(left->kind, right->kind);
    return order || x->thread == y->thread ? order : strcmp(waste_text(waste, x->thread), waste_text(waste, y->thread));
}

/* Rows of WASTE_OBJECT_PAIRS: object by object, in any order. */
static int waste_compare_owners(const void *a, const void *b)
{
    const struct waste_location *x = a, *y = b;
    int order = waste_compare_numbers(x->waste, y->waste);
    if (!order)
        order = waste_compare_numbers(x->thread, y->thread);
    return order ? order : waste_compare_numbers(x->object, y->object);
}

static int waste_compare_owners_and_shares(const void *a, const void *b)
{
    int order = waste_compare_owners(a, b);
    return order ? order : waste_compare_shares(a, b);
}

/* Names are long: only those of wanted rows are compared. */
static void waste_sort_locations(const struct waste *waste, struct keyed *rows, enum waste_granularity granularity,
                                 size_t wanted)
{
    bool owned = granularity == WASTE_OBJECT_PAIRS;
    int (*order)(const void *, const void *) = owned ? waste_compare_owners_and_shares : waste_compare_shares;
    size_t top = 0; /* where the object's rows begin */
    if (rows->count > 0)
        qsort(rows->items, rows->count, rows->item_bytes, order);
    for (size_t begin = 0, end; begin < rows->count; begin = end) {
        for (end = begin + 1; end < rows->count && order(keyed_at(rows, begin), keyed_at(rows, end)) == 0;)
            end++;
        if (owned && waste_compare_owners(keyed_at(rows, top), keyed_at(rows, begin)) != 0)
            top = begin;
        bool shown = !owned || ((const struct waste_location *)keyed_at(rows, begin))->wasted_bytes > 0;
        if (shown && begin - top < wanted)
            qsort_r(keyed_at(rows, begin), end - begin, rows->item_bytes, waste_compare_names,
                    (void *)(uintptr_t)waste);
    }
}

void waste_locations_within(const struct waste_locations *locations, const struct waste_location *object, size_t *begin,
                            size_t *end)
{
    size_t bounds[2];
    for (int after = 0; after < 2; after++) {
        size_t low = 0, high = locations->rows.count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (waste_compare_owners(keyed_at(&locations->rows, middle), object) < after)
                low = middle + 1;
            else
                high = middle;
        }
        bounds[after] = low;
    }
    *begin = bounds[0];
    *end = bounds[1];
}

int waste_locations(const struct waste *waste, const struct waste_group *group, const struct waste_kinds *kinds,
                    const struct waste_wish *wish, const struct analysis_options *options,
                    struct waste_locations *locations)
{
    const size_t key_bytes = offsetof(struct waste_location, object) + sizeof(uint32_t);
    *locations = (struct waste_locations){.rows = {.item_bytes = sizeof(struct waste_location), .key_bytes = key_bytes},
                                          .run_count = group->run_count};
    int error = 0;
    for (size_t i = 0; !error && i < waste_count(waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(waste, WASTE_PAIR_ROWS, i);
        size_t run = group->run_of[pair->source];
        bool shown[] = {[WASTE_PAIRS] = pair->wasted[VALUES_PRECISE] + pair->wasted[VALUES_APPROXIMATE] > 0,
                        [WASTE_OBJECTS] = pair->object != 0,
                        [WASTE_SCOPES] = true,
                        [WASTE_OBJECT_PAIRS] = pair->object != 0};
        if (run != SIZE_MAX && shown[wish->granularity] && (wish->kind == WASTE_COUNT || wish->kind == pair->waste))
            error = waste_location_add_pair(waste, wish, pair, run, locations);
    }
    if (!error)
        error = waste_traffic(waste, group, &locations->traffic);
    if (!error)
        error = waste_locations_divide(kinds, wish->granularity, options, locations);
    if (!error)
        waste_sort_locations(waste, &locations->rows, wish->granularity, wish->top ? (size_t)wish->top : SIZE_MAX);
    return error;
}

void waste_locations_free(struct waste_locations *locations)
{
    for (size_t i = 0; i < locations->rows.count; i++)
        free(((struct waste_location *)keyed_at(&locations->rows, i))->runs);
    keyed_free(&locations->rows);
    waste_traffic_free(&locations->traffic);
    free(locations->wholes);
}
