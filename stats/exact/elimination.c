#include "stats/exact/elimination.h"

#include <stdlib.h>

#include <quadmath.h>

static mpz_t *elimination_open_entries(size_t count)
{
    mpz_t *entry = calloc(count, sizeof *entry);
    for (size_t i = 0; entry && i < count; i++)
        mpz_init(entry[i]);
    return entry;
}

static void elimination_close_entries(mpz_t *entry, size_t count)
{
    for (size_t i = 0; entry && i < count; i++)
        mpz_clear(entry[i]);
    free(entry);
}

enum stats_status elimination_open(struct elimination *e, size_t terms)
{
    *e = (struct elimination){terms, elimination_open_entries((terms + 1) * (terms + 1))};
    return e->entry ? STATS_OK : STATS_NO_MEMORY;
}

void elimination_close(struct elimination *e)
{
    elimination_close_entries(e->entry, (e->terms + 1) * (e->terms + 1));
    *e = (struct elimination){0};
}

static mpz_ptr elimination_entry(const struct elimination *e, size_t i, size_t j)
{
    return e->entry[i * (e->terms + 1) + j];
}

enum stats_status elimination_row_open(struct elimination_row *row, const struct elimination *e)
{
    *row = (struct elimination_row){e->terms, elimination_open_entries(e->terms + 1)};
    return row->entry ? STATS_OK : STATS_NO_MEMORY;
}

void elimination_row_close(struct elimination_row *row)
{
    elimination_close_entries(row->entry, row->terms + 1);
    *row = (struct elimination_row){0};
}

/* entry = (d_k+1·entry − a·b) / d_k */
static void elimination_reduce_entry(const struct elimination *e, size_t k, mpz_ptr entry, mpz_srcptr a, mpz_srcptr b)
{
    mpz_mul(entry, entry, elimination_entry(e, k, k));
    mpz_submul(entry, a, b);
    if (k > 0)
        mpz_divexact(entry, entry, elimination_entry(e, k - 1, k - 1));
}

/* Three limbs: two may have only 65 bits. a = result · 2^*exponent, relative error at most 2^-111. */
static __float128 elimination_entry_to_quad(mpz_srcptr a, int64_t *exponent)
{
    size_t n = mpz_size(a), first = n > 3 ? n - 3 : 0;
    __float128 value = 0, two_64 = 18446744073709551616.0;
    for (size_t i = n; i-- > first;)
        value = value * two_64 + (__float128)mpz_getlimbn(a, (mp_size_t)i);
    *exponent = 64 * (int64_t)first;
    return mpz_sgn(a) < 0 ? -value : value;
}

/* d_k as result · 2^*exponent. */
static __float128 elimination_minor(const struct elimination *e, size_t k, int64_t *exponent)
{
    if (k > 0)
        return elimination_entry_to_quad(elimination_entry(e, k - 1, k - 1), exponent);
    *exponent = 0;
    return 1;
}

enum stats_status elimination_run(struct elimination *e, size_t *dependent)
{
    for (size_t k = 0; k < e->terms; k++) {
        if (mpz_sgn(elimination_entry(e, k, k)) == 0) {
            *dependent = k;
            return STATS_DEPENDENT;
        }
        for (size_t i = k + 1; i <= e->terms; i++)
            for (size_t j = i; j <= e->terms; j++)
                elimination_reduce_entry(e, k, elimination_entry(e, i, j), elimination_entry(e, k, i),
                                         elimination_entry(e, k, j));
    }
    return STATS_OK;
}

/* w²/(d_k·d_k+1) */
static __float128 elimination_explained_by(const struct elimination *e, size_t k, mpz_srcptr w)
{
    int64_t up, before_up, after_up;
    __float128 value = elimination_entry_to_quad(w, &up), before = elimination_minor(e, k, &before_up),
               after = elimination_minor(e, k + 1, &after_up);
    return scalbnq((value / before) * (value / after), (int)(2 * up - before_up - after_up));
}

/* a/d_terms */
static __float128 elimination_divide_by_last(const struct elimination *e, mpz_srcptr a)
{
    int64_t up, last_up;
    __float128 value = elimination_entry_to_quad(a, &up);
    value /= elimination_minor(e, e->terms, &last_up);
    return scalbnq(value, (int)(up - last_up));
}

__float128 elimination_explained(const struct elimination *e, size_t first)
{
    __float128 sum = 0;
    for (size_t k = first; k < e->terms; k++)
        sum += elimination_explained_by(e, k, elimination_entry(e, k, e->terms));
    return sum;
}

__float128 elimination_residual(const struct elimination *e)
{
    return elimination_divide_by_last(e, elimination_entry(e, e->terms, e->terms));
}

struct elimination_result elimination_reduce(const struct elimination *e, struct elimination_row *row)
{
    struct elimination_result result = {0, 0};
    mpz_set_ui(row->entry[e->terms], 0);
    for (size_t k = 0; k < e->terms; k++) {
        result.leverage += elimination_explained_by(e, k, row->entry[k]);
        for (size_t j = k + 1; j <= e->terms; j++)
            elimination_reduce_entry(e, k, row->entry[j], row->entry[k], elimination_entry(e, k, j));
    }
    result.value = 0 - elimination_divide_by_last(e, row->entry[e->terms]); /* not -0 */
    return result;
}

struct elimination_result elimination_coefficient(const struct elimination *e, struct elimination_row *row, size_t term)
{
    for (size_t j = 0; j < e->terms; j++)
        mpz_set_ui(row->entry[j], j == term);
    return elimination_reduce(e, row);
}
