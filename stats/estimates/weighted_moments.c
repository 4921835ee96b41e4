#include "stats/estimates/weighted_moments.h"

#include <math.h>

#include "stats/distributions/critical.h"

static const double COV_TAIL = 3, COV_HEAVY = 0.1;

void weighted_moments_add(struct weighted_moments *moments, double x, double weight)
{
    const struct weighted_moments one = {.n = 1, .weight = weight, .weight_squares = weight * weight, .mean = x};
    weighted_moments_merge(moments, &one);
}

void weighted_moments_merge(struct weighted_moments *moments, const struct weighted_moments *other)
{
    if (other->n == 0)
        return;
    double a = moments->weight, b = other->weight, sum = a + b;
    double delta = other->mean - moments->mean, part = delta / sum, ab = a * b;
    moments->fourth += other->fourth + ab * delta * part * part * part * (a * a - ab + b * b) +
                       6 * part * part * (a * a * other->second + b * b * moments->second) +
                       4 * part * (a * other->third - b * moments->third);
    moments->third +=
        other->third + ab * delta * part * part * (a - b) + 3 * part * (a * other->second - b * moments->second);
    moments->second += other->second + ab * delta * part;
    moments->mean = moments->n > 0 ? moments->mean + b * part : other->mean;
    moments->n += other->n;
    moments->weight = sum;
    moments->weight_squares += other->weight_squares;
}

double weighted_moments_effective(const struct weighted_moments *moments)
{
    return moments->n > 0 ? moments->weight * moments->weight / moments->weight_squares : 0;
}

enum stats_status weighted_moments_sd(const struct weighted_moments *moments, double *sd)
{
    double rest = moments->n > 1 ? moments->weight - moments->weight_squares / moments->weight : 0;
    if (rest <= 0)
        return STATS_TOO_FEW;
    *sd = sqrt(moments->second / rest);
    return STATS_OK;
}

enum stats_status cov_interval_of(const struct weighted_moments *moments, double confidence, struct cov_interval *out)
{
    enum { LEAST = 4 };
    double sd, t, skewness, kurtosis, n = weighted_moments_effective(moments);
    *out = (struct cov_interval){NAN, NAN, NAN, false};
    enum stats_status status = weighted_moments_sd(moments, &sd);
    if (status)
        return status;
    if (!(moments->mean > 0))
        return STATS_DOMAIN;
    out->cov = sd / moments->mean;
    if (moments->n < LEAST || n < (double)LEAST / 2.0)
        return STATS_TOO_FEW;
    if (moments->second <= 0) {
        out->low = out->high = 0;
        return STATS_OK;
    }
    status = critical_t(confidence, n - 1, &t);
    if (status)
        return status;
    /* Skewness and kurtosis without their bias in normal samples. Source: Joanes and Gill 1998, G1 and G2. */
    double variance = moments->second / moments->weight;
    double plain = moments->fourth / moments->weight / (variance * variance);
    skewness = moments->third / moments->weight / (variance * sqrt(variance));
    kurtosis = plain;
    if (!(n < 4)) {
        skewness *= sqrt(n * (n - 1)) / (n - 2);
        kurtosis = fmax(plain, 3 + (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (plain - 3) + 6));
    }
    double excess = fmax(kurtosis - 3, 0);
    double relative = fmax((kurtosis - 1) / 4 - skewness * out->cov + out->cov * out->cov, 0) / n;
    double tail = excess * COV_TAIL * sqrt(excess / n) / 4 / n;
    out->low = out->cov / exp(t * sqrt(relative));
    out->high = out->cov * exp(t * sqrt(relative + tail));
    out->heavy = excess > COV_HEAVY * n;
    return STATS_OK;
}
