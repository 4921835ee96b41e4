/* The fractions of locations, from their bytes by run. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/sums/waste_traffic.h"

/* The denominators of a kind's locations, by run. */
enum { WHOLE, WHOLE_PRECISE, WHOLE_APPROX, WHOLE_WASTED, WHOLES };

static uint64_t *waste_wholes(const struct waste_locations *locations, size_t waste, size_t which)
{
    return locations->wholes + (waste * WHOLES + which) * (locations->run_count + 1);
}

static uint64_t waste_run_wasted(const struct waste_run *run)
{
    return run->wasted[VALUES_PRECISE] + run->wasted[VALUES_APPROXIMATE];
}

/* A sum of quotients, and how many are defined. */
struct sum {
    long double value;
    size_t runs;
};

static void waste_add_quotient(struct sum *sum, uint64_t part, uint64_t whole)
{
    if (whole == 0)
        return;
    sum->value += (long double)part / (long double)whole;
    sum->runs++;
}

static double waste_mean_of_quotients(const struct sum *sum)
{
    return sum->runs ? (double)(sum->value / (long double)sum->runs) : NAN;
}

double waste_object_share(const struct waste_locations *locations, const struct waste_location *location,
                          const struct waste_location *object)
{
    struct sum share = {0};
    for (size_t r = 0; r < locations->run_count; r++)
        waste_add_quotient(&share, waste_run_wasted(&location->runs[r]), waste_run_wasted(&object->runs[r]));
    return waste_mean_of_quotients(&share);
}

/* The fractions of a row whose sums are complete. `wasted`: capacity for a value per run. */
static int waste_location_divide(const struct waste_locations *locations, const struct analysis_options *options,
                                 uint64_t *wasted, struct waste_location *row)
{
    const uint64_t *whole = waste_wholes(locations, row->waste, WHOLE);
    struct sum precise = {0}, approx = {0}, of_pair = {0}, of_kind = {0}; /* these have no interval */
    for (size_t r = 0; r < locations->run_count; r++) {
        const struct waste_run *run = &row->runs[r];
        wasted[r] = waste_run_wasted(run);
        waste_add_quotient(&precise, run->wasted[VALUES_PRECISE],
                           waste_wholes(locations, row->waste, WHOLE_PRECISE)[r]);
        waste_add_quotient(&approx, run->wasted[VALUES_APPROXIMATE],
                           waste_wholes(locations, row->waste, WHOLE_APPROX)[r]);
        waste_add_quotient(&of_pair, wasted[r], run->bytes);
        waste_add_quotient(&of_kind, wasted[r], waste_wholes(locations, row->waste, WHOLE_WASTED)[r]);
    }
    row->precise_fraction = waste_mean_of_quotients(&precise);
    row->approx_fraction = waste_mean_of_quotients(&approx);
    row->pair_fraction = waste_mean_of_quotients(&of_pair);
    row->waste_share = waste_mean_of_quotients(&of_kind);
    row->traffic_share = waste_traffic_share(&locations->traffic, UINT32_C(1) << row->waste, wasted, 1);

    int error = waste_mean_over_runs(wasted, whole, locations->run_count, options, &row->fraction);
    for (size_t r = 0; row->wasted_squares > 0 && r < locations->run_count; r++) {
        if (wasted[r] == 0)
            continue;
        /* The rest is assumed to consist of pairs of the same size. */
        uint64_t squares = (uint64_t)((double)row->wasted_squares * (double)whole[r] / (double)wasted[r]);
        waste_sampled_interval(whole[r], squares, row->wasted_squares, options->confidence, &row->fraction);
    }
    return error;
}

int waste_locations_divide(const struct waste_kinds *kinds, enum waste_granularity granularity,
                           const struct analysis_options *options, struct waste_locations *locations)
{
    bool of_objects = granularity == WASTE_OBJECTS || granularity == WASTE_OBJECT_PAIRS;
    uint64_t *wasted = calloc(locations->run_count + 1, sizeof *wasted);
    locations->wholes = calloc(WASTE_COUNT * WHOLES * (locations->run_count + 1), sizeof *locations->wholes);
    int error = wasted && locations->wholes ? 0 : ENOMEM;
    for (size_t w = 0; !error && w < WASTE_COUNT; w++) {
        if (kinds->order[w] == KEYED_FULL)
            continue;
        const struct waste_kind *row = keyed_at(&kinds->rows, kinds->order[w]);
        for (size_t r = 0; r < locations->run_count; r++) {
            const struct waste_sums *sums = &row->runs[r];
            const uint64_t *bytes = of_objects ? sums->object_bytes : sums->total;
            waste_wholes(locations, w, WHOLE_PRECISE)[r] = bytes[VALUES_PRECISE];
            waste_wholes(locations, w, WHOLE_APPROX)[r] = bytes[VALUES_APPROXIMATE];
            waste_wholes(locations, w, WHOLE)[r] = bytes[VALUES_PRECISE] + bytes[VALUES_APPROXIMATE];
            waste_wholes(locations, w, WHOLE_WASTED)[r] =
                sums->wasted[VALUES_PRECISE] + sums->wasted[VALUES_APPROXIMATE];
        }
    }
    for (size_t i = 0; !error && i < locations->rows.count; i++)
        error = waste_location_divide(locations, options, wasted, keyed_at(&locations->rows, i));
    free(wasted);
    return error;
}

int waste_locations_rest(const struct waste_locations *locations, const struct waste_location *object, size_t begin,
                         size_t end, const struct analysis_options *options, struct waste_location *rest)
{
    uint64_t *capacity = calloc(locations->run_count + 1, sizeof *capacity);
    *rest = *object;
    rest->runs = calloc(locations->run_count + 1, sizeof *rest->runs);
    if (!capacity || !rest->runs) {
        free(capacity);
        return ENOMEM;
    }
    memcpy(rest->runs, object->runs, locations->run_count * sizeof *rest->runs);
    for (size_t i = begin; i < end; i++) {
        const struct waste_location *row = keyed_at(&locations->rows, i);
        for (size_t r = 0; r < locations->run_count; r++) {
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
    int error = waste_location_divide(locations, options, capacity, rest);
    free(capacity);
    return error;
}
