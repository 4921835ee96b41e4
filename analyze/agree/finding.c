#include "analyze/agree/finding.h"

#include <math.h>

/* The largest part of the distance that may stay unexplained; with this little, a share moved, whatever else fits. */
static const double REST_MOST = 0.25, REST_SURE = 0.1;

/* A distance of this many times the noise between equal profiles is more than noise, and some noise may remain. */
static const double NOISE_CLEAR = 2;

/* The remaining distance when b's profile is a's changed by `finding`. */
static double finding_rest(const struct view *view, const struct finding *finding)
{
    const double *a = view->side[0].mean, *b = view->side[1].mean;
    double scale = finding->kind == FINDING_SCALED ? (1 - b[finding->to]) / (1 - a[finding->to]) : 1;
    long double rest = 0;
    for (uint32_t m = 0; m <= view->methods; m++) {
        double expected = a[m] * scale;
        if (finding->kind == FINDING_SCALED && m == finding->to)
            expected = b[m];
        else if (finding->kind == FINDING_MOVED && m == finding->to)
            expected += finding->amount;
        else if (finding->kind == FINDING_MOVED && m == finding->from)
            expected -= finding->amount;
        rest += fabs(b[m] - expected);
    }
    return (double)(rest / 2);
}

static bool finding_differs(const struct view *view, uint32_t method, const struct measure_options *options)
{
    struct measured difference = measure_difference(view, method, options);
    return difference.lo > 0 || difference.hi < 0;
}

struct finding finding_of(const struct view *view, double noise, const struct measure_options *options)
{
    const double *a = view->side[0].mean, *b = view->side[1].mean;
    uint32_t up = 0, down = 0;
    double distance = 0;
    for (uint32_t m = 0; m < view->methods; m++) {
        up = b[m] - a[m] > b[up] - a[up] ? m : up;
        down = b[m] - a[m] < b[down] - a[down] ? m : down;
        distance += fabs(b[m] - a[m]) / 2;
    }
    if (distance <= 0)
        return (struct finding){0};
    const struct finding candidates[] = {
        {FINDING_MOVED, down, up, (a[down] - b[down] + b[up] - a[up]) / 2},
        {FINDING_SCALED, up, up, b[up] / a[up] * ((1 - a[up]) / (1 - b[up]))},
        {FINDING_SCALED, down, down, b[down] / a[down] * ((1 - a[down]) / (1 - b[down]))}};
    struct finding best = {0};
    double least = REST_MOST * distance + (distance > NOISE_CLEAR * noise ? noise : 0);
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        const struct finding *one = &candidates[i];
        if (!isfinite(one->amount) || !finding_differs(view, one->from, options) ||
            !finding_differs(view, one->to, options))
            continue;
        double rest = finding_rest(view, one);
        if (rest <= least) {
            least = rest;
            best = *one;
        }
        if (one->kind == FINDING_MOVED && rest <= REST_SURE * distance)
            break;
    }
    return best;
}
