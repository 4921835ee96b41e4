#include "stats/exact/column.h"

#include <math.h>
#include <stdlib.h>

#include "stats/exact/wide.h"

/* Digits of a decimal; powers of ten that a limb holds; bits below the highest 64 of 113. */
enum { DIGITS = 18, LIMB_POWERS = 19, LOW_BITS = 49 };

#define LOG10_2 0.301029995663981195

/* For values of one binary exponent: value·10^-own ≈ (its highest 64 bits)·factor·2^shift, own the exponent of the last
 * of DIGITS digits, or one less; and 10^(own − column.exponent) = rest·10^(LIMB_POWERS·chunks). */
struct column_scale {
    uint64_t factor, rest;
    int32_t shift, chunks;
};

static uint64_t column_power_of_ten(int32_t exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* own, of values in [2^binary, 2^(binary+1)) */
static int32_t column_last_digit(int binary)
{
    return (int32_t)floor(binary * LOG10_2) - (DIGITS - 1);
}

static enum stats_status column_open_wide(struct column *column)
{
    int most;
    /* The smallest and largest binary exponents of the values; both 0 for zeros. */
    bool any = false, minus;
    column->least = most = 0;
    for (size_t i = 0; i < column->series->n; i++) {
        int binary;
        if (wide_mantissa(column->series->wide[i], &binary, &minus) == 0)
            continue;
        binary += 112;
        column->least = !any || binary < column->least ? binary : column->least;
        most = !any || binary > most ? binary : most;
        any = true;
    }
    column->exponent = column_last_digit(column->least);
    column->bits = (size_t)ceil(most + 1 - column->exponent / LOG10_2);
    size_t count = (size_t)(most - column->least) + 1;
    column->scale = calloc(count, sizeof *column->scale);
    if (!column->scale)
        return STATS_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        int binary = column->least + (int)i;
        int32_t exponent = column->exponent;
        int up;
        bool negative;
        int32_t own = column_last_digit(binary), left = own - exponent;
        wide_u128 factor = wide_mantissa(decimal_scale_quad(1, -own), &up, &negative);
        column->scale[i] = (struct column_scale){.factor = (uint64_t)(factor >> LOW_BITS),
                                                 .shift = up + LOW_BITS,
                                                 .rest = column_power_of_ten(left % LIMB_POWERS),
                                                 .chunks = left / LIMB_POWERS};
    }
    return STATS_OK;
}

enum stats_status column_open(struct column *column, const struct series *series)
{
    enum stats_status status = STATS_OK;
    *column = (struct column){.series = series, .bits = 1};
    if (series && series->wide) {
        status = column_open_wide(column);
    } else if (series) {
        column->exponent = series->exponent;
        column->bits = series->magnitude ? 64 - (size_t)__builtin_clzll((uint64_t)series->magnitude) : 0;
    }
    column->limbs = column->bits / 64 + 1;
    return status;
}

void column_close(struct column *column)
{
    free(column->scale);
    *column = (struct column){0};
}

static void column_value_set_word(struct column_value *out, uint64_t magnitude, bool negative)
{
    out->limb[0] = magnitude;
    out->length = magnitude != 0;
    out->negative = negative && magnitude;
}

static void column_value_multiply(struct column_value *value, uint64_t factor)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < value->length; i++) {
        wide_u128 product = (wide_u128)value->limb[i] * factor + carry;
        value->limb[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    if (carry)
        value->limb[value->length++] = carry;
}

void column_read(const struct column *column, size_t i, struct column_value *out)
{
    if (!column->series) {
        column_value_set_word(out, 1, false);
    } else if (column->series->wide) {
        __float128 value = column->series->wide[i];
        int exponent;
        bool negative;
        wide_u128 mantissa = wide_mantissa(value, &exponent, &negative);
        if (mantissa == 0) {
            column_value_set_word(out, 0, false);
        } else {
            const struct column_scale *scale = &column->scale[exponent + 112 - column->least];
            /* Below 2·10^18; each factor loses less than 2^-63 of itself, which gives an error below 0.44 before
             * rounding. */
            wide_u128 product = (mantissa >> LOW_BITS) * scale->factor;
            int down = -(exponent + LOW_BITS + scale->shift);
            column_value_set_word(out, (uint64_t)(((product >> (down - 1)) + 1) >> 1), negative);
            if (scale->rest > 1)
                column_value_multiply(out, scale->rest);
            for (int32_t k = 0; k < scale->chunks; k++)
                column_value_multiply(out, 10000000000000000000u);
        }
    } else {
        int64_t value = column->series->fixed[i];
        column_value_set_word(out, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
    }
}
