#include "stats/estimates/ratio.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "stats/estimates/interval.h"
#include "stats/estimates/order.h"
#include "stats/estimates/resample.h"

/* ------------------------------------------------------------------------------------------ delta -- */

static bool is_side(struct ratio_side side)
{
    return isfinite(side.mean) && side.mean >= 0 && isfinite(side.sd) && side.sd >= 0;
}

static double relative_variance(struct ratio_side side)
{
    double relative = side.sd / side.mean;
    return relative * relative / (double)side.n;
}

static enum stats_status finite_ratio(struct ratio ratio, struct ratio *out)
{
    if (!isfinite(ratio.ratio) || !isfinite(ratio.low) || !isfinite(ratio.high))
        return STATS_OVERFLOW;
    *out = ratio;
    return STATS_OK;
}

enum stats_status ratio_delta(struct ratio_side x, struct ratio_side y, double confidence, struct ratio *out)
{
    double q;
    if (!is_side(x) || !is_side(y) || !(y.mean > 0) || !(confidence > 0 && confidence < 1))
        return STATS_DOMAIN;
    if (x.n < 2 || y.n < 2)
        return STATS_TOO_FEW;
    double ratio = x.mean / y.mean, v_y = relative_variance(y);
    double v_x = x.sd == 0 ? 0 : x.mean > 0 ? relative_variance(x) : INFINITY, both = v_x + v_y;
    if (both == 0)
        return finite_ratio((struct ratio){ratio, ratio, ratio}, out);
    if (isinf(both)) /* a mean of 0 has no relative error */
        return STATS_DOMAIN;
    double dof = both * both / (v_x * v_x / (double)(x.n - 1) + v_y * v_y / (double)(y.n - 1));
    enum stats_status status = interval_quantile(INTERVAL_T, dof, confidence, &q);
    double half = status ? 0 : ratio * q * sqrt(both);
    return status ? status : finite_ratio((struct ratio){ratio, ratio - half, ratio + half}, out);
}

/* ------------------------------------------------------------------------------------------ bootstrap -- */

/* The mean of n values drawn with replacement. */
static double resampled_mean(struct ratio_sample x, uint64_t *state)
{
    double sum = 0;
    for (size_t i = 0; i < x.n; i++)
        sum += x.values[resample_index(state, x.n)];
    return sum / (double)x.n;
}

static enum stats_status mean_of(struct ratio_sample x, double *mean)
{
    long double sum = 0;
    for (size_t i = 0; i < x.n; i++)
        sum += x.values[i];
    if (!isfinite(sum))
        return STATS_DOMAIN;
    *mean = (double)(sum / (long double)x.n);
    return STATS_OK;
}

struct influence {
    long double squares, cubes;
};

/* Σ (l/n)² and Σ (l/n)³ of the influence values l = scale·(x_i − x̄). */
static void add_influence(struct influence *influence, struct ratio_sample x, double mean, double scale)
{
    for (size_t i = 0; i < x.n; i++) {
        long double l = (long double)scale * (x.values[i] - mean) / (long double)x.n;
        influence->squares += l * l;
        influence->cubes += l * l * l;
    }
}

/* How many ratios lie below, a tie counting half, as a share within (0, 1). */
static double share_below(const double *sorted, size_t count, double ratio)
{
    size_t below = 0, equal = 0;
    while (below < count && sorted[below] < ratio)
        below++;
    while (below + equal < count && sorted[below + equal] == ratio)
        equal++;
    double share = ((double)below + (double)equal / 2) / (double)count, least = 0.5 / (double)count;
    return fmin(fmax(share, least), 1 - least);
}

/* The quantile that replaces the one at probability `share` in BCa. */
static double corrected(double share, double bias, double acceleration)
{
    double z = bias + gsl_cdf_ugaussian_Pinv(share), scale = 1 - acceleration * z;
    return scale > 0 ? gsl_cdf_ugaussian_P(bias + z / scale) : share < 0.5 ? 0 : 1;
}

static double at(const double *sorted, size_t count, double share)
{
    double rank = share * (double)(count + 1) - 1; /* the k-th of B is the quantile at k/(B+1) */
    double place = fmin(fmax(rank / (double)(count - 1), 0), 1), value = sorted[0];
    order_quantile(sorted, count, place, &value);
    return value;
}

static enum stats_status resample(struct ratio_sample x, struct ratio_sample y, size_t count, double *ratios)
{
    uint64_t state = 0x2545f4914f6cdd1d;
    for (size_t i = 0; i < count; i++) {
        double below = resampled_mean(y, &state);
        if (!(below > 0))
            return STATS_DOMAIN;
        ratios[i] = resampled_mean(x, &state) / below;
    }
    order_sort(ratios, count);
    return STATS_OK;
}

enum stats_status ratio_bootstrap(struct ratio_sample x, struct ratio_sample y, unsigned resamples, double confidence,
                                  struct ratio *out)
{
    double mean_x, mean_y;
    if (!(confidence > 0 && confidence < 1) || resamples < 100)
        return STATS_DOMAIN;
    if (x.n < 2 || y.n < 2)
        return STATS_TOO_FEW;
    if (mean_of(x, &mean_x) || mean_of(y, &mean_y) || mean_x < 0 || !(mean_y > 0))
        return STATS_DOMAIN;
    double ratio = mean_x / mean_y;
    struct influence influence = {0, 0};
    add_influence(&influence, x, mean_x, 1 / mean_y);
    add_influence(&influence, y, mean_y, -ratio / mean_y);
    if (influence.squares == 0)
        return finite_ratio((struct ratio){ratio, ratio, ratio}, out);
    double acceleration = (double)(influence.cubes / (6 * influence.squares * sqrtl(influence.squares)));
    double *ratios = malloc(resamples * sizeof *ratios);
    if (!ratios)
        return STATS_NO_MEMORY;
    enum stats_status status = resample(x, y, resamples, ratios);
    if (!status) {
        double bias = gsl_cdf_ugaussian_Pinv(share_below(ratios, resamples, ratio)), tail = (1 - confidence) / 2;
        status = finite_ratio((struct ratio){ratio, at(ratios, resamples, corrected(tail, bias, acceleration)),
                                             at(ratios, resamples, corrected(1 - tail, bias, acceleration))},
                              out);
    }
    free(ratios);
    return status;
}
