#include "analyze/agree/measure.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "stats/estimates/order.h"
#include "stats/inference/kendall.h"

/* The mean profile of runs resampled from a side. */
static void measure_resample(const struct view *view, const struct view_side *side, struct rng *state, double *mean)
{
    size_t width = view->methods + 1;
    memset(mean, 0, width * sizeof *mean);
    for (size_t r = 0; r < side->runs; r++) {
        size_t run = (size_t)((double)(rng_next(state) >> 11) * 0x1p-53 * (double)side->runs);
        const double *shares = &side->shares[run * width];
        for (size_t m = 0; m < width; m++)
            mean[m] += shares[m];
    }
    for (size_t m = 0; m < width; m++)
        mean[m] /= (double)side->runs;
}

static size_t measure_fewest_runs(const struct view *view)
{
    size_t fewest = SIZE_MAX;
    for (size_t s = 0; s < view->count; s++)
        fewest = view->side[s].runs < fewest ? view->side[s].runs : fewest;
    return fewest;
}

static enum stats_status measure_quantile(const struct measure_options *options, double dof, double *q)
{
    return interval_quantile(options->use_z ? INTERVAL_Z : INTERVAL_T, dof, options->confidence, q);
}

/* The two expanded quantiles of the resamples' results, without NaNs. False: there are none. */
static bool measure_bootstrap_interval(double *values, size_t count, size_t runs, const struct measure_options *options,
                                       double *lo, double *hi)
{
    size_t n = 0;
    double q;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[n++] = values[i];
    if (n == 0 || runs < 2 || measure_quantile(options, (double)(runs - 1), &q) != STATS_OK)
        return false;
    order_sort(values, n);
    double wider = options->use_z ? 1 : sqrt((double)runs / (double)(runs - 1));
    double tail = erfc(q * wider / sqrt(2)) / 2;
    size_t cut = (size_t)floor(tail * (double)(n - 1));
    *lo = values[cut];
    *hi = values[n - 1 - cut];
    return true;
}

/* -------------------------------------------------------------------------------------- two profiles -- */

enum { OVERLAP, TAU, DISTANCE, PAIR_MEASURES };

static bool measure_has_item(const uint32_t *items, size_t count, uint32_t item)
{
    size_t i = 0;
    while (i < count && items[i] != item)
        i++;
    return i < count;
}

static void measure_profiles(const struct view *view, const double *const profile[2], size_t top,
                             double found[PAIR_MEASURES])
{
    uint32_t items[2 * MEASURE_TOP_MAX], other[MEASURE_TOP_MAX];
    double x[2 * MEASURE_TOP_MAX], y[2 * MEASURE_TOP_MAX];
    size_t count_a = view_top(view, profile[0], top, items), count_b = view_top(view, profile[1], top, other);
    size_t count = count_a, larger = count_a > count_b ? count_a : count_b;
    for (size_t i = 0; i < count_b; i++)
        if (!measure_has_item(items, count_a, other[i]))
            items[count++] = other[i];
    found[OVERLAP] = larger ? (double)(count_a + count_b - count) / (double)larger : NAN;
    for (size_t i = 0; i < count; i++) {
        x[i] = profile[0][items[i]];
        y[i] = profile[1][items[i]];
    }
    found[TAU] = NAN;
    kendall_tau(x, y, count, &found[TAU]);
    long double sum = 0;
    for (size_t m = 0; m <= view->methods; m++)
        sum += fabs(profile[0][m] - profile[1][m]);
    found[DISTANCE] = fmin((double)(sum / 2), 1);
}

/* Variance of a mean share over runs. */
static double measure_variance_of_mean(const struct view *view, const struct view_side *side, uint32_t method)
{
    long double squares = 0;
    for (size_t r = 0; r < side->runs; r++) {
        long double rest = (long double)side->shares[r * (view->methods + 1) + method] - side->mean[method];
        squares += rest * rest;
    }
    return (double)(squares / (long double)(side->runs - 1) / (long double)side->runs);
}

/* The most that noise can add to the distance; each side has two runs. */
static double measure_noise(const struct view *view)
{
    const struct view_side *a = &view->side[0], *b = &view->side[1];
    long double sum = 0;
    assert(a->runs > 1 && b->runs > 1);
    for (uint32_t m = 0; m <= view->methods; m++) {
        double se = sqrt(measure_variance_of_mean(view, a, m) + measure_variance_of_mean(view, b, m));
        sum += fabs(a->mean[m] - b->mean[m]) <= 3 * se ? se : 0;
    }
    return (double)(sum / 2) * 0.79788456080286536; /* √(2/π) */
}

