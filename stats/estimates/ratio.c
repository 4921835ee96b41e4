#include "stats/estimates/ratio.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "stats/estimates/interval.h"
#include "stats/estimates/order.h"
#include "stats/estimates/resample.h"

static bool ratio_side_is_valid(struct ratio_side side)
{
    return isfinite(side.mean) && side.mean >= 0 && isfinite(side.sd) && side.sd >= 0;
}

static enum stats_status ratio_set_finite(struct ratio ratio, struct ratio *out)
{
    if (!isfinite(ratio.ratio) || !isfinite(ratio.low) || !isfinite(ratio.high))
        return STATS_OVERFLOW;
    *out = ratio;
    return STATS_OK;
}

/* Two samples, whose means have these squared standard errors. */
struct fieller {
    struct ratio_side x, y;
    double error_x, error_y;
    double confidence;
};

/* Whether Welch's t test of x against ratio·y rejects equal means. */
static enum stats_status fieller_rejects(const struct fieller *fieller, double ratio, bool *rejected)
{
    double q, a = fieller->error_x, b = ratio * ratio * fieller->error_y, both = a + b;
    double difference = fabs(fieller->x.mean - ratio * fieller->y.mean);
    *rejected = difference > 0;
    if (both == 0)
        return STATS_OK;
    double dof = both * both / (a * a / (double)(fieller->x.n - 1) + b * b / (double)(fieller->y.n - 1));
    enum stats_status status = interval_quantile(INTERVAL_T, dof, fieller->confidence, &q);
    *rejected = difference > q * sqrt(both);
    return status;
}

/* The end of the interval between a ratio in it and one that is rejected, to the last bit. */
static enum stats_status fieller_bisect_end(const struct fieller *fieller, double inside, double outside, double *end)
{
    enum stats_status status = STATS_OK;
    double middle = (inside + outside) / 2;
    while (!status && middle != inside && middle != outside) {
        bool rejected;
        status = fieller_rejects(fieller, middle, &rejected);
        if (rejected)
            outside = middle;
        else
            inside = middle;
        middle = (inside + outside) / 2;
    }
    *end = inside;
    return status;
}

/* The end in the direction of `step`, from a ratio that is not rejected. */
static enum stats_status fieller_find_end(const struct fieller *fieller, double inside, double step, double *end)
{
    enum { DOUBLINGS = 60 };
    for (int i = 0; i < DOUBLINGS; i++, step *= 2) {
        bool rejected;
        enum stats_status status = fieller_rejects(fieller, inside + step, &rejected);
        if (status)
            return status;
        if (rejected)
            return fieller_bisect_end(fieller, inside, inside + step, end);
        inside += step;
    }
    return STATS_DOMAIN;
}

enum stats_status ratio_fieller(struct ratio_side x, struct ratio_side y, double confidence, struct ratio *out)
{
    if (!ratio_side_is_valid(x) || !ratio_side_is_valid(y) || !(y.mean > 0) || !(confidence > 0 && confidence < 1))
        return STATS_DOMAIN;
    if (x.n < 2 || y.n < 2)
        return STATS_TOO_FEW;
    const struct fieller fieller = {x, y, x.sd * x.sd / (double)x.n, y.sd * y.sd / (double)y.n, confidence};
    double ratio = x.mean / y.mean;
    double step = sqrt(fieller.error_x + ratio * ratio * fieller.error_y) / y.mean;
    struct ratio found = {ratio, ratio, ratio};
    bool one = false;
    if (!isfinite(ratio) || !isfinite(step))
        return STATS_OVERFLOW;
    if (step == 0)
        return ratio_set_finite(found, out);
    /* From 1 where that lies on the way, so that the interval has it exactly where the test has no difference. */
    enum stats_status status = fieller_rejects(&fieller, 1, &one);
    if (!status)
        status = ratio > 1 && one ? fieller_bisect_end(&fieller, ratio, 1, &found.low)
                 : ratio > 1      ? fieller_find_end(&fieller, 1, -step, &found.low)
                                  : fieller_find_end(&fieller, ratio, -step, &found.low);
    if (!status)
        status = ratio < 1 && one ? fieller_bisect_end(&fieller, ratio, 1, &found.high)
                 : ratio < 1      ? fieller_find_end(&fieller, 1, step, &found.high)
                                  : fieller_find_end(&fieller, ratio, step, &found.high);
    return status ? status : ratio_set_finite(found, out);
}

/* ------------------------------------------------------------------------------------------ bootstrap -- */

/* The mean of n values drawn with replacement. */
static double ratio_resampled_mean(struct ratio_sample x, uint64_t *state)
{
    double sum = 0;
    for (size_t i = 0; i < x.n; i++)
        sum += x.values[resample_index(state, x.n)];
    return sum / (double)x.n;
}

static enum stats_status ratio_sample_mean(struct ratio_sample x, double *mean)
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
static void influence_add_sample(struct influence *influence, struct ratio_sample x, double mean, double scale)
{
    for (size_t i = 0; i < x.n; i++) {
        long double l = (long double)scale * (x.values[i] - mean) / (long double)x.n;
        influence->squares += l * l;
        influence->cubes += l * l * l;
    }
}

