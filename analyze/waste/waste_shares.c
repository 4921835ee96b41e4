/* The fractions of places, from their bytes by run. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/waste_rows.h"

/* The denominators of a kind's places, by run. */
enum { WHOLE, WHOLE_PRECISE, WHOLE_APPROX, WHOLE_WASTED, WHOLES };

static uint64_t *wholes_at(const struct waste_places *places, size_t waste, size_t which)
{
    return places->wholes + (waste * WHOLES + which) * (places->run_count + 1);
}

static int find_wholes(const struct waste_kinds *kinds, enum waste_granularity granularity, struct waste_places *places)
{
    bool of_objects = granularity == WASTE_OBJECTS || granularity == WASTE_OBJECT_PAIRS;
    places->wholes = calloc(WASTE_COUNT * WHOLES * (places->run_count + 1), sizeof *places->wholes);
    for (size_t w = 0; places->wholes && w < WASTE_COUNT; w++) {
        if (kinds->order[w] == KEYED_FULL)
            continue;
        const struct waste_kind *row = keyed_at(&kinds->rows, kinds->order[w]);
        for (size_t r = 0; r < places->run_count; r++) {
            const struct waste_sums *sums = &row->runs[r];
            const uint64_t *bytes = of_objects ? sums->object_bytes : sums->total;
            wholes_at(places, w, WHOLE_PRECISE)[r] = bytes[VALUES_PRECISE];
            wholes_at(places, w, WHOLE_APPROX)[r] = bytes[VALUES_APPROXIMATE];
            wholes_at(places, w, WHOLE)[r] = bytes[VALUES_PRECISE] + bytes[VALUES_APPROXIMATE];
            wholes_at(places, w, WHOLE_WASTED)[r] = sums->wasted[VALUES_PRECISE] + sums->wasted[VALUES_APPROXIMATE];
        }
    }
    return places->wholes ? 0 : ENOMEM;
}

static uint64_t wasted_in(const struct waste_run *run)
{
    return run->wasted[VALUES_PRECISE] + run->wasted[VALUES_APPROXIMATE];
}

/* A sum of quotients, and how many are defined. */
struct sum {
    long double value;
    size_t runs;
};

static void add_quotient(struct sum *sum, uint64_t part, uint64_t whole)
{
    if (whole == 0)
        return;
    sum->value += (long double)part / (long double)whole;
    sum->runs++;
}

static double mean_of(const struct sum *sum)
{
    return sum->runs ? (double)(sum->value / (long double)sum->runs) : NAN;
}

/* The means that have no interval. */
static void find_shares(const struct waste_places *places, struct waste_place *row)
{
    struct sum precise = {0}, approx = {0}, of_pair = {0}, of_kind = {0};
    for (size_t r = 0; r < places->run_count; r++) {
        const struct waste_run *run = &row->runs[r];
        add_quotient(&precise, run->wasted[VALUES_PRECISE], wholes_at(places, row->waste, WHOLE_PRECISE)[r]);
        add_quotient(&approx, run->wasted[VALUES_APPROXIMATE], wholes_at(places, row->waste, WHOLE_APPROX)[r]);
        add_quotient(&of_pair, wasted_in(run), run->bytes);
        add_quotient(&of_kind, wasted_in(run), wholes_at(places, row->waste, WHOLE_WASTED)[r]);
    }
    row->precise_fraction = mean_of(&precise);
    row->approx_fraction = mean_of(&approx);
    row->pair_fraction = mean_of(&of_pair);
    row->waste_share = mean_of(&of_kind);
}

double waste_object_share(const struct waste_places *places, const struct waste_place *place,
                          const struct waste_place *object)
{
    struct sum share = {0};
    for (size_t r = 0; r < places->run_count; r++)
        add_quotient(&share, wasted_in(&place->runs[r]), wasted_in(&object->runs[r]));
    return mean_of(&share);
}

static uint64_t squares_of(const struct waste_place *row, size_t run, uint64_t whole)
{
    return (uint64_t)((double)row->wasted_squares * (double)whole / (double)wasted_in(&row->runs[run]));
}

/* The fractions of a row whose sums are complete. `wasted`: capacity for a value per run. */
static int divide(const struct waste_places *places, const struct analysis_options *options, uint64_t *wasted,
                  struct waste_place *row)
{
    const uint64_t *whole = wholes_at(places, row->waste, WHOLE);
    for (size_t r = 0; r < places->run_count; r++)
        wasted[r] = wasted_in(&row->runs[r]);
    int error = waste_mean_of(wasted, whole, places->run_count, options, &row->fraction);
    for (size_t r = 0; row->wasted_squares > 0 && r < places->run_count; r++)
        if (wasted[r] > 0) /* the rest is assumed to consist of pairs of the same size */
            waste_sampled_interval(whole[r], squares_of(row, r, whole[r]), row->wasted_squares, options->confidence,
                                   &row->fraction);
    find_shares(places, row);
    return error;
}

int waste_places_divide(const struct waste_kinds *kinds, enum waste_granularity granularity,
                        const struct analysis_options *options, struct waste_places *places)
{
    uint64_t *wasted = calloc(places->run_count + 1, sizeof *wasted);
    int error = wasted ? find_wholes(kinds, granularity, places) : ENOMEM;
    for (size_t i = 0; !error && i < places->rows.count; i++)
        error = divide(places, options, wasted, keyed_at(&places->rows, i));
    free(wasted);
    return error;
}

int waste_places_rest(const struct waste_places *places, const struct waste_place *object, size_t begin, size_t end,
                      const struct analysis_options *options, struct waste_place *rest)
{
    uint64_t *capacity = calloc(places->run_count + 1, sizeof *capacity);
    *rest = *object;
    rest->runs = calloc(places->run_count + 1, sizeof *rest->runs);
    if (!capacity || !rest->runs) {
        free(capacity);
        return ENOMEM;
    }
    memcpy(rest->runs, object->runs, places->run_count * sizeof *rest->runs);
    for (size_t i = begin; i < end; i++) {
        const struct waste_place *row = keyed_at(&places->rows, i);
        for (size_t r = 0; r < places->run_count; r++) {
            for (size_t v = 0; v < VALUES_COUNT; v++)
                rest->runs[r].wasted[v] -= row->runs[r].wasted[v];
            rest->runs[r].bytes -= row->runs[r].bytes;
        }
        rest->wasted_bytes -= row->wasted_bytes;
        rest->bytes -= row->bytes;
        rest->wasted_events -= row->wasted_events;
        rest->events -= row->events;
        rest->wasted_squares -= row->wasted_squares;
    }
    int error = divide(places, options, capacity, rest);
    free(capacity);
    return error;
}
