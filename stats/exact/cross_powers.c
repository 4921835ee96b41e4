#include <stdlib.h>
#include <string.h>

#include "stats/exact/cross.h"

/*
 * Sums number k ≤ 2·degree: of x^k; then degree + 1 of x^k·y; then one of y². Each of them twice, for the positive and
 * for the negative products, so that limbs are only ever added.
 */
struct powers {
    size_t degree, width; /* limbs of a sum */
    uint64_t *sums;
    uint64_t *power, *next, *product;
    struct column_value x, y; /* of a row */
};

static size_t sums_of(size_t degree)
{
    return 3 * degree + 3;
}

static uint64_t *sum_at(const struct powers *powers, size_t k, bool negative)
{
    return powers->sums + (2 * k + negative) * powers->width;
}

static void add_product(struct powers *powers, size_t k, size_t length, bool negative, const struct column_value *by)
{
    size_t n = big_multiply_limbs(powers->power, length, by->limb, by->length, powers->product);
    big_add_limbs(sum_at(powers, k, negative != by->negative), powers->product, n);
}

static void add_row(struct powers *powers, const struct column_value *x, const struct column_value *y)
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
    memcpy(powers->power, y->limb, y->length * sizeof *y->limb);
    add_product(powers, 3 * degree + 2, y->length, y->negative, y);
}

static size_t width_of(const struct column *x, const struct column *y, size_t degree, size_t n)
{
    size_t powers = cross_bits(x, 2 * degree, y, 0, n), squares = cross_bits(x, 0, y, 2, n);
    return (powers > squares ? powers : squares) / 64 + 1; /* x^degree·y is the geometric mean of both */
}

static void take(const struct powers *powers, size_t k, struct big *out)
{
    struct cross_sum sum = {{sum_at(powers, k, false), sum_at(powers, k, true)}};
    cross_sum_take(&sum, powers->width, out);
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

/* The sums, three powers or products, and the values of a row. */
static enum stats_status open_powers(struct powers *powers, const struct column *x, const struct column *y,
                                     size_t degree, size_t n)
{
    *powers = (struct powers){.degree = degree, .width = width_of(x, y, degree, n)};
    size_t all = 2 * sums_of(degree) * powers->width, room = powers->width + x->limbs + 2 * y->limbs;
    powers->sums = calloc(all + 3 * room + x->limbs + y->limbs, sizeof *powers->sums);
    if (!powers->sums)
        return STATS_NO_MEMORY;
    powers->power = powers->sums + all;
    powers->next = powers->power + room; /* x^(2·degree + 1) too */
    powers->product = powers->next + room;
    powers->x.limb = powers->product + room;
    powers->y.limb = powers->x.limb + x->limbs;
    return STATS_OK;
}

enum stats_status cross_powers(const struct column *x, const struct column *y, unsigned lowest, unsigned degree,
                               size_t n, struct big *entry)
{
    struct powers powers;
    enum stats_status status = open_powers(&powers, x, y, degree, n);
    if (status)
        return status;
    for (size_t row = 0; row < n; row++) {
        column_read(x, row, &powers.x);
        column_read(y, row, &powers.y);
        add_row(&powers, &powers.x, &powers.y);
    }
    take_all(&powers, lowest, entry);
    free(powers.sums);
    return STATS_OK;
}
