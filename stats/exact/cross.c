#include "stats/exact/cross.h"

#include <assert.h>
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "stats/exact/dot.h"
#include "stats/exact/wide.h"

enum { FIXED_ROWS_LOG2 = 9, FIXED_ROWS = 1 << FIXED_ROWS_LOG2 };

size_t cross_bits(const struct column *x, size_t a, const struct column *y, size_t b, size_t n)
{
    return a * x->bits + b * y->bits + 64 - (size_t)__builtin_clzll((unsigned long long)n | 1);
}

static size_t cross_rows_per_step(const struct column *a, const struct column *b)
{
    size_t spare = 127 - a->bits - b->bits; /* at least 3 */
    return (size_t)1 << (spare < FIXED_ROWS_LOG2 ? spare : FIXED_ROWS_LOG2);
}

/* --- Sums of any width, the positive products apart from the negative ones, so that limbs are only ever added --- */

/* out[an + bn] = a · b, disjoint from both; returns the length without leading zeros. */
static size_t limbs_multiply(const uint64_t *a, size_t an, const uint64_t *b, size_t bn, uint64_t *out)
{
    if (an < bn)
        return limbs_multiply(b, bn, a, an, out);
    if (bn == 0)
        return 0;
    if (bn > 1)
        return an + bn - (mpn_mul(out, a, (mp_size_t)an, b, (mp_size_t)bn) == 0);
    out[an] = mpn_mul_1(out, a, (mp_size_t)an, *b);
    return an + (out[an] != 0);
}

/* sum += a, with sum[] long enough for the carry to end. (At a few limbs the call of mpn_add_n() costs more.) */
static void limbs_add(uint64_t *sum, const uint64_t *a, size_t n)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < n; i++) {
        wide_u128 limb = (wide_u128)sum[i] + a[i] + carry;
        sum[i] = (uint64_t)limb;
        carry = (uint64_t)(limb >> 64);
    }
    for (; carry; n++)
        carry = ++sum[n] == 0;
}

/* sum: that of the positive products, then that of the negative ones, `width` words each. */
static void limbs_to_integer(const uint64_t *sum, size_t width, mpz_ptr out)
{
    mpz_t positive, negative;
    mpz_sub(out, mpz_roinit_n(positive, sum, (mp_size_t)width), mpz_roinit_n(negative, sum + width, (mp_size_t)width));
}

/* All sums, in one array. */
struct long_sums {
    size_t count, width;
    uint64_t *sums; /* [count·count][by sign][width] */
    uint64_t *product;
    struct column_value value[CROSS_COLUMNS_MAX];
};

static uint64_t *long_sum_limbs(const struct long_sums *sums, size_t i, size_t j, bool negative)
{
    return sums->sums + (2 * (i * sums->count + j) + negative) * sums->width;
}

static enum stats_status cross_long(const struct column *columns, size_t count, size_t n, mpz_t *entry)
{
    /* The sums, a product, and the values of a row. */
    size_t most = 0, words = 0;
    for (size_t i = 0; i < count; i++) {
        size_t bits = cross_bits(&columns[i], 2, &columns[i], 0, n);
        most = bits > most ? bits : most;
        words += columns[i].limbs;
    }
    struct long_sums sums = {.count = count, .width = most / 64 + 2};
    size_t all = 2 * count * count * sums.width;
    sums.sums = calloc(all + 2 * sums.width + words, sizeof *sums.sums);
    if (!sums.sums)
        return STATS_NO_MEMORY;
    sums.product = sums.sums + all;
    uint64_t *limb = sums.product + 2 * sums.width;
    for (size_t i = 0; i < count; limb += columns[i++].limbs)
        sums.value[i].limb = limb;
    for (size_t row = 0; row < n; row++) {
        for (size_t i = 0; i < count; i++)
            column_read(&columns[i], row, &sums.value[i]);
        for (size_t i = 0; i < sums.count; i++)
            for (size_t j = i; j < sums.count; j++) {
                const struct column_value *a = &sums.value[i], *b = &sums.value[j];
                size_t limbs = limbs_multiply(a->limb, a->length, b->limb, b->length, sums.product);
                limbs_add(long_sum_limbs(&sums, i, j, a->negative != b->negative), sums.product, limbs);
            }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j < count; j++)
            limbs_to_integer(long_sum_limbs(&sums, i, j, false), sums.width, entry[i * count + j]);
    free(sums.sums);
    return STATS_OK;
}

