#include "stats/exact/big.h"

#include <string.h>

static size_t trimmed(const uint64_t *limb, size_t n)
{
    while (n > 0 && limb[n - 1] == 0)
        n--;
    return n;
}

size_t big_multiply_limbs(const uint64_t *a, size_t an, const uint64_t *b, size_t bn, uint64_t *out)
{
    if (an == 0 || bn == 0)
        return 0;
    uint64_t carry = 0;
    for (size_t j = 0; j < bn; j++) {
        wide_u128 sum = (wide_u128)a[0] * b[j] + carry;
        out[j] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    out[bn] = carry;
    for (size_t i = 1; i < an; i++) {
        carry = 0;
        for (size_t j = 0; j < bn; j++) {
            wide_u128 sum = (wide_u128)a[i] * b[j] + out[i + j] + carry;
            out[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        out[i + bn] = carry;
    }
    return trimmed(out, an + bn);
}

void big_add_limbs(uint64_t *sum, const uint64_t *a, size_t an)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < an; i++) {
        wide_u128 limb = (wide_u128)sum[i] + a[i] + carry;
        sum[i] = (uint64_t)limb;
        carry = (uint64_t)(limb >> 64);
    }
    for (size_t i = an; carry; i++)
        carry = ++sum[i] == 0;
}

static void finish(struct big *out, size_t n, bool negative)
{
    out->length = trimmed(out->limb, n);
    out->negative = negative && out->length > 0;
}

void big_set_limbs(struct big *out, const uint64_t *limb, size_t n, bool negative)
{
    memmove(out->limb, limb, n * sizeof *limb);
    finish(out, n, negative);
}

void big_set_shifted(struct big *out, wide_u128 magnitude, size_t shift, bool negative)
{
    size_t zeros = shift / 64;
    unsigned bits = shift % 64;
    memset(out->limb, 0, zeros * sizeof *out->limb);
    wide_u128 low = magnitude << bits;
    out->limb[zeros] = (uint64_t)low;
    out->limb[zeros + 1] = (uint64_t)(low >> 64);
    out->length = zeros + 2;
    if (bits && magnitude >> (128 - bits))
        out->limb[out->length++] = (uint64_t)(magnitude >> (128 - bits));
    finish(out, out->length, negative);
}

void big_set_wide(struct big *out, struct wide value)
{
    bool negative = value.high >> 127;
    if (negative)
        value = wide_subtract((struct wide){0, 0}, value);
    wide_to_words(value.low, out->limb);
    wide_to_words(value.high, out->limb + 2);
    finish(out, 4, negative);
}

void big_multiply(struct big *out, const struct big *a, const struct big *b)
{
    out->length = big_multiply_limbs(a->limb, a->length, b->limb, b->length, out->limb);
    out->negative = out->length > 0 && a->negative != b->negative;
}

static int compare(const struct big *a, const struct big *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    for (size_t i = a->length; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* |a| += |b| */
static void add_magnitude(struct big *a, const struct big *b)
{
    size_t n = a->length > b->length ? a->length : b->length;
    memset(a->limb + a->length, 0, (n + 1 - a->length) * sizeof *a->limb);
    big_add_limbs(a->limb, b->limb, b->length);
    finish(a, n + 1, a->negative);
}

/* out = |large| − |small|, where out may be either of them. */
static void subtract_magnitudes(struct big *out, const struct big *large, const struct big *small, bool negative)
{
    uint64_t borrow = 0;
    size_t n = large->length;
    for (size_t i = 0; i < n; i++) {
        wide_u128 limb = (wide_u128)large->limb[i] - (i < small->length ? small->limb[i] : 0) - borrow;
        out->limb[i] = (uint64_t)limb;
        borrow = (uint64_t)(limb >> 64) & 1;
    }
    finish(out, n, negative);
}

void big_subtract(struct big *a, const struct big *b)
{
    if (a->negative != b->negative) {
        add_magnitude(a, b); /* zero is not negative: then b is, but not the sum */
    } else if (compare(a, b) >= 0) {
        subtract_magnitudes(a, a, b, a->negative);
    } else {
        subtract_magnitudes(a, b, a, !a->negative);
    }
}

/* out = a >> bits, where out may be a; returns the length. */
static size_t shift_right(uint64_t *out, const uint64_t *a, size_t n, size_t bits)
{
    size_t whole = bits / 64;
    unsigned rest = bits % 64;
    if (whole >= n)
        return 0;
    for (size_t i = 0; i < n - whole; i++) {
        uint64_t high = i + whole + 1 < n ? a[i + whole + 1] : 0;
        out[i] = rest ? a[i + whole] >> rest | high << (64 - rest) : a[i + whole];
    }
    return trimmed(out, n - whole);
}

void big_divisor_set(struct big_divisor *divisor, const struct big *value)
{
    size_t zeros = 0;
    while (value->limb[zeros] == 0)
        zeros++;
    divisor->shift = 64 * zeros + (size_t)__builtin_ctzll(value->limb[zeros]);
    divisor->odd.length = shift_right(divisor->odd.limb, value->limb, value->length, divisor->shift);
    divisor->odd.negative = false;
    uint64_t odd = divisor->odd.limb[0], inverse = odd; /* right in 3 bits: odd² = 1 modulo 8 */
    for (int bits = 3; bits < 64; bits *= 2)
        inverse *= 2 - odd * inverse;
    divisor->inverse = inverse;
}

/* rest[n] −= factor · a[an] modulo 2^(64·n). */
static void subtract_multiple(uint64_t *rest, size_t n, const uint64_t *a, size_t an, uint64_t factor)
{
    size_t reach = an < n ? an : n, i = 0;
    uint64_t carry = 0;
    for (; i < reach; i++) {
        wide_u128 product = (wide_u128)factor * a[i] + carry;
        carry = (uint64_t)(product >> 64) + (rest[i] < (uint64_t)product);
        rest[i] -= (uint64_t)product;
    }
    for (; carry && i < n; i++) {
        uint64_t before = rest[i];
        rest[i] = before - carry;
        carry = before < carry;
    }
}

void big_divide_exact(struct big *out, struct big *a, const struct big_divisor *divisor)
{
    const struct big *odd = &divisor->odd;
    size_t n = shift_right(a->limb, a->limb, a->length, divisor->shift);
    size_t length = n < odd->length ? 0 : n - odd->length + 1;
    for (size_t i = 0; i < length; i++) {
        out->limb[i] = a->limb[i] * divisor->inverse;
        subtract_multiple(a->limb + i, length - i, odd->limb, odd->length, out->limb[i]);
    }
    finish(out, length, a->negative);
}

__float128 big_to_quad(const struct big *a, int64_t *exponent)
{
    size_t first = a->length > 3 ? a->length - 3 : 0; /* three limbs: two may have only 65 bits */
    __float128 value = 0, two_64 = 18446744073709551616.0;
    for (size_t i = a->length; i-- > first;)
        value = value * two_64 + (__float128)a->limb[i];
    *exponent = 64 * (int64_t)first;
    return a->negative ? -value : value;
}

void big_shift_limbs(struct big *a, size_t n)
{
    if (a->length == 0)
        return;
    memmove(a->limb + n, a->limb, a->length * sizeof *a->limb);
    memset(a->limb, 0, n * sizeof *a->limb);
    a->length += n;
}
