#include "stats/rank.h"

#include <math.h>
#include <stdlib.h>

#include "stats/tail.h"
#include "stats/wide.h"

struct ranked {
    double value;
    size_t group;
};

/* What tests need to know of the ranks: doubled, so that shared ones are integers. */
struct ranks {
    uint64_t n;
    wide_u128 *doubled_sums; /* [count] of each group */
    wide_u128 ties;          /* Σ t³−t */
};

static int compare_values(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

static enum stats_status check_group(const struct rank_group *group)
{
    if (group->n < 1)
        return STATS_TOO_FEW;
    for (size_t i = 0; i < group->n; i++)
        if (!isfinite(group->x[i]))
            return STATS_DOMAIN;
    return STATS_OK;
}

static enum stats_status check_groups(const struct rank_group *groups, size_t count, uint64_t *n)
{
    uint64_t total = 0;
    if (count < 2)
        return STATS_TOO_FEW;
    for (size_t i = 0; i < count; i++) {
        if (groups[i].n > RANK_N_MAX - total)
            return STATS_OVERFLOW;
        enum stats_status status = check_group(&groups[i]);
        if (status)
            return status;
        total += groups[i].n;
    }
    *n = total;
    return STATS_OK;
}

static void collect(const struct rank_group *groups, size_t count, struct ranked *all)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < groups[i].n; j++)
            *all++ = (struct ranked){groups[i].x[j], i};
}

/* From the values in order. */
static void sum_ranks(const struct ranked *all, struct ranks *ranks)
{
    for (uint64_t from = 0, to; from < ranks->n; from = to) {
        for (to = from + 1; to < ranks->n && all[to].value == all[from].value;)
            to++;
        for (uint64_t i = from; i < to; i++)
            ranks->doubled_sums[all[i].group] += from + 1 + to;
        wide_u128 run = to - from;
        ranks->ties += run * run * run - run;
    }
}

/* doubled_sums[count] starts as 0. */
static enum stats_status rank_groups(const struct rank_group *groups, size_t count, wide_u128 *doubled_sums,
                                     struct ranks *out)
{
    struct ranks ranks = {.doubled_sums = doubled_sums};
    enum stats_status status = check_groups(groups, count, &ranks.n);
    if (status)
        return status;
    struct ranked *all = malloc(ranks.n * sizeof *all);
    if (!all)
        return STATS_NO_MEMORY;
    collect(groups, count, all);
    qsort(all, ranks.n, sizeof *all, compare_values);
    sum_ranks(all, &ranks);
    free(all);
    *out = ranks;
    return STATS_OK;
}

/* N³ − N − Σ(t³−t): 0 if all values are equal. */
static wide_u128 untied(const struct ranks *ranks)
{
    wide_u128 n = ranks->n;
    return n * n * n - n - ranks->ties;
}

/* 3(N−1) Σ D_i²/n_i / untied, which is H with D_i = Σ (2r − (N+1)), an integer, and nothing to cancel. */
static long double kruskal_h(const struct rank_group *groups, size_t count, const struct ranks *ranks)
{
    long double sum = 0;
    for (size_t i = 0; i < count; i++) {
        wide_i128 excess = (wide_i128)ranks->doubled_sums[i] - (wide_i128)groups[i].n * (wide_i128)(ranks->n + 1);
        sum += (long double)excess * (long double)excess / (long double)groups[i].n;
    }
    return 3 * (long double)(ranks->n - 1) * sum / (long double)untied(ranks);
}

static enum stats_status kruskal_of(const struct rank_group *groups, size_t count, const struct ranks *ranks,
                                    struct kruskal_wallis *out)
{
    struct tail tail;
    if (untied(ranks) == 0)
        return STATS_CONSTANT;
    double h = (double)kruskal_h(groups, count, ranks), dof = (double)(count - 1);
    enum stats_status status = tail_chi_square(h, dof, &tail);
    if (!status)
        *out = (struct kruskal_wallis){h, dof, tail.p, tail.log10_p, count, ranks->n, ranks->ties > 0};
    return status;
}

