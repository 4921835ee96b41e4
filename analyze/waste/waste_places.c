/* Waste by place: pairs of contexts, objects, loops. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/waste_rows.h"

static bool is_wanted(const struct waste_wish *wish, const struct waste_group *group, const struct waste_pair *pair)
{
    bool shown[] = {[WASTE_PAIRS] = pair->wasted[VALUES_PRECISE] + pair->wasted[VALUES_APPROXIMATE] > 0,
                    [WASTE_OBJECTS] = pair->object != 0,
                    [WASTE_SCOPES] = true};
    return shown[wish->grain] && (wish->kind == WASTE_COUNT || wish->kind == pair->waste) &&
           group->run_of[pair->source] != SIZE_MAX;
}

static struct waste_place key_of(const struct waste_wish *wish, const struct waste_pair *pair)
{
    struct waste_place key = {.waste = pair->waste, .thread = wish->threads ? pair->thread : 0};
    if (wish->grain == WASTE_OBJECTS)
        key.object = pair->object;
    else
        key.scope = pair->scope;
    if (wish->grain == WASTE_PAIRS) {
        key.first = pair->first;
        key.second = pair->second;
    }
    return key;
}

static int add_pair(const struct waste_wish *wish, char *const *texts, const struct waste_pair *pair, size_t run,
                    struct waste_places *places)
{
    const struct waste_place key = key_of(wish, pair);
    uint32_t index = keyed_add(&places->rows, &key);
    struct waste_place *row = index == KEYED_FULL ? NULL : keyed_at(&places->rows, index);
    if (row && !row->runs)
        row->runs = calloc(places->run_count + 1, sizeof *row->runs);
    if (!row || !row->runs)
        return ENOMEM;
    uint64_t wasted = pair->wasted[VALUES_PRECISE] + pair->wasted[VALUES_APPROXIMATE];
    row->runs[run] += wasted;
    row->wasted_bytes += wasted;
    row->bytes += pair->bytes;
    row->wasted_squares += pair->wasted_squares;
    for (size_t side = 0; side < WASTE_SIDES; side++) {
        uint32_t known = row->instructions[side], other = pair->instructions[side];
        row->several[side] |= pair->several[side] || (known && other && known != other);
        if (!known || (other && strcmp(texts[other - 1], texts[known - 1]) < 0))
            row->instructions[side] = other;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ fractions -- */

/* The denominators of each kind's waste, by run: one array per kind, one after the other. */
static uint64_t *wholes_of(const struct waste_kinds *kinds, enum waste_grain grain)
{
    size_t runs = kinds->run_count;
    uint64_t *wholes = calloc(WASTE_COUNT * (runs + 1), sizeof *wholes);
    for (size_t w = 0; wholes && w < WASTE_COUNT; w++) {
        if (kinds->order[w] == KEYED_FULL)
            continue;
        const struct waste_kind *row = keyed_at(&kinds->rows, kinds->order[w]);
        for (size_t r = 0; r < runs; r++)
            wholes[w * (runs + 1) + r] =
                grain == WASTE_OBJECTS ? row->runs[r].object_bytes
                                       : row->runs[r].total[VALUES_PRECISE] + row->runs[r].total[VALUES_APPROXIMATE];
    }
    return wholes;
}

static uint64_t squares_of(const struct waste_place *row, size_t run, uint64_t whole)
{
    return (uint64_t)((double)row->wasted_squares * (double)whole / (double)row->runs[run]);
}

static int divide(struct waste_places *places, const struct waste_kinds *kinds, enum waste_grain grain,
                  const struct analysis_options *options)
{
    uint64_t *wholes = wholes_of(kinds, grain);
    int error = wholes ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < places->rows.count; i++) {
        struct waste_place *row = keyed_at(&places->rows, i);
        const uint64_t *whole = wholes + row->waste * (kinds->run_count + 1);
        error = waste_mean_of(row->runs, whole, places->run_count, options, &row->fraction);
        for (size_t r = 0; row->wasted_squares > 0 && r < places->run_count; r++)
            if (row->runs[r] > 0) /* the rest is assumed to consist of pairs of the same size */
                waste_sampled_interval(whole[r], squares_of(row, r, whole[r]), row->wasted_squares, options->confidence,
                                       &row->fraction);
    }
    free(wholes);
    return error;
}

/* ------------------------------------------------------------------------------------------ order -- */

static int by_number(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_object(const struct waste *waste, uint32_t a, uint32_t b)
{
    const struct waste_object *x = keyed_at(&waste->objects, a), *y = keyed_at(&waste->objects, b);
    int order = a && b ? waste_compare(waste, x->node, y->node) : by_number(a, b);
    return order ? order : by_number(x->kind, y->kind);
}

/* Undefined fractions are last. */
static int by_fraction(const void *a, const void *b)
{
    const struct waste_place *x = a, *y = b;
    double f = isnan(x->fraction.value) ? -1 : x->fraction.value, g = isnan(y->fraction.value) ? -1 : y->fraction.value;
    return f != g ? (f > g ? -1 : 1) : by_number(x->waste, y->waste);
}

static int by_names(const void *a, const void *b, void *user)
{
    const struct waste_place *x = a, *y = b;
    const struct waste *waste = user;
    int order = waste_compare(waste, x->first, y->first);
    if (!order)
        order = waste_compare(waste, x->second, y->second);
    if (!order)
        order = waste_compare(waste, x->scope, y->scope);
    if (!order)
        order = by_object(waste, x->object, y->object);
    return order || x->thread == y->thread ? order
                                           : strcmp(waste->texts.texts[x->thread], waste->texts.texts[y->thread]);
}

/* Names are long: only those of wanted rows are compared. */
static void sort(const struct waste *waste, struct keyed *rows, size_t wanted)
{
    if (rows->count > 0)
        qsort(rows->items, rows->count, rows->item_bytes, by_fraction);
    for (size_t begin = 0, end; begin < rows->count && begin < wanted; begin = end) {
        for (end = begin + 1; end < rows->count && by_fraction(keyed_at(rows, begin), keyed_at(rows, end)) == 0;)
            end++;
        qsort_r(keyed_at(rows, begin), end - begin, rows->item_bytes, by_names, (void *)(uintptr_t)waste);
    }
}

int waste_places(const struct waste *waste, const struct waste_group *group, const struct waste_kinds *kinds,
                 const struct waste_wish *wish, const struct analysis_options *options, struct waste_places *places)
{
    const size_t key_bytes = offsetof(struct waste_place, object) + sizeof(uint32_t);
    *places = (struct waste_places){.rows = {.item_bytes = sizeof(struct waste_place), .key_bytes = key_bytes},
                                    .run_count = group->run_count};
    int error = 0;
    for (size_t i = 0; !error && i < waste->pairs.count; i++) {
        const struct waste_pair *pair = keyed_at(&waste->pairs, i);
        if (is_wanted(wish, group, pair))
            error = add_pair(wish, waste->texts.texts, pair, group->run_of[pair->source], places);
    }
    if (!error)
        error = divide(places, kinds, wish->grain, options);
    if (!error)
        sort(waste, &places->rows, wish->top ? (size_t)wish->top : SIZE_MAX);
    return error;
}

void waste_places_free(struct waste_places *places)
{
    for (size_t i = 0; i < places->rows.count; i++)
        free(((struct waste_place *)keyed_at(&places->rows, i))->runs);
    keyed_free(&places->rows);
}
