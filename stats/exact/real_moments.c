#include "stats/exact/real_moments.h"

#include <assert.h>
#include <math.h>

#include <quadmath.h>

/* Common exponent of values that are all 0: larger than any. */
static const int32_t any_exponent = INT32_MAX;

uint64_t real_moments_n(const struct real_moments *moments)
{
    return moments->wide ? moments->n : moments->fixed.n;
}

/* --- As integers --- */

static int32_t real_moments_exponent(const struct real_moments *moments)
{
    return moments->fixed.min != 0 || moments->fixed.max != 0 ? moments->exponent : any_exponent;
}

/* Changes the integers to `exponent`, which is not larger. False, with nothing changed, if they grow too large.
 */
static bool real_moments_rescale(struct real_moments *moments, int32_t exponent)
{
    int64_t power, end;
    if (real_moments_exponent(moments) != any_exponent && exponent != moments->exponent) {
        if (!decimal_align((struct decimal){(int64_t)moments->fixed.min, moments->exponent}, exponent, &end) ||
            !decimal_align((struct decimal){(int64_t)moments->fixed.max, moments->exponent}, exponent, &end) ||
            !decimal_align((struct decimal){1, moments->exponent}, exponent, &power))
            return false;
        moments_scale(&moments->fixed, power);
    }
    moments->exponent = exponent;
    return true;
}

/* The number of values that fit; the others are not added. */
static size_t real_moments_add_fixed(struct real_moments *moments, const struct decimal *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t fixed = values[i].digits;
        if (values[i].exponent != real_moments_exponent(moments)) {
            /* The value as an integer, after bringing the sums to its exponent if that is smaller. */
            struct decimal value = values[i];
            int32_t exponent = real_moments_exponent(moments);
            if (value.exponent < exponent && value.digits != 0) {
                struct decimal reduced = decimal_reduce(value);
                exponent = reduced.exponent < exponent ? reduced.exponent : exponent;
            }
            if (exponent == any_exponent)
                exponent = 0;
            if (!decimal_align(value, exponent, &fixed) || !real_moments_rescale(moments, exponent))
                return i;
        }
        moments_add_signed(&moments->fixed, fixed);
    }
    return n;
}

static bool real_moments_merge_fixed(struct real_moments *moments, const struct real_moments *other)
{
    struct real_moments copy = *other;
    int32_t mine = real_moments_exponent(moments), its = real_moments_exponent(other),
            exponent = mine < its ? mine : its;
    if (exponent == any_exponent)
        exponent = 0;
    if (!real_moments_rescale(&copy, exponent) || !real_moments_rescale(moments, exponent))
        return false;
    return moments_merge(&moments->fixed, &copy.fixed) == STATS_OK; /* its count has been checked */
}

/* --- In 113 bits --- */

static void real_moments_make_wide(struct real_moments *moments)
{
    if (moments->wide)
        return;
    struct moments fixed = moments->fixed;
    int32_t exponent = moments->exponent;
    *moments = (struct real_moments){.wide = true, .n = fixed.n};
    if (moments_quad(&fixed, &moments->mean, &moments->deviations))
        return; /* there are no values */
    moments->mean = decimal_scale_quad(moments->mean, exponent);
    moments->deviations = decimal_scale_quad(decimal_scale_quad(moments->deviations, exponent), exponent);
}

static void real_moments_merge_wide(struct real_moments *moments, const struct real_moments *other)
{
    assert(moments->wide && other->wide && other->n > 0);
    if (moments->n == 0) {
        *moments = *other;
        return;
    }
    __float128 mine = (__float128)moments->n, its = (__float128)other->n, all = mine + its;
    __float128 difference = other->mean - moments->mean;
    moments->n += other->n;
    moments->mean += difference * (its / all);
    moments->deviations += other->deviations + difference * difference * (mine * its / all);
}

/* --- Both --- */

enum stats_status real_moments_add(struct real_moments *moments, const struct decimal *values, size_t n)
{
    if (n > MOMENTS_N_MAX || real_moments_n(moments) > MOMENTS_N_MAX - n)
        return STATS_OVERFLOW;
    size_t added = moments->wide ? 0 : real_moments_add_fixed(moments, values, n);
    if (added < n)
        real_moments_make_wide(moments);
    for (; added < n; added++)
        real_moments_merge_wide(moments,
                                &(struct real_moments){.wide = true, .n = 1, .mean = decimal_to_quad(values[added])});
    return STATS_OK;
}

enum stats_status real_moments_merge(struct real_moments *moments, const struct real_moments *other)
{
    uint64_t n = real_moments_n(other);
    if (n > MOMENTS_N_MAX || real_moments_n(moments) > MOMENTS_N_MAX - n)
        return STATS_OVERFLOW;
    if (n == 0 || (!moments->wide && !other->wide && real_moments_merge_fixed(moments, other)))
        return STATS_OK;
    struct real_moments copy = *other;
    real_moments_make_wide(&copy);
    real_moments_make_wide(moments);
    real_moments_merge_wide(moments, &copy);
    return STATS_OK;
}

enum stats_status real_moments_quad(const struct real_moments *moments, __float128 *mean, __float128 *deviations)
{
    struct real_moments copy = *moments;
    if (real_moments_n(moments) < 1)
        return STATS_TOO_FEW;
    real_moments_make_wide(&copy);
    *mean = copy.mean;
    *deviations = copy.deviations;
    return STATS_OK;
}

/* Neither beyond the doubles nor so small that it would become 0. */
static enum stats_status real_moments_round(__float128 value, double *out)
{
    double result = (double)value;
    if (!isfinite(result) || (result == 0 && value != 0))
        return STATS_OVERFLOW;
    *out = result;
    return STATS_OK;
}

enum stats_status real_moments_mean(const struct real_moments *moments, double *mean)
{
    __float128 exact, deviations;
    enum stats_status status = real_moments_quad(moments, &exact, &deviations);
    return status ? status : real_moments_round(exact, mean);
}

enum stats_status real_moments_sd(const struct real_moments *moments, double *sd)
{
    __float128 mean, deviations;
    uint64_t n = real_moments_n(moments);
    if (n < 2)
        return STATS_TOO_FEW;
    enum stats_status status = real_moments_quad(moments, &mean, &deviations);
    return status ? status : real_moments_round(sqrtq(deviations / (__float128)(n - 1)), sd);
}

void real_moments_of_series(const struct series *series, struct real_moments *out)
{
    struct real_moments moments = {.wide = series->wide != NULL, .exponent = series->exponent};
    for (size_t i = 0; i < series->n; i++) {
        if (series->wide) {
            real_moments_merge_wide(&moments, &(struct real_moments){.wide = true, .n = 1, .mean = series->wide[i]});
        } else {
            moments_add_signed(&moments.fixed, series->fixed[i]);
        }
    }
    *out = moments;
}
