#include "stats/inference/paired.h"

#include <assert.h>
#include <math.h>
#include <quadmath.h>
#include <stdlib.h>

#include "stats/estimates/group.h"
#include "stats/exact/wide.h"
#include "stats/inference/paired_parts.h"

/* Whole numbers below 2^62·10^15 are exact in 113 bits. */
enum { PAIRED_SHIFT_MAX = 15 };
static const uint64_t paired_n_max = (uint64_t)1 << 40;

enum stats_status paired_of_series(const struct series *x, const struct series *y, struct paired *out)
{
    assert(x->n == y->n);
    size_t n = x->n;
    int32_t least = x->exponent < y->exponent ? x->exponent : y->exponent;
    bool whole =
        !x->wide && !y->wide && x->exponent - least <= PAIRED_SHIFT_MAX && y->exponent - least <= PAIRED_SHIFT_MAX;
    struct paired pairs = {malloc((2 * n + 1) * sizeof *pairs.x), NULL, n};
    if (!pairs.x)
        return STATS_NO_MEMORY;
    pairs.y = pairs.x + n;
    for (size_t i = 0; i < n; i++) {
        pairs.x[i] = whole ? decimal_scale_quad((__float128)x->fixed[i], x->exponent - least) : series_quad(x, i);
        pairs.y[i] = whole ? decimal_scale_quad((__float128)y->fixed[i], y->exponent - least) : series_quad(y, i);
    }
    *out = pairs;
    return STATS_OK;
}

void paired_free(struct paired *pairs)
{
    free(pairs->x);
    *pairs = (struct paired){0};
}

/* Twice the smaller one, at most 1. */
static struct tail paired_double_tail(const struct tail *less, const struct tail *greater)
{
    const struct tail *smaller = less->log10_p < greater->log10_p ? less : greater;
    double log10_p = smaller->log10_p + log10(2);
    return log10_p < 0 && 2 * smaller->p < 1 ? (struct tail){2 * smaller->p, log10_p} : (struct tail){1, 0};
}

/* ------------------------------------------------------------------------------------------ t -- */

enum stats_status paired_t(const struct paired *pairs, double factor, struct paired_test *out)
{
    struct paired_test test = {.exact = true};
    __float128 n = (__float128)pairs->n, sum = 0, baseline = 0, squares = 0;
    if (pairs->n < 2)
        return STATS_TOO_FEW;
    for (size_t i = 0; i < pairs->n; i++) {
        __float128 d = paired_difference(pairs, i, 1);
        sum += d;
        baseline += pairs->y[i];
        test.zeros += d == 0;
    }
    __float128 mean = sum / n, expected = ((__float128)factor - 1) * (baseline / n);
    for (size_t i = 0; i < pairs->n; i++) {
        __float128 off = paired_difference(pairs, i, 1) - mean;
        squares += off * off;
    }
    if (squares == 0)
        return STATS_CONSTANT;
    test.used = pairs->n - test.zeros;
    test.dof = (double)(pairs->n - 1);
    enum stats_status status = group_to_double((mean - expected) / sqrtq(squares / (n * (n - 1))), &test.statistic);
    if (!status)
        status = tail_t(-test.statistic, test.dof, &test.less);
    if (!status)
        status = tail_t(test.statistic, test.dof, &test.greater);
    if (!status)
        status = tail_t_two_sided(test.statistic, test.dof, &test.both);
    if (!status)
        *out = test;
    return status;
}

/* ------------------------------------------------------------------------------------------ Wilcoxon -- */

struct signed_size {
    __float128 size; /* |d| */
    bool above;
};

static int paired_compare_sizes(const void *a, const void *b)
{
    __float128 x = ((const struct signed_size *)a)->size, y = ((const struct signed_size *)b)->size;
    return (x > y) - (x < y);
}

/* Doubled ranks, which are whole, of sizes in ascending order into ranks[n]. Σ(t³−t). */
static wide_u128 paired_rank(const struct signed_size *sizes, size_t n, uint64_t *doubled_ranks)
{
    wide_u128 ties = 0;
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && sizes[to].size == sizes[from].size;)
            to++;
        for (size_t i = from; i < to; i++)
            doubled_ranks[i] = from + 1 + to;
        wide_u128 run = to - from;
        ties += run * run * run - run;
    }
    return ties;
}

static struct tail paired_share(wide_u128 count, size_t n)
{
    long double p = ldexpl((long double)count, -(int)n);
    return (struct tail){(double)p, (double)log10l(p)};
}

