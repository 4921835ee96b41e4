#include "stats/autocorrelation/series_autocorrelation.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <quadmath.h>

#include "stats/autocorrelation/autocorrelation.h"
#include "stats/exact/dot.h"
#include "stats/exact/wide.h"

/* Values are converted to integers in blocks of this size, and no thread gets fewer than PART_MIN of them. */
enum { STRIP_MIN = 4096, PART_MIN = 1 << 16, PARTS_MAX = 256, NARROW_BITS = 28 };

/* --- The series as integers from 0 to below 2^56 --- */

struct source {
    const struct series *series;
    int64_t least;  /* of fixed; for wide: from source_scale_value() */
    unsigned shift; /* fixed: low bits that are rounded away */
    int scale;      /* wide: the unit is 2^-scale */
    unsigned bits;  /* of the largest integer */
};

/* value·2^scale, rounded; below 2^56 for a scale that source_set_up_wide() has chosen. */
static int64_t source_scale_value(__float128 value, int scale)
{
    wide_u128 bits;
    memcpy(&bits, &value, sizeof bits);
    int shift = 16383 + 63 - (int)(bits >> 112 & 0x7fff) - scale; /* of the first 64 bits of the significand */
    uint64_t significand = (uint64_t)1 << 63 | (uint64_t)(bits >> 49);
    if (shift > 64)
        return 0;
    int64_t magnitude = (int64_t)((significand >> (shift - 1)) + 1) >> 1;
    return bits >> 127 ? -magnitude : magnitude;
}

static uint64_t source_value(const struct source *source, size_t i)
{
    if (source->series->wide)
        return (uint64_t)(source_scale_value(source->series->wide[i], source->scale) - source->least);
    uint64_t value = (uint64_t)(source->series->fixed[i] - source->least);
    return source->shift ? ((value >> (source->shift - 1)) + 1) >> 1 : value;
}

static void source_set_up_fixed(struct source *source)
{
    const struct series *series = source->series;
    int64_t least = series->fixed[0], greatest = least;
    for (size_t i = 1; i < series->n; i++) {
        least = series->fixed[i] < least ? series->fixed[i] : least;
        greatest = series->fixed[i] > greatest ? series->fixed[i] : greatest;
    }
    source->least = least;
    uint64_t value = (uint64_t)(greatest - least);
    source->bits = value ? 64 - (unsigned)__builtin_clzll(value) : 0;
    if (source->bits <= DOT_SPLIT_BITS)
        return;
    source->shift = source->bits - DOT_SPLIT_BITS + 1; /* one more, for rounding up */
    source->bits = DOT_SPLIT_BITS;
}

/* Ordered like the values, but much faster to compare. */
static wide_i128 quad_order_bits(__float128 value)
{
    wide_u128 bits, sign = (wide_u128)1 << 127;
    memcpy(&bits, &value, sizeof bits);
    return bits & sign ? -(wide_i128)(bits & ~sign) : (wide_i128)bits;
}

/* A series is wide only if its range is at least 0.78 of the largest magnitude: no sum below exceeds 2^56. */
static void source_set_up_wide(struct source *source)
{
    const __float128 *x = source->series->wide;
    size_t least = 0, greatest = 0;
    wide_i128 least_order = quad_order_bits(x[0]), greatest_order = least_order;
    for (size_t i = 1; i < source->series->n; i++) {
        wide_i128 order = quad_order_bits(x[i]);
        if (order < least_order) {
            least = i;
            least_order = order;
        } else if (order > greatest_order) {
            greatest = i;
            greatest_order = order;
        }
    }
    int exponent;
    frexpq(x[greatest] - x[least], &exponent);
    source->scale = DOT_SPLIT_BITS - 1 - exponent;
    source->least = source_scale_value(x[least], source->scale);
    source->bits = least_order < greatest_order ? DOT_SPLIT_BITS : 0;
}

/* --- Products --- */

/* Σ x_i·x_{i−k} = high·2^64 + low. */
struct sum {
    wide_u128 low, high;
};