enum stats_status cross_columns(const struct column *columns, size_t count, size_t n, mpz_t *entry)
{
    assert(count <= CROSS_COLUMNS_MAX);
    for (size_t i = 0; i < count; i++)
        if (columns[i].series && columns[i].series->wide)
            return cross_long(columns, count, n, entry);
    struct wide *sums = calloc(count * count, sizeof *sums);
    if (!sums)
        return STATS_NO_MEMORY;
    int64_t ones[FIXED_ROWS];
    const int64_t *rows[CROSS_COLUMNS_MAX];
    for (size_t i = 0; i < FIXED_ROWS; i++)
        ones[i] = 1;
    for (size_t first = 0; first < n; first += FIXED_ROWS) {
        size_t block = n - first < FIXED_ROWS ? n - first : FIXED_ROWS;
        for (size_t i = 0; i < count; i++)
            rows[i] = columns[i].series ? columns[i].series->fixed + first : ones;
        for (size_t i = 0; i < count; i++)
            for (size_t j = i; j < count; j++) {
                /* Σ a·b, in 128 bits for as many rows (step) as fit. */
                const int64_t *a = rows[i];
                const int64_t *b = rows[j];
                size_t step = cross_rows_per_step(&columns[i], &columns[j]);
                struct wide sum = {0, 0};
                for (size_t row = 0; row < block; row += step) {
                    wide_i128 part = (wide_i128)dot_wide(a + row, b + row, block - row < step ? block - row : step);
                    sum = wide_add(sum, (struct wide){(wide_u128)part, part < 0 ? ~(wide_u128)0 : 0});
                }
                sums[i * count + j] = wide_add(sums[i * count + j], sum);
            }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j < count; j++) {
            mpz_ptr out = entry[i * count + j];
            struct wide value = sums[i * count + j];
            bool negative = value.high >> 127;
            if (negative)
                value = wide_subtract((struct wide){0, 0}, value);
            mpz_import(out, 2, -1, sizeof value.low, 0, 0, &value);
            if (negative)
                mpz_neg(out, out);
        }
    free(sums);
    return STATS_OK;
}

/* --- Powers --- */

/* Sums number k ≤ 2·degree: of x^k; then degree + 1 of x^k·y; then one of y². */
struct powers {
    size_t degree, width; /* limbs of a sum */
    uint64_t *sums;
    uint64_t *power, *next, *product;
    struct column_value x, y; /* of a row */
};

static uint64_t *power_sum_limbs(const struct powers *powers, size_t k, bool negative)
{
    return powers->sums + (2 * k + negative) * powers->width;
}

static void powers_add_product(struct powers *powers, size_t k, size_t length, bool negative,
                               const struct column_value *by)
{
    size_t n = limbs_multiply(powers->power, length, by->limb, by->length, powers->product);
    limbs_add(power_sum_limbs(powers, k, negative != by->negative), powers->product, n);
}

static size_t powers_sum_width(const struct column *x, const struct column *y, size_t degree, size_t n)
{
    size_t powers = cross_bits(x, 2 * degree, y, 0, n), squares = cross_bits(x, 0, y, 2, n);
    return (powers > squares ? powers : squares) / 64 + 1; /* x^degree·y is the geometric mean of both */
}

static void powers_to_integers(const struct powers *powers, size_t lowest, mpz_t *entry)
{
    size_t terms = powers->degree - lowest + 1, order = terms + 1, of_y = 2 * powers->degree + 1;
    for (size_t i = 0; i < order; i++)
        for (size_t j = i; j < order; j++) {
            size_t k = i == terms ? 3 * powers->degree + 2 : j == terms ? of_y + lowest + i : 2 * lowest + i + j;
            limbs_to_integer(power_sum_limbs(powers, k, false), powers->width, entry[i * order + j]);
        }
}

/* The sums, three powers or products, and the values of a row. */
static enum stats_status powers_open(struct powers *powers, const struct column *x, const struct column *y,
                                     size_t degree, size_t n)
{
    *powers = (struct powers){.degree = degree, .width = powers_sum_width(x, y, degree, n)};
    size_t all = 2 * (3 * degree + 3) * powers->width, capacity = powers->width + x->limbs + 2 * y->limbs;
    powers->sums = calloc(all + 3 * capacity + x->limbs + y->limbs, sizeof *powers->sums);
    if (!powers->sums)
        return STATS_NO_MEMORY;
    powers->power = powers->sums + all;
    powers->next = powers->power + capacity; /* x^(2·degree + 1) too */
    powers->product = powers->next + capacity;
    powers->x.limb = powers->product + capacity;
    powers->y.limb = powers->x.limb + x->limbs;
    return STATS_OK;
}

enum stats_status cross_powers(const struct column *x, const struct column *y, unsigned lowest, unsigned degree,
                               size_t n, mpz_t *entry)
{
    struct powers powers;
    enum stats_status status = powers_open(&powers, x, y, degree, n);
    if (status)
        return status;
    for (size_t row = 0; row < n; row++) {
        column_read(x, row, &powers.x);
        column_read(y, row, &powers.y);
        size_t highest = powers.degree, length = 1;
        bool negative = false;
        powers.power[0] = 1;
        for (size_t k = 0; k <= 2 * highest; k++) {
            limbs_add(power_sum_limbs(&powers, k, negative), powers.power, length);
            if (k <= highest)
                powers_add_product(&powers, 2 * highest + 1 + k, length, negative, &powers.y);
            length = limbs_multiply(powers.power, length, powers.x.limb, powers.x.length, powers.next);
            negative = negative != powers.x.negative;
            uint64_t *spent = powers.power;
            powers.power = powers.next;
            powers.next = spent;
        }
        memcpy(powers.power, powers.y.limb, powers.y.length * sizeof *powers.y.limb);
        powers_add_product(&powers, 3 * highest + 2, powers.y.length, powers.y.negative, &powers.y);
    }
    powers_to_integers(&powers, lowest, entry);
    free(powers.sums);
    return STATS_OK;
}
