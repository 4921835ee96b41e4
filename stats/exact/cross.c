#include "stats/exact/cross.h"

#include <stdlib.h>

#include "stats/exact/dot.h"

enum { FIXED_ROWS_LOG2 = 9, FIXED_ROWS = 1 << FIXED_ROWS_LOG2 };

size_t cross_bits(const struct column *x, size_t a, const struct column *y, size_t b, size_t n)
{
    return a * x->bits + b * y->bits + 64 - (size_t)__builtin_clzll((unsigned long long)n | 1);
}

/* Σ a·b, in 128 bits for as many rows (step) as fit. */
static struct wide dot_fixed(const int64_t *a, const int64_t *b, size_t n, size_t step)
{
    struct wide sum = {0, 0};
    for (size_t i = 0; i < n; i += step) {
        wide_i128 part = (wide_i128)dot_wide(a + i, b + i, n - i < step ? n - i : step);
        sum = wide_add(sum, (struct wide){(wide_u128)part, part < 0 ? ~(wide_u128)0 : 0});
    }
    return sum;
}

static size_t step_of(const struct column *a, const struct column *b)
{
    size_t spare = 127 - a->bits - b->bits; /* at least 3 */
    return (size_t)1 << (spare < FIXED_ROWS_LOG2 ? spare : FIXED_ROWS_LOG2);
}

static void add_fixed(const struct column *columns, size_t count, size_t n, struct wide *sums)
{
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
                struct wide part = dot_fixed(rows[i], rows[j], block, step_of(&columns[i], &columns[j]));
                sums[i * count + j] = wide_add(sums[i * count + j], part);
            }
    }
}

static enum stats_status cross_fixed(const struct column *columns, size_t count, size_t n, struct big *entry)
{
    struct wide *sums = calloc(count * count, sizeof *sums);
    if (!sums)
        return STATS_NO_MEMORY;
    add_fixed(columns, count, n, sums);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j < count; j++)
            big_set_wide(&entry[i * count + j], sums[i * count + j]);
    free(sums);
    return STATS_OK;
}

/* Sums of any width: all of them in one array. */
struct long_sums {
    size_t count, width;
    uint64_t *sums; /* [count·count][by sign][width] */
    uint64_t *product;
    struct column_value value[CROSS_COLUMNS_MAX];
};

static struct cross_sum sum_at(const struct long_sums *sums, size_t i, size_t j)
{
    uint64_t *positive = sums->sums + 2 * (i * sums->count + j) * sums->width;
    return (struct cross_sum){{positive, positive + sums->width}};
}

static void add_row(struct long_sums *sums)
{
    for (size_t i = 0; i < sums->count; i++)
        for (size_t j = i; j < sums->count; j++) {
            const struct column_value *a = &sums->value[i], *b = &sums->value[j];
            size_t n = big_multiply_limbs(a->limb, a->length, b->limb, b->length, sums->product);
            big_add_limbs(sum_at(sums, i, j).limb[a->negative != b->negative], sums->product, n);
        }
}

void cross_sum_take(const struct cross_sum *sum, size_t width, struct big *out)
{
    struct big negative = {.limb = sum->limb[1]};
    big_set_limbs(&negative, sum->limb[1], width, false);
    big_set_limbs(out, sum->limb[0], width, false);
    big_subtract(out, &negative);
}

/* The sums, a product, and the values of a row. */
static enum stats_status open_long(struct long_sums *sums, const struct column *columns, size_t count, size_t n)
{
    size_t most = 0, limbs = 0;
    for (size_t i = 0; i < count; i++) {
        size_t bits = cross_bits(&columns[i], 2, &columns[i], 0, n);
        most = bits > most ? bits : most;
        limbs += columns[i].limbs;
    }
    *sums = (struct long_sums){.count = count, .width = most / 64 + 2};
    size_t all = 2 * count * count * sums->width;
    sums->sums = calloc(all + 2 * sums->width + limbs, sizeof *sums->sums);
    if (!sums->sums)
        return STATS_NO_MEMORY;
    sums->product = sums->sums + all;
    uint64_t *limb = sums->product + 2 * sums->width;
    for (size_t i = 0; i < count; limb += columns[i++].limbs)
        sums->value[i].limb = limb;
    return STATS_OK;
}

static enum stats_status cross_long(const struct column *columns, size_t count, size_t n, struct big *entry)
{
    struct long_sums sums;
    enum stats_status status = open_long(&sums, columns, count, n);
    if (status)
        return status;
    for (size_t row = 0; row < n; row++) {
        for (size_t i = 0; i < count; i++)
            column_read(&columns[i], row, &sums.value[i]);
        add_row(&sums);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j < count; j++) {
            struct cross_sum sum = sum_at(&sums, i, j);
            cross_sum_take(&sum, sums.width, &entry[i * count + j]);
        }
    free(sums.sums);
    return STATS_OK;
}

enum stats_status cross_columns(const struct column *columns, size_t count, size_t n, struct big *entry)
{
    for (size_t i = 0; i < count; i++)
        if (columns[i].series && columns[i].series->wide)
            return cross_long(columns, count, n, entry);
    return cross_fixed(columns, count, n, entry);
}
