#include "analyze/compare/overall.h"

#include <math.h>
#include <stdlib.h>

#include "stats/estimates/geomean.h"

enum overall_class overall_class_of(enum direction_kind kind)
{
    switch (kind) {
    case DIRECTION_SIZES:
        return OVERALL_SIZES;
    case DIRECTION_AMOUNTS:
        return OVERALL_AMOUNTS;
    case DIRECTION_SCORES:
    case DIRECTION_COSTS:
        return OVERALL_SCORES;
    default:
        return OVERALL_SPEEDS;
    }
}

const char *overall_name(enum overall_class class, bool among_several)
{
    static const char *const names[] = {[OVERALL_SPEEDS] = "geomean of speeds",
                                        [OVERALL_SIZES] = "geomean of sizes",
                                        [OVERALL_AMOUNTS] = "geomean of amounts",
                                        [OVERALL_SCORES] = "geomean of scores"};
    return among_several ? names[class] : "geomean";
}

static bool overall_grow(struct overall *overall)
{
    size_t capacity = overall->capacity ? 2 * overall->capacity : 64;
    double **const arrays[] = {&overall->ratios, &overall->centers, &overall->centers_baseline};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        double *grown = realloc(*arrays[i], capacity * sizeof *grown);
        if (!grown)
            return false;
        *arrays[i] = grown;
    }
    enum direction_kind *kinds = realloc(overall->kinds, capacity * sizeof *kinds);
    if (!kinds)
        return false;
    overall->kinds = kinds;
    overall->capacity = capacity;
    return true;
}

bool overall_add(struct overall *overall, const struct comparison *found, enum direction_kind kind)
{
    if (overall->count == overall->capacity && !overall_grow(overall))
        return false;
    overall->ratios[overall->count] = found->ratio.ratio;
    overall->centers[overall->count] = found->center;
    overall->centers_baseline[overall->count] = found->center_baseline;
    overall->kinds[overall->count++] = kind;
    return true;
}

bool overall_is_mixed(const struct overall *overall)
{
    for (size_t i = 1; i < overall->count; i++)
        if (direction_more_is_better(overall->kinds[i]) != direction_more_is_better(overall->kinds[0]))
            return true;
    return false;
}

/* Where directions differ, the ratio of a time becomes one of rates. */
static enum stats_status overall_find_means(const struct overall *overall, double confidence, struct comparison *found)
{
    bool mixed = overall_is_mixed(overall);
    struct interval interval;
    double *ratios = malloc(overall->count * sizeof *ratios);
    if (!ratios)
        return STATS_NO_MEMORY;
    for (size_t i = 0; i < overall->count; i++)
        ratios[i] = mixed && !direction_more_is_better(overall->kinds[i]) ? 1 / overall->ratios[i] : overall->ratios[i];
    enum stats_status status = geomean_of(ratios, overall->count, &found->ratio.ratio);
    if (!status && !mixed)
        status = geomean_of(overall->centers, overall->count, &found->center);
    if (!status && !mixed)
        status = geomean_of(overall->centers_baseline, overall->count, &found->center_baseline);
    if (!status)
        found->no_interval = geomean_interval(ratios, overall->count, INTERVAL_T, confidence, &interval);
    if (!status && !found->no_interval) {
        found->ratio.low = interval.low;
        found->ratio.high = interval.high;
    }
    free(ratios);
    return status;
}

enum stats_status overall_make(const struct overall *overall, double confidence, struct comparison *out,
                               enum direction_kind *kind)
{
    struct comparison found = {.p = NAN,
                               .log10_p = NAN,
                               .family = {NAN, NAN},
                               .effect = {NAN, NAN, NAN, STATS_OK},
                               .no_test = STATS_TOO_FEW,
                               .center = NAN,
                               .center_baseline = NAN,
                               .ratio = {NAN, NAN, NAN}};
    if (overall->count == 0)
        return STATS_TOO_FEW;
    enum stats_status status = overall_find_means(overall, confidence, &found);
    if (status)
        return status;
    *kind = overall_is_mixed(overall) ? DIRECTION_RATES : overall->kinds[0];
    *out = found;
    return STATS_OK;
}

void overall_free(struct overall *overall)
{
    free(overall->ratios);
    free(overall->centers);
    free(overall->centers_baseline);
    free(overall->kinds);
    *overall = (struct overall){0};
}