/* One thread's: the pairs whose later value is one of [begin, end). */
struct part {
    const struct source *source;
    size_t begin, end, lags;
    size_t groups;           /* of DOT_SPLIT_LAGS lags, from lag 0 */
    size_t before;           /* values of the window before a strip, as many as the last lag needs */
    size_t strip;            /* values of a strip */
    struct sum *sums;        /* [groups · DOT_SPLIT_LAGS]: lag 0 … */
    wide_u128 total;         /* Σ x_i */
    struct dot_split window; /* [before + strip + DOT_NARROW_N]; if values are narrow, they are its limbs */
    pthread_t thread;
    bool started;
};

static bool part_is_narrow(const struct part *part)
{
    return part->source->bits <= NARROW_BITS;
}

static void part_set_value(struct part *part, size_t i, uint64_t value)
{
    if (part_is_narrow(part))
        part->window.limbs[i] = value;
    else
        dot_split_set(part->window, i, value);
}

static void lag_sum_add(struct sum *sum, wide_u128 products)
{
    sum->low += (uint64_t)products;
    sum->high += products >> 64;
}

static void *part_sum_products(void *argument)
{
    struct part *part = argument;
    /* The values that pairs with the first strip need; 0 if there are none, so that their products add nothing. */
    for (size_t i = 0; i < part->before; i++) {
        size_t back = part->before - i;
        part_set_value(part, i, back <= part->begin ? source_value(part->source, part->begin - back) : 0);
    }
    for (size_t start = part->begin; start < part->end; start += part->strip) {
        size_t left = part->end - start, count = left < part->strip ? left : part->strip;
        for (size_t i = 0; i < count; i++) {
            uint64_t value = source_value(part->source, start + i);
            part->total += value;
            part_set_value(part, part->before + i, value);
        }
        for (size_t i = count; i < count + 4; i++) /* blocks consist of whole vectors */
            part_set_value(part, part->before + i, 0);
        for (size_t i = 0; i < count; i += DOT_NARROW_N) {
            size_t n = count - i < DOT_NARROW_N ? count - i : DOT_NARROW_N;
            if (part_is_narrow(part)) {
                const int64_t *x = (const int64_t *)part->window.limbs + part->before + i;
                for (size_t lag = 0; lag <= part->lags; lag++)
                    lag_sum_add(&part->sums[lag], dot_narrow(x, x - lag, n));
            } else {
                size_t at = part->before + i;
                wide_u128 products[DOT_SPLIT_LAGS];
                for (size_t lag = 0; lag < part->groups * DOT_SPLIT_LAGS; lag += DOT_SPLIT_LAGS) {
                    dot_split(part->window, at, at - lag, (n + 3) / 4 * 4, products);
                    for (size_t k = 0; k < DOT_SPLIT_LAGS; k++)
                        lag_sum_add(&part->sums[lag + k], products[k]);
                }
            }
        }
        size_t bytes = part->before * sizeof *part->window.limbs;
        memmove(part->window.limbs, part->window.limbs + count, bytes);
        if (!part_is_narrow(part))
            memmove(part->window.apart, part->window.apart + count, bytes);
    }
    return NULL;
}

/* --- The parts --- */

static enum stats_status autocorrelation_part_init(struct part *part, const struct source *source, size_t lags)
{
    size_t groups = lags / DOT_SPLIT_LAGS + 1, before = groups * DOT_SPLIT_LAGS - 1;
    *part = (struct part){.source = source, .lags = lags, .groups = groups, .before = before};
    size_t wanted = before < STRIP_MIN ? STRIP_MIN : before, most = source->series->n; /* short series, little memory */
    part->strip = ((wanted < most ? wanted : most) / DOT_NARROW_N + 1) * DOT_NARROW_N;
    size_t capacity = before + part->strip + DOT_NARROW_N;
    part->sums = calloc(groups * DOT_SPLIT_LAGS, sizeof *part->sums);
    part->window.limbs = calloc(capacity, sizeof *part->window.limbs);
    part->window.apart = part_is_narrow(part) ? NULL : calloc(capacity, sizeof *part->window.apart);
    if (!part->sums || !part->window.limbs || (!part_is_narrow(part) && !part->window.apart))
        return STATS_NO_MEMORY;
    return STATS_OK;
}

