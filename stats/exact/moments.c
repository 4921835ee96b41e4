#include "stats/exact/moments.h"

#include <stdbool.h>

static void moments_add_square(struct moments *moments, wide_u128 square, uint64_t high)
{
    moments->squares_low += square;
    moments->squares_high += high + (moments->squares_low < square);
}

static void moments_widen_range(struct moments *moments, wide_i128 min, wide_i128 max)
{
    if (moments->n == 0 || min < moments->min)
        moments->min = min;
    if (moments->n == 0 || max > moments->max)
        moments->max = max;
}

static void moments_add_value(struct moments *moments, wide_i128 x, uint64_t magnitude)
{
    moments_widen_range(moments, x, x);
    moments->sum += x;
    moments_add_square(moments, (wide_u128)magnitude * magnitude, 0);
    moments->n++;
}

void moments_add_signed(struct moments *moments, int64_t x)
{
    moments_add_value(moments, x, x < 0 ? -(uint64_t)x : (uint64_t)x);
}

void moments_add_unsigned(struct moments *moments, uint64_t x)
{
    moments_add_value(moments, x, x);
}

enum stats_status moments_merge(struct moments *moments, const struct moments *other)
{
    if (other->n > MOMENTS_N_MAX || moments->n > MOMENTS_N_MAX - other->n)
        return STATS_OVERFLOW;
    if (other->n == 0)
        return STATS_OK;
    moments_widen_range(moments, other->min, other->max);
    moments->sum += other->sum;
    moments_add_square(moments, other->squares_low, other->squares_high);
    moments->n += other->n;
    return STATS_OK;
}

void moments_scale(struct moments *moments, int64_t factor)
{
    struct wide squares = {moments->squares_low, moments->squares_high};
    for (int i = 0; i < 2; i++)
        squares = wide_multiply_192(squares.low, (uint64_t)squares.high, (uint64_t)factor);
    moments->squares_low = squares.low;
    moments->squares_high = (uint64_t)squares.high;
    moments->sum *= factor;
    moments->min *= factor;
    moments->max *= factor;
}

enum stats_status moments_mean(const struct moments *moments, double *mean)
{
    if (moments->n < 1)
        return STATS_TOO_FEW;
    *mean = (double)((__float128)moments->sum / (__float128)moments->n);
    return STATS_OK;
}

/* n·Σx² − (Σx)²: below 2^254 since n < 2^63 and |x| < 2^64. */
static struct wide moments_scaled_deviations(const struct moments *moments)
{
    struct wide squares = wide_multiply_192(moments->squares_low, moments->squares_high, moments->n);
    return wide_subtract(squares, wide_multiply(moments->sum, moments->sum));
}

enum stats_status moments_quad(const struct moments *moments, __float128 *mean, __float128 *deviations)
{
    if (moments->n < 1)
        return STATS_TOO_FEW;
    __float128 n = (__float128)moments->n;
    *mean = (__float128)moments->sum / n;
    *deviations = wide_to_quad(moments_scaled_deviations(moments)) / n;
    return STATS_OK;
}

enum stats_status moments_sd(const struct moments *moments, double *sd)
{
    if (moments->n < 2)
        return STATS_TOO_FEW;
    __float128 n = (__float128)moments->n;
    *sd = (double)wide_square_root(wide_to_quad(moments_scaled_deviations(moments)) / (n * (n - 1)));
    return STATS_OK;
}

void moments_to_words(const struct moments *moments, uint64_t words[MOMENTS_WORDS])
{
    words[0] = moments->n;
    wide_to_words((wide_u128)moments->sum, words + 1);
    wide_to_words(moments->squares_low, words + 3);
    words[5] = moments->squares_high;
    wide_to_words((wide_u128)moments->min, words + 6);
    wide_to_words((wide_u128)moments->max, words + 8);
}

/* n·min ≤ Σx ≤ n·max, values of 64 bits, and a variance of 0 only if they are equal: all of which holds for any values.
 */
static bool moments_are_plausible(const struct moments *moments)
{
    if (moments->n > MOMENTS_N_MAX)
        return false;
    if (moments->n == 0)
        return !moments->sum && !moments->squares_low && !moments->squares_high && !moments->min && !moments->max;
    wide_i128 n = moments->n;
    if (moments->min < INT64_MIN || moments->max > UINT64_MAX || moments->min > moments->max ||
        moments->sum < n * moments->min || moments->sum > n * moments->max)
        return false;
    if (moments->squares_high >> 63)
        return false;
    struct wide deviations = moments_scaled_deviations(moments);
    return deviations.high >> 127 == 0 && wide_is_zero(deviations) == (moments->min == moments->max);
}

enum stats_status moments_from_words(const uint64_t words[MOMENTS_WORDS], struct moments *moments)
{
    struct moments loaded = {.n = words[0],
                             .sum = (wide_i128)wide_from_words(words + 1),
                             .squares_low = wide_from_words(words + 3),
                             .squares_high = words[5],
                             .min = (wide_i128)wide_from_words(words + 6),
                             .max = (wide_i128)wide_from_words(words + 8)};
    if (!moments_are_plausible(&loaded))
        return STATS_DOMAIN;
    *moments = loaded;
    return STATS_OK;
}