/* How many ratios lie below, a tie counting half, as a share within (0, 1). */
static double ratio_share_below(const double *sorted, size_t count, double ratio)
{
    size_t below = 0, equal = 0;
    assert(count > 0);
    while (below < count && sorted[below] < ratio)
        below++;
    while (below + equal < count && sorted[below + equal] == ratio)
        equal++;
    double share = ((double)below + (double)equal / 2) / (double)count, least = 0.5 / (double)count;
    return fmin(fmax(share, least), 1 - least);
}

static enum stats_status bootstrap_resample(struct ratio_sample x, struct ratio_sample y, size_t count, double *ratios)
{
    uint64_t state = 0x2545f4914f6cdd1d;
    for (size_t i = 0; i < count; i++) {
        double below = ratio_resampled_mean(y, &state);
        if (!(below > 0))
            return STATS_DOMAIN;
        ratios[i] = ratio_resampled_mean(x, &state) / below;
    }
    order_sort(ratios, count);
    return STATS_OK;
}

/* Resampled ratios, and what corrects their quantiles. */
struct bootstrap {
    double ratio, bias, acceleration;
    double *ratios; /* [count], sorted; NULL: both samples are constant */
    size_t count;
};

static enum stats_status ratio_bootstrap_init(struct bootstrap *bootstrap, struct ratio_sample x, struct ratio_sample y,
                                              unsigned resamples)
{
    double mean_x, mean_y;
    struct influence influence = {0, 0};
    if (resamples < 100)
        return STATS_DOMAIN;
    if (x.n < 2 || y.n < 2)
        return STATS_TOO_FEW;
    if (ratio_sample_mean(x, &mean_x) || ratio_sample_mean(y, &mean_y) || mean_x < 0 || !(mean_y > 0))
        return STATS_DOMAIN;
    *bootstrap = (struct bootstrap){.ratio = mean_x / mean_y, .count = resamples};
    influence_add_sample(&influence, x, mean_x, 1 / mean_y);
    influence_add_sample(&influence, y, mean_y, -bootstrap->ratio / mean_y);
    if (influence.squares == 0)
        return STATS_OK;
    bootstrap->acceleration = (double)(influence.cubes / (6 * influence.squares * sqrtl(influence.squares)));
    bootstrap->ratios = malloc(resamples * sizeof *bootstrap->ratios);
    enum stats_status status =
        bootstrap->ratios ? bootstrap_resample(x, y, resamples, bootstrap->ratios) : STATS_NO_MEMORY;
    if (status)
        free(bootstrap->ratios);
    else
        bootstrap->bias = gsl_cdf_ugaussian_Pinv(ratio_share_below(bootstrap->ratios, resamples, bootstrap->ratio));
    return status;
}

/* The end of a one-sided interval with this share below it. */
static double bootstrap_end_at(const struct bootstrap *bootstrap, double share)
{
    /* BCa: the quantile that replaces the one at probability `share`. */
    double z = bootstrap->bias + gsl_cdf_ugaussian_Pinv(share), scale = 1 - bootstrap->acceleration * z;
    double corrected = scale > 0 ? gsl_cdf_ugaussian_P(bootstrap->bias + z / scale) : share < 0.5 ? 0 : 1;
    size_t count = bootstrap->count;
    double rank = corrected * (double)(count + 1) - 1; /* the k-th of B is the quantile at k/(B+1) */
    double position = fmin(fmax(rank / (double)(count - 1), 0), 1), value = bootstrap->ratios[0];
    order_quantile(bootstrap->ratios, count, position, &value);
    return value;
}

enum stats_status ratio_bootstrap(struct ratio_sample x, struct ratio_sample y, unsigned resamples, double confidence,
                                  struct ratio *out)
{
    struct bootstrap found;
    double tail = (1 - confidence) / 2;
    if (!(confidence > 0 && confidence < 1))
        return STATS_DOMAIN;
    enum stats_status status = ratio_bootstrap_init(&found, x, y, resamples);
    if (status)
        return status;
    if (!found.ratios)
        return ratio_set_finite((struct ratio){found.ratio, found.ratio, found.ratio}, out);
    status = ratio_set_finite(
        (struct ratio){found.ratio, bootstrap_end_at(&found, tail), bootstrap_end_at(&found, 1 - tail)}, out);
    free(found.ratios);
    return status;
}

/* The least share for which the end is above the value, or from which on it is not below. */
static double bootstrap_share_at(const struct bootstrap *bootstrap, double value, bool above)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2, end = bootstrap_end_at(bootstrap, middle);
        if (above ? end > value : end >= value)
            high = middle;
        else
            low = middle;
    }
    return above ? high : low;
}

enum stats_status ratio_bootstrap_test(struct ratio_sample x, struct ratio_sample y, unsigned resamples, double value,
                                       struct ratio_tails *out)
{
    struct bootstrap found;
    enum stats_status status = ratio_bootstrap_init(&found, x, y, resamples);
    if (status || !found.ratios)
        return status ? status : STATS_CONSTANT;
    double least = 1 / ((double)resamples + 1);
    *out = (struct ratio_tails){fmax(1 - bootstrap_share_at(&found, value, false), least),
                                fmax(bootstrap_share_at(&found, value, true), least)};
    free(found.ratios);
    return STATS_OK;
}
