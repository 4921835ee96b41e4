#include "stats/exact/elimination.h"

#include <stdlib.h>

#include <quadmath.h>

enum stats_status elimination_open(struct elimination *e, size_t terms, size_t bits)
{
    size_t order = terms + 1, count = order * order;
    *e = (struct elimination){.terms = terms, .limbs = (bits + order) / 64 + 3}; /* + order: sums of minors in a row */
    e->entry = calloc(count, sizeof *e->entry);
    e->by = calloc(order, sizeof *e->by);
    e->storage = calloc((count + order) * e->limbs, sizeof *e->storage);
    if (!e->entry || !e->by || !e->storage) {
        elimination_close(e);
        return STATS_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        e->entry[i].limb = e->storage + i * e->limbs;
    for (size_t k = 0; k < order; k++)
        e->by[k].odd.limb = e->storage + (count + k) * e->limbs;
    return STATS_OK;
}

void elimination_close(struct elimination *e)
{
    free(e->entry);
    free(e->by);
    free(e->storage);
    *e = (struct elimination){0};
}

struct big *elimination_entry(const struct elimination *e, size_t i, size_t j)
{
    return &e->entry[i * (e->terms + 1) + j];
}

enum stats_status elimination_row_open(struct elimination_row *row, const struct elimination *e, size_t bits)
{
    size_t order = e->terms + 1, limbs = e->limbs + bits / 64 + 2, room = 2 * limbs + 2;
    *row = (struct elimination_row){.limbs = limbs};
    row->entry = calloc(order, sizeof *row->entry);
    row->storage = calloc(order * limbs + 2 * room, sizeof *row->storage);
    if (!row->entry || !row->storage) {
        elimination_row_close(row);
        return STATS_NO_MEMORY;
    }
    for (size_t j = 0; j < order; j++)
        row->entry[j].limb = row->storage + j * limbs;
    row->left.limb = row->storage + order * limbs;
    row->right.limb = row->left.limb + room;
    return STATS_OK;
}

void elimination_row_close(struct elimination_row *row)
{
    free(row->entry);
    free(row->storage);
    *row = (struct elimination_row){0};
}

/* entry = (pivot·entry − a·b) / by */
static void reduce(struct elimination_row *row, struct big *entry, const struct big *pivot, const struct big *a,
                   const struct big *b, const struct big_divisor *by)
{
    big_multiply(&row->left, pivot, entry);
    big_multiply(&row->right, a, b);
    big_subtract(&row->left, &row->right);
    big_divide_exact(entry, &row->left, by);
}

/* d_k as result · 2^*exponent. */
static __float128 minor_of(const struct elimination *e, size_t k, int64_t *exponent)
{
    if (k > 0)
        return big_to_quad(elimination_entry(e, k - 1, k - 1), exponent);
    *exponent = 0;
    return 1;
}

static void eliminate(struct elimination *e, size_t k, struct elimination_row *scratch)
{
    const struct big *pivot = elimination_entry(e, k, k);
    for (size_t i = k + 1; i <= e->terms; i++)
        for (size_t j = i; j <= e->terms; j++)
            reduce(scratch, elimination_entry(e, i, j), pivot, elimination_entry(e, k, i), elimination_entry(e, k, j),
                   &e->by[k]);
    big_divisor_set(&e->by[k + 1], pivot);
}

enum stats_status elimination_run(struct elimination *e, size_t *dependent)
{
    struct elimination_row scratch;
    enum stats_status status = elimination_row_open(&scratch, e, 0);
    if (status)
        return status;
    big_set_shifted(&scratch.entry[0], 1, 0, false);
    big_divisor_set(&e->by[0], &scratch.entry[0]);
    for (size_t k = 0; k < e->terms && !status; k++) {
        if (elimination_entry(e, k, k)->length == 0) {
            *dependent = k;
            status = STATS_DEPENDENT;
        } else {
            eliminate(e, k, &scratch);
        }
    }
    elimination_row_close(&scratch);
    return status;
}

/* w²/(d_k·d_k+1) */
static __float128 share(const struct elimination *e, size_t k, const struct big *w)
{
    int64_t up, before_up, after_up;
    __float128 value = big_to_quad(w, &up), before = minor_of(e, k, &before_up), after = minor_of(e, k + 1, &after_up);
    return scalbnq((value / before) * (value / after), (int)(2 * up - before_up - after_up));
}

static __float128 ratio(const struct big *a, const struct big *b)
{
    int64_t a_up, b_up;
    __float128 value = big_to_quad(a, &a_up);
    value /= big_to_quad(b, &b_up);
    return scalbnq(value, (int)(a_up - b_up));
}

__float128 elimination_explained(const struct elimination *e, size_t first)
{
    __float128 sum = 0;
    for (size_t k = first; k < e->terms; k++)
        sum += share(e, k, elimination_entry(e, k, e->terms));
    return sum;
}

__float128 elimination_residual(const struct elimination *e)
{
    return ratio(elimination_entry(e, e->terms, e->terms), elimination_entry(e, e->terms - 1, e->terms - 1));
}

struct elimination_result elimination_reduce(const struct elimination *e, struct elimination_row *row)
{
    struct elimination_result result = {0, 0};
    struct big *last = &row->entry[e->terms];
    last->length = 0;
    last->negative = false;
    for (size_t k = 0; k < e->terms; k++) {
        const struct big *pivot = elimination_entry(e, k, k), *w = &row->entry[k];
        result.leverage += share(e, k, w);
        for (size_t j = k + 1; j <= e->terms; j++)
            reduce(row, &row->entry[j], pivot, w, elimination_entry(e, k, j), &e->by[k]);
    }
    result.value = 0 - ratio(last, elimination_entry(e, e->terms - 1, e->terms - 1)); /* not -0 */
    return result;
}

struct elimination_result elimination_coefficient(const struct elimination *e, struct elimination_row *row, size_t term)
{
    for (size_t j = 0; j < e->terms; j++)
        big_set_shifted(&row->entry[j], j == term, 0, false);
    return elimination_reduce(e, row);
}