enum stats_status rank_kruskal_wallis(const struct rank_group *groups, size_t count, struct kruskal_wallis *out)
{
    struct ranks ranks;
    if (count < 2)
        return STATS_TOO_FEW;
    wide_u128 *sums = calloc(count, sizeof *sums);
    if (!sums)
        return STATS_NO_MEMORY;
    enum stats_status status = rank_groups(groups, count, sums, &ranks);
    if (!status)
        status = kruskal_of(groups, count, &ranks, out);
    free(sums);
    return status;
}

/* --- Mann and Whitney --- */

/*
 * P(U ≤ u) without ties. How many arrangements have a U is its coefficient in Π (1 − q^(n+i))/(1 − q^i), i = 1 … m
 * (Gauss); products and quotients are taken below q^(u+1) alone, modulo 2^128. All counts fit: (98 choose 49) < 2^95.
 */
static long double exact_lower(uint64_t u, size_t m, size_t n)
{
    wide_u128 counts[RANK_EXACT_N * RANK_EXACT_N / 2] = {1}, arrangements = 1, sum = 0;
    for (size_t i = 1; i <= m; i++) {
        arrangements = arrangements * (n + i) / i;
        for (size_t j = u; j >= n + i; j--)
            counts[j] -= counts[j - n - i];
        for (size_t j = i; j <= u; j++)
            counts[j] += counts[j - i];
    }
    for (size_t j = 0; j <= u; j++)
        sum += counts[j];
    return (long double)sum / (long double)arrangements;
}

/* doubled is 2U. The distribution is symmetric about n_x·n_y/2. */
static enum stats_status exact_p(uint64_t doubled, size_t m, size_t n, struct tail *tail)
{
    uint64_t u = doubled / 2, mirrored = m * n - u;
    long double p = 2 * exact_lower(u < mirrored ? u : mirrored, m, n);
    p = p < 1 ? p : 1;
    *tail = (struct tail){(double)p, (double)log10l(p)};
    return STATS_OK;
}

static enum stats_status normal_p(wide_u128 doubled, long double pairs, const struct ranks *ranks, struct tail *tail)
{
    long double n = (long double)ranks->n, off = fabsl((long double)doubled - pairs) / 2; /* |U − pairs/2| */
    long double variance = pairs / (12 * n * (n - 1)) * (long double)untied(ranks);
    return tail_normal_two_sided(off > 0 ? (double)((off - 0.5L) / sqrtl(variance)) : 0, tail);
}

enum stats_status rank_mann_whitney(const struct rank_group *x, const struct rank_group *y, struct mann_whitney *out)
{
    struct rank_group both[] = {*x, *y};
    wide_u128 sums[2] = {0, 0};
    struct ranks ranks;
    struct tail tail;
    enum stats_status status = rank_groups(both, 2, sums, &ranks);
    if (status)
        return status;
    if (untied(&ranks) == 0)
        return STATS_CONSTANT;
    wide_u128 doubled = sums[0] - (wide_u128)x->n * (x->n + 1); /* 2U */
    long double pairs = (long double)x->n * (long double)y->n;
    bool exact = ranks.ties == 0 && x->n < RANK_EXACT_N && y->n < RANK_EXACT_N;
    status = exact ? exact_p((uint64_t)doubled, x->n, y->n, &tail) : normal_p(doubled, pairs, &ranks, &tail);
    if (status)
        return status;
    *out = (struct mann_whitney){.u = (double)((long double)doubled / 2),
                                 .superiority = (double)((long double)doubled / 2 / pairs),
                                 .p = tail.p,
                                 .log10_p = tail.log10_p,
                                 .method = exact ? RANK_EXACT : RANK_NORMAL,
                                 .ties = ranks.ties > 0};
    return STATS_OK;
}
