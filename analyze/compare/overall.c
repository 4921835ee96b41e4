#include "analyze/compare/overall.h"

#include <math.h>
#include <stdlib.h>

#include "stats/estimates/geomean.h"

static bool grow(double **values, size_t room)
{
    double *grown = realloc(*values, room * sizeof *grown);
    if (grown)
        *values = grown;
    return grown;
}

bool overall_add(struct overall *overall, const struct comparison *found)
{
    if (overall->count == overall->room) {
        size_t room = overall->room ? 2 * overall->room : 64;
        if (!grow(&overall->ratios, room) || !grow(&overall->centers, room) || !grow(&overall->centers_baseline, room))
            return false;
        overall->room = room;
    }
    overall->ratios[overall->count] = found->ratio.ratio;
    overall->centers[overall->count] = found->center;
    overall->centers_baseline[overall->count++] = found->center_baseline;
    return true;
}

enum stats_status overall_make(const struct overall *overall, double confidence, struct comparison *out)
{
    struct comparison found = {.p = NAN, .log10_p = NAN, .no_test = STATS_TOO_FEW, .ratio = {NAN, NAN, NAN}};
    struct interval interval;
    enum stats_status status = geomean_of(overall->ratios, overall->count, &found.ratio.ratio);
    if (!status)
        status = geomean_of(overall->centers, overall->count, &found.center);
    if (!status)
        status = geomean_of(overall->centers_baseline, overall->count, &found.center_baseline);
    if (status)
        return status;
    found.no_interval = geomean_interval(overall->ratios, overall->count, INTERVAL_T, confidence, &interval);
    if (!found.no_interval) {
        found.ratio.low = interval.low;
        found.ratio.high = interval.high;
    }
    *out = found;
    return STATS_OK;
}

void overall_free(struct overall *overall)
{
    free(overall->ratios);
    free(overall->centers);
    free(overall->centers_baseline);
    *overall = (struct overall){0};
}
