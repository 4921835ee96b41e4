#include <stdlib.h>
#include <string.h>

#include "stats/cross.h"

enum { READ_ROWS = 128 };

/*
 * Sums number k ≤ 2·degree: of x^k; then degree + 1 of x^k·y; then one of y². Each of them twice, of the positive and
 * of the negative products, so that limbs are only ever added.
 */
struct powers {
    size_t degree, width; /* limbs of a sum */
    uint64_t *sums;
    uint64_t *power, *next, *product;
};

struct factor {
    uint64_t limb[2];
    size_t length;
    bool negative;
};

static size_t sums_of(size_t degree)
{
    return 3 * degree + 3;
}

static uint64_t *sum_at(const struct powers *powers, size_t k, bool negative)
{
    return powers->sums + (2 * k + negative) * powers->width;
}

static struct factor factor_of(wide_i128 value)
{
    struct factor factor = {.negative = value < 0};
    wide_to_words(value < 0 ? -(wide_u128)value : (wide_u128)value, factor.limb);
    factor.length = factor.limb[1] ? 2 : factor.limb[0] != 0;
    return factor;
}

static void add_product(struct powers *powers, size_t k, size_t length, bool negative, const struct factor *by)
{
    size_t n = big_multiply_limbs(powers->power, length, by->limb, by->length, powers->product);
    big_add_limbs(sum_at(powers, k, negative != by->negative), powers->product, n);
}

static void add_row(struct powers *powers, const struct factor *x, const struct factor *y)
{
    size_t degree = powers->degree, length = 1;
    bool negative = false;
    powers->power[0] = 1;
    for (size_t k = 0; k <= 2 * degree; k++) {
        big_add_limbs(sum_at(powers, k, negative), powers->power, length);
        if (k <= degree)
            add_product(powers, 2 * degree + 1 + k, length, negative, y);
        length = big_multiply_limbs(powers->power, length, x->limb, x->length, powers->next);
        negative = negative != x->negative;
        uint64_t *spent = powers->power;
        powers->power = powers->next;
        powers->next = spent;
    }
    memcpy(powers->power, y->limb, sizeof y->limb);
    add_product(powers, 3 * degree + 2, y->length, y->negative, y);
}

static void add_rows(struct powers *powers, const struct column *x, const struct column *y, size_t n)
{
    wide_i128 xs[READ_ROWS], ys[READ_ROWS];
    for (size_t first = 0; first < n; first += READ_ROWS) {
        size_t block = n - first < READ_ROWS ? n - first : READ_ROWS;
        column_read(x, first, block, xs);
        column_read(y, first, block, ys);
        for (size_t i = 0; i < block; i++) {
            struct factor a = factor_of(xs[i]), b = factor_of(ys[i]);
            add_row(powers, &a, &b);
        }
    }
}

size_t cross_power_bits(const struct column *x, size_t a, const struct column *y, size_t b, size_t n)
{
    return a * x->bits + b * y->bits + 64 - (size_t)__builtin_clzll((unsigned long long)n | 1);
}

static size_t width_of(const struct column *x, const struct column *y, size_t degree, size_t n)
{
    size_t powers = cross_power_bits(x, 2 * degree, y, 0, n), squares = cross_power_bits(x, 0, y, 2, n);
    return (powers > squares ? powers : squares) / 64 + 1; /* x^degree·y is the geometric mean of both */
}

static void take(const struct powers *powers, size_t k, struct big *out)
{
    struct big negative = {.limb = sum_at(powers, k, true)};
    big_set_limbs(&negative, negative.limb, powers->width, false);
    big_set_limbs(out, sum_at(powers, k, false), powers->width, false);
    big_subtract(out, &negative);
}

static void take_all(const struct powers *powers, size_t lowest, struct big *entry)
{
    size_t terms = powers->degree - lowest + 1, order = terms + 1;
    for (size_t i = 0; i < terms; i++) {
        for (size_t j = i; j < terms; j++)
            take(powers, 2 * lowest + i + j, &entry[i * order + j]);
        take(powers, 2 * powers->degree + 1 + lowest + i, &entry[i * order + terms]);
    }
    take(powers, 3 * powers->degree + 2, &entry[terms * order + terms]);
}

enum stats_status cross_powers(const struct column *x, const struct column *y, unsigned lowest, unsigned degree,
                               size_t n, struct big *entry)
{
    struct powers powers = {.degree = degree, .width = width_of(x, y, degree, n)};
    size_t room = powers.width + 4; /* a product has the limbs of both factors, and x^(2·degree+1) is formed too */
    powers.sums = calloc(2 * sums_of(degree) * powers.width + 3 * room, sizeof *powers.sums);
    if (!powers.sums)
        return STATS_NO_MEMORY;
    powers.power = powers.sums + 2 * sums_of(degree) * powers.width;
    powers.next = powers.power + room;
    powers.product = powers.next + room;
    add_rows(&powers, x, y, n);
    take_all(&powers, lowest, entry);
    free(powers.sums);
    return STATS_OK;
}
