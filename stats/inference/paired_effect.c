#include "stats/inference/paired_effect.h"

#include <math.h>
#include <quadmath.h>

#include "stats/distributions/critical.h"
#include "stats/distributions/noncentral_t.h"
#include "stats/estimates/group.h"
#include "stats/inference/paired_parts.h"

static bool paired_effect_has_confidence(double confidence)
{
    return confidence > 0 && 1 - confidence >= 2e-9;
}

/* Sums of squared deviations of the values of either side and of the differences, and the mean difference. */
struct paired_spread {
    __float128 mean, differences, values;
};

static struct paired_spread paired_effect_spread(const struct paired *pairs)
{
    const __float128 n = (__float128)pairs->n;
    __float128 x = 0, y = 0, d = 0;
    struct paired_spread spread = {0};
    for (size_t i = 0; i < pairs->n; i++) {
        x += pairs->x[i];
        y += pairs->y[i];
        d += paired_difference(pairs, i, 1);
    }
    spread.mean = d / n;
    for (size_t i = 0; i < pairs->n; i++) {
        __float128 off_x = pairs->x[i] - x / n, off_y = pairs->y[i] - y / n;
        __float128 off = paired_difference(pairs, i, 1) - spread.mean;
        spread.values += off_x * off_x + off_y * off_y;
        spread.differences += off * off;
    }
    return spread;
}

/* J·d̄/s, where s² is `squares` over the degrees of freedom, with the interval of the noncentrality of t. */
static enum stats_status paired_effect_standardized(const struct paired *pairs, const struct paired_spread *spread,
                                                    __float128 squares, double confidence, struct effect *out)
{
    struct effect effect = {.low = NAN, .high = NAN, .no_interval = STATS_CONSTANT};
    const __float128 n = (__float128)pairs->n, dof = n - 1;
    double correction, t, scale, low, high;
    enum stats_status status = noncentral_t_correction((double)dof, &correction);
    if (!status)
        status = group_to_double((__float128)correction * spread->mean / sqrtq(squares / dof), &effect.value);
    if (!status && spread->differences > 0) {
        status = group_to_double(spread->mean / sqrtq(spread->differences / (n * dof)), &t);
        if (!status)
            status = group_to_double((__float128)correction * sqrtq(spread->differences / squares / n), &scale);
        if (status)
            return status;
        effect.no_interval = noncentral_t_limit(t, (double)dof, (1 - confidence) / 2, &low);
        if (!effect.no_interval)
            effect.no_interval = noncentral_t_limit(-t, (double)dof, (1 - confidence) / 2, &high);
        effect.low = effect.no_interval ? NAN : low * scale;
        effect.high = effect.no_interval ? NAN : -high * scale;
    }
    if (!status)
        *out = effect;
    return status;
}

enum stats_status paired_effect_gz(const struct paired *pairs, double confidence, struct effect *out)
{
    if (pairs->n < 3)
        return STATS_TOO_FEW;
    if (!paired_effect_has_confidence(confidence))
        return STATS_DOMAIN;
    const struct paired_spread spread = paired_effect_spread(pairs);
    return spread.differences > 0 ? paired_effect_standardized(pairs, &spread, spread.differences, confidence, out)
                                  : STATS_CONSTANT;
}

enum stats_status paired_effect_gav(const struct paired *pairs, double confidence, struct effect *out)
{
    if (pairs->n < 3)
        return STATS_TOO_FEW;
    if (!paired_effect_has_confidence(confidence))
        return STATS_DOMAIN;
    const struct paired_spread spread = paired_effect_spread(pairs);
    return spread.values > 0 ? paired_effect_standardized(pairs, &spread, spread.values / 2, confidence, out)
                             : STATS_CONSTANT;
}

enum stats_status paired_effect_rank(const struct paired *pairs, double confidence, struct effect *out)
{
    struct paired_test test;
    double z;
    if (!paired_effect_has_confidence(confidence))
        return STATS_DOMAIN;
    enum stats_status status = paired_wilcoxon(pairs, 1, &test);
    if (!status)
        status = test.used > 0 ? critical_t(confidence, INFINITY, &z) : STATS_CONSTANT;
    if (status)
        return status;
    const double m = (double)test.used, all = m * (m + 1) / 2, r = 2 * test.statistic / all - 1;
    if (fabs(r) < 1) {
        double half = z * sqrt((2 * m + 1) * 2 / (3 * m * (m + 1)));
        *out = (struct effect){r, tanh(atanh(r) - half), tanh(atanh(r) + half), STATS_OK};
        return STATS_OK;
    }
    double bound = fmax((m - z * z) / (m + z * z), -1);
    *out = (struct effect){r, r > 0 ? bound : -1, r > 0 ? 1 : -bound, STATS_OK};
    return STATS_OK;
}
