#include "stats/distributions/studentized_range.h"

#include <assert.h>
#include <float.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "stats/distributions/deviance.h"
#include "stats/distributions/gamma.h"

#define LN_2 0.693147180559945309417232121458176568L
#define PI 3.141592653589793238462643383279502884L
#define FAR 24        /* from here on the far tail of the range */
#define NEGLIGIBLE 40 /* e^−40, of the peak */
#define BEND 3.0L     /* the width in log S over which the integrand bends, for few groups */

enum { GRID_MAX = 600 };

/* Values z of the trapezoidal rule, from `low` in steps of `step`. */
struct grid {
    double low, step;
    int count;
    double below[GRID_MAX];  /* Φ(z) */
    double weight[GRID_MAX]; /* step·groups·φ(z)·Φ(z)^(groups−1) */
};

struct range {
    double groups;
    long double q, dof; /* dof ∞: S is 1 */
    bool upper;         /* P(Q ≥ q); else P(Q < q) */
    long double peak;   /* log S where the outer integrand is greatest, by range_log_estimate() */
    long double height; /* its log there */
    struct grid grid;   /* if upper */
};

static double normal_density(double z)
{
    return exp(-z * z / 2) / sqrt(2 * M_PI);
}

static double normal_below(double z)
{
    return erfc(-z * M_SQRT1_2) / 2;
}

/* The largest of many values has a distribution as narrow as 1/√(2·log groups), and double exponential on its left. */
static double range_grid_step(double groups)
{
    return 0.45 / (1 + 0.6 * log(groups));
}

/* The terms from i on in one direction, until they are negligible; they have one peak. */
static double range_sum_upper_from(const struct range *range, double w, int i, int direction)
{
    const struct grid *grid = &range->grid;
    double sum = 0, term = 1;
    for (; i >= 0 && i < grid->count && term > sum * (DBL_EPSILON / 64); i += direction) {
        double z = grid->low + i * grid->step, share = normal_below(z - w) / grid->below[i];
        double some = share < 1 ? -expm1((range->groups - 1) * log1p(-share)) : 1;
        term = grid->weight[i] * some;
        sum += term;
    }
    return sum;
}

/* Start value: the largest value's own position, or the middle of a wider (upper) or narrower range. */
static double range_likely_largest(double groups, double w, bool upper)
{
    double free = sqrt(2 * log(groups));
    return (w / 2 > free) == upper ? w / 2 : free;
}

static double range_integrate(double (*f)(double, void *), void *parameters, double low, double high)
{
    double value, unused;
    gsl_integration_qk31(&(gsl_function){f, parameters}, low, high, &value, &unused, &unused, &unused);
    return value;
}

static double range_density_within(double share, void *parameters)
{
    const double *span = parameters; /* its upper end and its width */
    return normal_density(span[0] - share * span[1]);
}

/* Φ(z) − Φ(z−wide) on the side where it doesn't cancel; for a small width it would on any. */
static long double normal_between(double z, long double wide)
{
    if (wide < 1)
        return wide * range_integrate(range_density_within, (double[]){z, (double)wide}, 0, 1);
    double w = (double)wide, high = z * M_SQRT1_2, low = (z - w) * M_SQRT1_2;
    if (low > 0)
        return (erfc(low) - erfc(high)) / 2;
    return high < 0 ? (erfc(-high) - erfc(-low)) / 2 : (erf(high) + erf(-low)) / 2;
}

static long double range_log_lower_term(const struct range *range, double z, long double w)
{
    return -z * z / 2 + (range->groups - 1) * logl(normal_between(z, w));
}

static double range_sum_lower_from(const struct range *range, long double w, double z, double step,
                                   long double reference)
{
    double sum = 0, term = 1;
    for (; term > sum * (DBL_EPSILON / 64); z += step) {
        term = exp((double)(range_log_lower_term(range, z, w) - reference));
        sum += term;
    }
    return sum;
}

/* log of the density of log S at v. */
static long double range_log_scale_density(long double dof, long double v)
{
    return LN_2 + logl(dof / (4 * PI)) / 2 - deviance_stirling(dof / 2) - dof / 2 * deviance_exp(2 * v);
}

static long double range_log_probability(const struct range *range, long double w)
{
    if (!range->upper) {
        /* log P(W < w) = log ∫ groups·φ(z)·(Φ(z) − Φ(z−w))^(groups−1) dz. */
        if (w >= FAR)
            return 0;
        double k = range->groups, z = range_likely_largest(k, (double)w, false);
        double curvature = 1 + (k - 1) * (double)(w * normal_density((double)w / 2) / erfl(w / sqrtl(8)));
        double step = fmin(0.5 / sqrt(curvature), range_grid_step(k));
        long double reference = range_log_lower_term(range, z, w);
        double sum = range_sum_lower_from(range, w, z, step, reference) +
                     range_sum_lower_from(range, w, z - step, -step, reference);
        return reference + logl(k * step / sqrtl(2 * PI) * sum);
    }
    /* log P(W ≥ w). */
    if (w >= FAR) {
        long double x = w * w / 4, log_pair = gamma_log_upper(0.5L, x, x - 0.5L, NULL) - LN_2; /* log(1 − Φ(w/√2)) */
        return logl((long double)range->groups * (range->groups - 1)) + log_pair;
    }
    int start = (int)((range_likely_largest(range->groups, (double)w, true) - range->grid.low) / range->grid.step);
    return logl(range_sum_upper_from(range, (double)w, start, 1) +
                range_sum_upper_from(range, (double)w, start - 1, -1));
}