/* Runs all parts, the first, and those without a thread of their own, in this thread, and adds them up in the first. */
static void parts_sum_in_threads(struct part *parts, size_t count)
{
    for (size_t p = 1; p < count; p++)
        parts[p].started = pthread_create(&parts[p].thread, NULL, part_sum_products, &parts[p]) == 0;
    for (size_t p = 0; p < count; p++)
        if (parts[p].started)
            pthread_join(parts[p].thread, NULL);
        else
            part_sum_products(&parts[p]);
    for (size_t p = 1; p < count; p++) {
        parts[0].total += parts[p].total;
        for (size_t lag = 0; lag <= parts[0].lags; lag++) {
            parts[0].sums[lag].low += parts[p].sums[lag].low;
            parts[0].sums[lag].high += parts[p].sums[lag].high;
        }
    }
}

/* --- The result --- */

/* n²·Σ(x_i − x̄)(x_{i+k} − x̄) = n²·Σx_i·x_{i+k} − n·T·(2T − ends) + (n−k)·T², T = Σx_i < 2^91; below 2^220. */
static __float128 part_centred_product(const struct part *part, size_t n, wide_i128 ends, size_t lag)
{
    wide_i128 count = (wide_i128)n, total = (wide_i128)part->total;
    struct sum products = part->sums[lag];
    struct wide a = wide_multiply(count * count, (wide_i128)products.high);
    struct wide sum = (struct wide){a.low << 64, a.high << 64 | a.low >> 64};
    sum = wide_add(sum, wide_multiply(count * count, (wide_i128)products.low));
    sum = wide_subtract(sum, wide_multiply(count * total, 2 * total - ends));
    return wide_to_quad(wide_add(sum, wide_multiply((count - (wide_i128)lag) * total, total)));
}

enum stats_status series_autocorrelation(const struct series *series, size_t lags, unsigned jobs, double *r)
{
    struct source source = {.series = series};
    if (lags < 1 || lags > AUTOCORRELATION_LAGS_MAX)
        return STATS_DOMAIN;
    if (series->n <= lags)
        return STATS_TOO_FEW;
    if (series->n > SERIES_AUTOCORRELATION_N_MAX)
        return STATS_OVERFLOW;
    if (series->wide)
        source_set_up_wide(&source);
    else
        source_set_up_fixed(&source);
    if (source.bits == 0)
        return STATS_CONSTANT;

    size_t most = series->n / PART_MIN + 1 < PARTS_MAX ? series->n / PART_MIN + 1 : PARTS_MAX, set_up = 0;
    size_t count = jobs < 1 ? 1 : jobs < most ? jobs : most;
    struct part *parts = calloc(count, sizeof *parts);
    enum stats_status status = parts ? STATS_OK : STATS_NO_MEMORY;
    while (!status && set_up < count) {
        struct part *part = &parts[set_up];
        status = autocorrelation_part_init(part, &source, lags);
        part->begin = set_up * (series->n / count);
        part->end = ++set_up < count ? part->begin + series->n / count : series->n;
    }
    if (!status) {
        parts_sum_in_threads(parts, count);
        const struct part *part = &parts[0];
        size_t n = part->source->series->n;
        __float128 variance = part_centred_product(part, n, 0, 0);
        wide_i128 ends = 0; /* the first k and the last k values */
        for (size_t k = 1; k <= lags; k++) {
            ends += (wide_i128)source_value(part->source, k - 1) + source_value(part->source, n - k);
            r[k - 1] = (double)(part_centred_product(part, n, ends, k) / variance);
        }
    }
    for (size_t p = 0; p < set_up; p++) {
        free(parts[p].sums);
        free(parts[p].window.limbs);
        free(parts[p].window.apart);
    }
    free(parts);
    return status;
}
