#include "stats/column.h"

#include <math.h>

#include "stats/wide.h"

/* Digits of a decimal; powers of ten that a limb holds. */
enum { DIGITS = 18, LIMB_POWERS = 19 };

#define LOG10_2 0.301029995663981195

static size_t bits_of(uint64_t magnitude)
{
    return magnitude ? 64 - (size_t)__builtin_clzll(magnitude) : 0;
}

/* e with 2^e ≤ |value| < 2^(e+1). */
static int binary_exponent(__float128 value)
{
    int exponent;
    bool negative;
    wide_mantissa(value, &exponent, &negative);
    return exponent + 112;
}

/* The exponent of the last of DIGITS digits, or one less. */
static int32_t last_digit(int binary)
{
    return (int32_t)floor(binary * LOG10_2) - (DIGITS - 1);
}

static struct column wide_column(const struct series *series)
{
    int least = 0, most = 0;
    bool any = false;
    for (size_t i = 0; i < series->n; i++) {
        if (series->wide[i] == 0)
            continue;
        int binary = binary_exponent(series->wide[i]);
        least = !any || binary < least ? binary : least;
        most = !any || binary > most ? binary : most;
        any = true;
    }
    struct column column = {.series = series, .exponent = last_digit(least)};
    column.bits = (size_t)ceil(most + 1 - column.exponent / LOG10_2);
    return column;
}

struct column column_of(const struct series *series)
{
    struct column column = {.bits = 1};
    if (series && series->wide)
        column = wide_column(series);
    else if (series)
        column = (struct column){
            .series = series, .exponent = series->exponent, .bits = bits_of((uint64_t)series->magnitude)};
    column.limbs = column.bits / 64 + 1;
    return column;
}

static void set_word(struct column_value *out, uint64_t magnitude, bool negative)
{
    out->limb[0] = magnitude;
    out->length = magnitude != 0;
    out->negative = negative && magnitude;
}

static void scale(struct column_value *value, uint64_t factor)
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

static uint64_t power_of_ten(int32_t exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

static void read_wide(__float128 value, int32_t exponent, struct column_value *out)
{
    bool negative = value < 0;
    __float128 magnitude = negative ? -value : value;
    int32_t own = magnitude == 0 ? exponent : last_digit(binary_exponent(magnitude));
    set_word(out, (uint64_t)(decimal_scale_quad(magnitude, -own) + 0.5), negative);
    for (int32_t left = own - exponent; left > 0; left -= LIMB_POWERS)
        scale(out, power_of_ten(left < LIMB_POWERS ? left : LIMB_POWERS));
}

void column_read(const struct column *column, size_t i, struct column_value *out)
{
    if (!column->series) {
        set_word(out, 1, false);
    } else if (column->series->wide) {
        read_wide(column->series->wide[i], column->exponent, out);
    } else {
        int64_t value = column->series->fixed[i];
        set_word(out, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
    }
}
