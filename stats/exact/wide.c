#include "stats/exact/wide.h"

#include <math.h>
#include <string.h>

struct wide wide_add(struct wide a, struct wide b)
{
    struct wide sum = {a.low + b.low, a.high + b.high};
    sum.high += sum.low < a.low;
    return sum;
}

struct wide wide_subtract(struct wide a, struct wide b)
{
    return (struct wide){a.low - b.low, a.high - b.high - (a.low < b.low)};
}

static struct wide wide_negate(struct wide a)
{
    return wide_subtract((struct wide){0, 0}, a);
}

static struct wide wide_multiply_unsigned(wide_u128 a, wide_u128 b)
{
    uint64_t a0 = (uint64_t)a, a1 = (uint64_t)(a >> 64), b0 = (uint64_t)b, b1 = (uint64_t)(b >> 64);
    wide_u128 low = (wide_u128)a0 * b0, cross = (wide_u128)a0 * b1, other = (wide_u128)a1 * b0;
    wide_u128 middle = (low >> 64) + (uint64_t)cross + (uint64_t)other; /* three words: no carry is lost */
    return (struct wide){middle << 64 | (uint64_t)low,
                         (wide_u128)a1 * b1 + (cross >> 64) + (other >> 64) + (middle >> 64)};
}

static wide_u128 wide_magnitude(wide_i128 a)
{
    return a < 0 ? -(wide_u128)a : (wide_u128)a;
}

struct wide wide_multiply(wide_i128 a, wide_i128 b)
{
    struct wide product = wide_multiply_unsigned(wide_magnitude(a), wide_magnitude(b));
    return (a < 0) != (b < 0) ? wide_negate(product) : product;
}

struct wide wide_multiply_192(wide_u128 low, uint64_t high, uint64_t b)
{
    struct wide product = wide_multiply_unsigned(low, b);
    product.high += (wide_u128)high * b;
    return product;
}

bool wide_is_zero(struct wide a)
{
    return a.low == 0 && a.high == 0;
}

__float128 wide_to_quad(struct wide a)
{
    bool negative = a.high >> 127;
    if (negative) /* the magnitude first: high and low of a small negative number would cancel */
        a = wide_negate(a);
    __float128 two_64 = 18446744073709551616.0;
    __float128 value = (__float128)a.high * two_64 * two_64 + (__float128)a.low;
    return negative ? -value : value;
}

__float128 wide_square_root(__float128 v)
{
    __float128 root = sqrt((double)v);
    if (root == 0)
        return 0;
    return root + (v - root * root) / (2 * root); /* one step of Newton doubles the 53 digits */
}

void wide_to_words(wide_u128 value, uint64_t words[2])
{
    words[0] = (uint64_t)value;
    words[1] = (uint64_t)(value >> 64);
}

wide_u128 wide_from_words(const uint64_t words[2])
{
    return (wide_u128)words[1] << 64 | words[0];
}

wide_u128 wide_mantissa(__float128 value, int *exponent, bool *negative)
{
    enum { BIAS = 16383, FRACTION = 112 };
    wide_u128 bits, one = (wide_u128)1 << FRACTION;
    memcpy(&bits, &value, sizeof bits);
    int biased = (int)(bits >> FRACTION) & 0x7fff;
    *negative = bits >> 127;
    *exponent = biased - BIAS - FRACTION;
    return biased ? one | (bits & (one - 1)) : 0;
}