enum stats_status paired_signed_rank_tails(const uint64_t *doubled_ranks, size_t n, uint64_t doubled, struct tail *less,
                                           struct tail *greater)
{
    uint64_t most = 0, reached = 0;
    assert(n <= PAIRED_EXACT);
    for (size_t i = 0; i < n; i++)
        most += doubled_ranks[i];
    wide_u128 *ways = calloc(most + 1, sizeof *ways), below = 0, above = 0; /* of signs, by doubled V */
    if (!ways)
        return STATS_NO_MEMORY;
    ways[0] = 1;
    for (size_t i = 0; i < n; i++) {
        reached += doubled_ranks[i];
        for (uint64_t v = reached; v >= doubled_ranks[i]; v--)
            ways[v] += ways[v - doubled_ranks[i]];
    }
    for (uint64_t v = 0; v <= most; v++) {
        below += v <= doubled ? ways[v] : 0;
        above += v >= doubled ? ways[v] : 0;
    }
    free(ways);
    *less = paired_share(below, n);
    *greater = paired_share(above, n);
    return STATS_OK;
}

/* The tail on this side of the middle n(n+1)/4, from how far V lies beyond it. */
static enum stats_status paired_normal_tails(size_t n, long double off, wide_u128 ties, struct paired_test *test)
{
    long double count = (long double)n;
    long double sd = sqrtl(count * (count + 1) * (2 * count + 1) / 24 - (long double)ties / 48);
    enum stats_status status = tail_normal((double)((-off - 0.5L) / sd), &test->less);
    if (!status)
        status = tail_normal((double)((off - 0.5L) / sd), &test->greater);
    return status;
}

static enum stats_status paired_test_ranks(struct signed_size *sizes, size_t n, struct paired_test *test)
{
    uint64_t *doubled_ranks = malloc(n * sizeof *doubled_ranks);
    wide_u128 doubled = 0;
    enum stats_status status = STATS_NO_MEMORY;
    if (!doubled_ranks)
        return status;
    qsort(sizes, n, sizeof *sizes, paired_compare_sizes);
    wide_u128 ties = paired_rank(sizes, n, doubled_ranks);
    for (size_t i = 0; i < n; i++)
        doubled += sizes[i].above ? doubled_ranks[i] : 0;
    test->statistic = (double)((long double)doubled / 2);
    test->exact = n <= PAIRED_EXACT;
    if (test->exact)
        status = paired_signed_rank_tails(doubled_ranks, n, (uint64_t)doubled, &test->less, &test->greater);
    else
        status =
            paired_normal_tails(n, (long double)doubled / 2 - (long double)n * ((long double)n + 1) / 4, ties, test);
    free(doubled_ranks);
    return status;
}

enum stats_status paired_wilcoxon(const struct paired *pairs, double factor, struct paired_test *out)
{
    struct paired_test test = {.exact = true, .less = {1, 0}, .greater = {1, 0}};
    if (pairs->n < 1)
        return STATS_TOO_FEW;
    if (pairs->n > paired_n_max)
        return STATS_OVERFLOW;
    struct signed_size *sizes = malloc(pairs->n * sizeof *sizes);
    if (!sizes)
        return STATS_NO_MEMORY;
    for (size_t i = 0; i < pairs->n; i++) {
        __float128 d = paired_difference(pairs, i, factor);
        if (d != 0)
            sizes[test.used++] = (struct signed_size){fabsq(d), d > 0};
    }
    test.zeros = pairs->n - test.used;
    enum stats_status status = test.used > 0 ? paired_test_ranks(sizes, test.used, &test) : STATS_OK;
    free(sizes);
    if (status)
        return status;
    test.both = paired_double_tail(&test.less, &test.greater);
    *out = test;
    return STATS_OK;
}

/* ------------------------------------------------------------------------------------------ sign -- */

enum stats_status paired_binomial_tail(uint64_t least, uint64_t n, struct tail *out)
{
    assert(least <= n);
    if (least == 0) {
        *out = (struct tail){1, 0};
        return STATS_OK;
    }
    /* I_½(a, b) (DLMF 8.17.5), which is P(F ≥ a/b) with 2b and 2a degrees of freedom. */
    double a = (double)least, b = (double)(n - least + 1);
    return tail_f(a / b, 2 * b, 2 * a, out);
}

enum stats_status paired_sign(const struct paired *pairs, double factor, struct paired_test *out)
{
    struct paired_test test = {.exact = true};
    size_t above = 0;
    if (pairs->n < 1)
        return STATS_TOO_FEW;
    for (size_t i = 0; i < pairs->n; i++) {
        __float128 d = paired_difference(pairs, i, factor);
        above += d > 0;
        test.zeros += d == 0;
    }
    test.used = pairs->n - test.zeros;
    test.statistic = (double)above;
    enum stats_status status = paired_binomial_tail(test.used - above, test.used, &test.less);
    if (!status)
        status = paired_binomial_tail(above, test.used, &test.greater);
    if (status)
        return status;
    test.both = paired_double_tail(&test.less, &test.greater);
    *out = test;
    return STATS_OK;
}