/* At a distance from the peak, which has more digits than the place itself. */
static double range_integrand(double distance, void *parameters)
{
    const struct range *range = parameters;
    long double v = range->peak + distance;
    return (double)expl(range_log_scale_density(range->dof, v) + range_log_probability(range, range->q * expl(v)) -
                        range->height);
}

/*
 * Used to place the nodes: simple forms of the logs above, both concave in v. Above, at most the sum over all pairs;
 * below, about that all values but one lie within ±w/2.
 */
static long double range_log_estimate(const struct range *range, long double v)
{
    long double w = range->q * expl(v), k = range->groups, log_part;
    if (range->upper)
        log_part = fminl(0, logl(k * (k - 1) / 2) + (w < 50 ? logl(erfcl(w / 2)) : -w * w / 4 - logl(w)));
    else
        log_part = (k - 1) * logl(erfl(w / sqrtl(8)));
    return range_log_scale_density(range->dof, v) + log_part;
}

static long double range_log_estimate_slope(const struct range *range, long double v)
{
    long double w = range->q * expl(v), k = range->groups, slope = -range->dof * expm1l(2 * v);
    if (!range->upper)
        return slope + (k - 1) * w / sqrtl(2 * PI) * expl(-w * w / 8) / erfl(w / sqrtl(8));
    if (w >= 50)
        return slope - w * w / 2;
    bool certain = k * (k - 1) / 2 * erfcl(w / 2) >= 1;
    return certain ? slope : slope - w * expl(-w * w / 4) / (sqrtl(PI) * erfcl(w / 2));
}

/* Where the slope falls through 0: left of v = 0 for the upper tail, right of it for the lower. */
static long double range_find_peak(const struct range *range, long double width)
{
    long double low = 0, high = range->upper ? 0 : log1pl((range->groups - 1) / range->dof) / 2;
    if (range->upper)
        for (low = -1; range_log_estimate_slope(range, low) < 0;)
            low *= 2;
    for (int i = 0; i < 1200 && high - low > width / 16; i++) {
        long double middle = (low + high) / 2;
        if (range_log_estimate_slope(range, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* The distance from the peak, in steps of the sign of width, at which the integrand becomes negligible. */
static long double range_find_negligible(const struct range *range, long double width)
{
    long double inside = 0, outside = width, floor = range->height - NEGLIGIBLE;
    while (range_log_estimate(range, range->peak + outside) > floor) {
        inside = outside;
        outside *= 2;
    }
    for (int i = 0; i < 8; i++) {
        long double middle = (inside + outside) / 2;
        if (range_log_estimate(range, range->peak + middle) > floor)
            inside = middle;
        else
            outside = middle;
    }
    return outside;
}

/*
 * From the peak to the end, in panels that grow with their distance from both peak and knee, where the integrand bends:
 * the more groups, the more sharply.
 */
static long double range_integrate_side(struct range *range, long double end)
{
    /* The log S at which the range's distribution matters: the usual range of `groups` values, over q (extreme value
     * theory). */
    double twice = 2 * log(range->groups);
    long double knee = log(2 * sqrt(twice) - (log(twice / 2) + log(4 * M_PI)) / sqrt(twice)) - logl(range->q);
    long double sharp = BEND / (1 + logl(range->groups));
    long double sum = 0, done = 0, length = fabsl(end), panel = fminl(length, sharp);
    while (done < length) {
        long double from = copysignl(done, end);
        panel = fminl(panel, fmaxl(sharp, fabsl(range->peak + from - knee) / 2));
        if (length - done < 1.5L * panel)
            panel = length - done;
        sum += range_integrate(range_integrand, range, (double)from, (double)(from + copysignl(panel, end)));
        done = panel == length - done ? length : done + panel;
        panel *= 2;
    }
    return fabsl(sum);
}

static long double range_log_tail(struct range *range)
{
    if (isinf(range->dof))
        return range_log_probability(range, range->q);
    long double width = 1 / sqrtl(2 * range->dof);
    range->peak = range_find_peak(range, width);
    range->height = range_log_estimate(range, range->peak);
    long double left = range_find_negligible(range, -width), right = range_find_negligible(range, width);
    return range->height + logl(range_integrate_side(range, left) + range_integrate_side(range, right));
}

long double studentized_range_log_upper(double q, double groups, double dof)
{
    struct range range = {.groups = groups, .q = q, .dof = dof, .upper = true};
    double high = FAR / 2.0 + 8;
    assert(q > 0 && groups >= 2 && groups <= STUDENTIZED_RANGE_GROUPS_MAX && dof >= 1);
    range.grid.low = -7;
    range.grid.step = range_grid_step(groups);
    range.grid.count = (int)((high - range.grid.low) / range.grid.step);
    for (int i = 0; i < range.grid.count; i++) {
        double z = range.grid.low + i * range.grid.step, below = normal_below(z);
        range.grid.below[i] = below;
        range.grid.weight[i] = range.grid.step * groups * normal_density(z) * pow(below, groups - 1);
    }
    long double log_upper = range_log_tail(&range);
    if (log_upper < -LN_2)
        return log_upper;
    range.upper = false;
    return log1pl(-expl(range_log_tail(&range)));
}