int measure_pair(const struct view *view, size_t top, const struct measure_options *options, struct measured_pair *out)
{
    size_t width = view->methods + 1, runs = measure_fewest_runs(view);
    double *profile[2] = {malloc(width * sizeof(double)), malloc(width * sizeof(double))};
    double *values = malloc(PAIR_MEASURES * MEASURE_RESAMPLES * sizeof *values), found[PAIR_MEASURES];
    struct measured *const into[] = {&out->overlap, &out->tau, &out->distance};
    const double *const means[] = {view->side[0].mean, view->side[1].mean};
    struct rng state = {1};
    int error = profile[0] && profile[1] && values ? 0 : ENOMEM;
    for (size_t i = 0; !error && runs > 1 && i < MEASURE_RESAMPLES; i++) {
        for (size_t s = 0; s < 2; s++)
            measure_resample(view, &view->side[s], &state, profile[s]);
        measure_profiles(view, (const double *const *)profile, top, found);
        for (size_t k = 0; k < PAIR_MEASURES; k++)
            values[k * MEASURE_RESAMPLES + i] = found[k];
    }
    if (!error)
        measure_profiles(view, means, top, found);
    for (size_t k = 0; !error && k < PAIR_MEASURES; k++) {
        *into[k] = (struct measured){found[k], NAN, NAN};
        if (runs > 1 && !isnan(found[k]))
            measure_bootstrap_interval(&values[k * MEASURE_RESAMPLES], MEASURE_RESAMPLES, runs, options, &into[k]->lo,
                                       &into[k]->hi);
    }
    if (!error)
        out->noise = runs > 1 ? measure_noise(view) : 0;
    if (!error && runs > 1) {
        long double sum = 0;
        for (size_t i = 0; i < MEASURE_RESAMPLES; i++)
            sum += values[DISTANCE * MEASURE_RESAMPLES + i];
        double centre = (double)(sum / MEASURE_RESAMPLES), value = found[DISTANCE];
        out->distance.lo = fmax(value - out->noise - fmax(centre - out->distance.lo, 0), 0);
        out->distance.hi = fmin(value + fmax(out->distance.hi - centre, 0), 1);
    }
    free(profile[0]);
    free(profile[1]);
    free(values);
    return error;
}

/* -------------------------------------------------------------------------------------- many profiles -- */

/* Union_1 … Union_top of profiles. */
static void measure_unite(const struct view *view, const double *const *profile, size_t top, uint32_t *items,
                          double *unions)
{
    size_t counts[MEASURE_TOP_MAX + 1] = {0}; /* [n]: methods that enter the n hottest of some profiler at n */
    for (size_t s = 0; s < view->count; s++) {
        size_t count = view_top(view, profile[s], top, items + s * top);
        for (size_t i = count; i < top; i++)
            items[s * top + i] = UINT32_MAX;
    }
    for (size_t s = 0; s < view->count; s++)
        for (size_t i = 0; i < top; i++) {
            uint32_t item = items[s * top + i];
            bool first = item != UINT32_MAX;
            for (size_t other = 0; first && other < view->count; other++)
                first = !measure_has_item(items + other * top, other < s ? i + 1 : i, item);
            counts[i] += first;
        }
    for (size_t n = 0; n < top; n++)
        unions[n] = (double)counts[n] + (n ? unions[n - 1] : 0);
}

int measure_unions(const struct view *view, size_t top, const struct measure_options *options, struct measured *unions)
{
    size_t width = view->methods + 1, runs = measure_fewest_runs(view);
    double *capacity = malloc(view->count * width * sizeof *capacity),
           *values = malloc(top * MEASURE_RESAMPLES * sizeof *values);
    const double **profile = malloc(view->count * sizeof *profile);
    uint32_t *items = malloc(view->count * top * sizeof *items);
    double found[MEASURE_TOP_MAX];
    struct rng state = {1};
    int error = capacity && values && profile && items ? 0 : ENOMEM;
    for (size_t i = 0; !error && runs > 1 && i < MEASURE_RESAMPLES; i++) {
        for (size_t s = 0; s < view->count; s++) {
            profile[s] = capacity + s * width;
            measure_resample(view, &view->side[s], &state, capacity + s * width);
        }
        measure_unite(view, profile, top, items, found);
        for (size_t n = 0; n < top; n++)
            values[n * MEASURE_RESAMPLES + i] = found[n];
    }
    for (size_t s = 0; !error && s < view->count; s++)
        profile[s] = view->side[s].mean;
    if (!error)
        measure_unite(view, profile, top, items, found);
    for (size_t n = 0; !error && n < top; n++) {
        unions[n] = (struct measured){found[n], NAN, NAN};
        if (runs > 1)
            measure_bootstrap_interval(&values[n * MEASURE_RESAMPLES], MEASURE_RESAMPLES, runs, options, &unions[n].lo,
                                       &unions[n].hi);
    }
    free(capacity);
    free(values);
    free(profile);
    free(items);
    return error;
}

struct measured measure_difference(const struct view *view, uint32_t method, const struct measure_options *options)
{
    const struct view_side *a = &view->side[0], *b = &view->side[1];
    struct measured found = {b->mean[method] - a->mean[method], NAN, NAN};
    if (a->runs < 2 || b->runs < 2)
        return found;
    double va = measure_variance_of_mean(view, a, method), vb = measure_variance_of_mean(view, b, method), q = 0;
    double dof = (va + vb) * (va + vb) / (va * va / (double)(a->runs - 1) + vb * vb / (double)(b->runs - 1));
    if (va + vb > 0 && measure_quantile(options, dof, &q) != STATS_OK)
        return found;
    found.lo = found.value - q * sqrt(va + vb);
    found.hi = found.value + q * sqrt(va + vb);
    return found;
}
