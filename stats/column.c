#include "stats/column.h"

#include <quadmath.h>

enum { QUAD_FRACTION = 112 };

static unsigned bits_of(uint64_t magnitude)
{
    return magnitude ? 64 - (unsigned)__builtin_clzll(magnitude) : 1;
}

/* The least e with |value| < 2^e for all values; 0 if all are 0. */
static int wide_exponent(const struct series *series)
{
    int most = 0;
    bool any = false;
    for (size_t i = 0; i < series->n; i++) {
        int exponent;
        bool negative;
        wide_u128 m = wide_mantissa(series->wide[i], &exponent, &negative);
        exponent += QUAD_FRACTION + 1;
        if (m && (!any || exponent > most))
            most = exponent;
        any |= m != 0;
    }
    return most;
}

struct column column_of(const struct series *series, unsigned bits)
{
    if (!series)
        return (struct column){NULL, 1, 0, 1};
    if (!series->wide) {
        struct decimal unit = {1, series->exponent};
        return (struct column){series, bits_of((uint64_t)series->magnitude), 0, decimal_to_quad(unit)};
    }
    int shift = (int)bits - 1 - wide_exponent(series); /* one bit for what rounds up */
    return (struct column){series, bits, shift, scalbnq(1, -shift)};
}

bool column_is_exact(const struct column *column)
{
    return !column->series || !column->series->wide;
}

static wide_i128 rounded(__float128 value, int shift)
{
    int exponent;
    bool negative;
    wide_u128 m = wide_mantissa(value, &exponent, &negative);
    exponent += shift;
    if (exponent < -QUAD_FRACTION - 1)
        return 0;
    wide_u128 magnitude = exponent >= 0 ? m << exponent : (m + ((wide_u128)1 << (-exponent - 1))) >> -exponent;
    return negative ? -(wide_i128)magnitude : (wide_i128)magnitude;
}

void column_read(const struct column *column, size_t first, size_t n, wide_i128 *out)
{
    const struct series *series = column->series;
    for (size_t i = 0; i < n; i++)
        out[i] = !series        ? 1
                 : series->wide ? rounded(series->wide[first + i], column->shift)
                                : series->fixed[first + i];
}
