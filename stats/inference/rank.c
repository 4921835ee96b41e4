#include "stats/inference/rank.h"

#include <math.h>
#include <stdlib.h>

#include "stats/estimates/order.h"
#include "stats/exact/wide.h"
#include "stats/inference/rank_exact.h"

struct ranked {
    double value;
    size_t group;
};

/* What tests need from the ranks: doubled, so that shared ones are integers. */
struct ranks {
    uint64_t n;
    wide_u128 *doubled_sums; /* [count] of each group */
    wide_u128 ties;          /* Σ t³−t */
};

static int rank_compare_values(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

static void rank_collect_values(const struct rank_group *groups, size_t count, struct ranked *all)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < groups[i].n; j++)
            *all++ = (struct ranked){groups[i].x[j], i};
}

/* doubled_sums[count] starts as 0. */
static enum stats_status rank_groups(const struct rank_group *groups, size_t count, wide_u128 *doubled_sums,
                                     struct ranks *out)
{
    struct ranks ranks = {.doubled_sums = doubled_sums};
    uint64_t total = 0;
    if (count < 2)
        return STATS_TOO_FEW;
    for (size_t group = 0; group < count; group++) {
        if (groups[group].n > RANK_N_MAX - total)
            return STATS_OVERFLOW;
        if (groups[group].n < 1)
            return STATS_TOO_FEW;
        if (!order_all_finite(groups[group].x, groups[group].n))
            return STATS_DOMAIN;
        total += groups[group].n;
    }
    ranks.n = total;
    struct ranked *all = malloc(ranks.n * sizeof *all);
    if (!all)
        return STATS_NO_MEMORY;
    rank_collect_values(groups, count, all);
    qsort(all, ranks.n, sizeof *all, rank_compare_values);
    /* From the values in order. */
    for (uint64_t from = 0, to; from < ranks.n; from = to) {
        for (to = from + 1; to < ranks.n && all[to].value == all[from].value;)
            to++;
        for (uint64_t i = from; i < to; i++)
            ranks.doubled_sums[all[i].group] += from + 1 + to;
        wide_u128 run = to - from;
        ranks.ties += run * run * run - run;
    }
    free(all);
    *out = ranks;
    return STATS_OK;
}

/* N³ − N − Σ(t³−t): 0 if all values are equal. */
static wide_u128 rank_untied_cubes(const struct ranks *ranks)
{
    wide_u128 n = ranks->n;
    return n * n * n - n - ranks->ties;
}

static enum stats_status rank_test_kruskal(const struct rank_group *groups, size_t count, const struct ranks *ranks,
                                           struct kruskal_wallis *out)
{
    struct tail tail;
    if (rank_untied_cubes(ranks) == 0)
        return STATS_CONSTANT;
    /* 3(N−1) Σ D_i²/n_i / untied, which is H with D_i = Σ (2r − (N+1)), an integer, and nothing to cancel. */
    long double sum = 0;
    for (size_t i = 0; i < count; i++) {
        wide_i128 excess = (wide_i128)ranks->doubled_sums[i] - (wide_i128)groups[i].n * (wide_i128)(ranks->n + 1);
        sum += (long double)excess * (long double)excess / (long double)groups[i].n;
    }
    double h = (double)(3 * (long double)(ranks->n - 1) * sum / (long double)rank_untied_cubes(ranks)),
           dof = (double)(count - 1);
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
        status = rank_test_kruskal(groups, count, &ranks, out);
    free(sums);
    return status;
}

static enum stats_status rank_test_dunn_pair(const struct rank_group *groups, const struct ranks *ranks,
                                             struct rank_dunn_pair *pair)
{
    long double n = (long double)ranks->n, first = (long double)groups[pair->first].n,
                second = (long double)groups[pair->second].n;
    long double variance = (long double)rank_untied_cubes(ranks) / (12 * (n - 1)) * (1 / first + 1 / second);
    long double difference = (long double)ranks->doubled_sums[pair->second] / (2 * second) -
                             (long double)ranks->doubled_sums[pair->first] / (2 * first);
    pair->difference = (double)difference;
    pair->z = (double)(difference / sqrtl(variance));
    return tail_normal_two_sided(pair->z, &pair->p);
}

enum stats_status rank_dunn(const struct rank_group *groups, size_t count, struct rank_dunn_pair **out)
{
    struct ranks ranks;
    if (count < 2)
        return STATS_TOO_FEW;
    wide_u128 *sums = calloc(count, sizeof *sums);
    struct rank_dunn_pair *pairs = calloc(count * (count - 1) / 2, sizeof *pairs), *next = pairs;
    enum stats_status status = sums && pairs ? rank_groups(groups, count, sums, &ranks) : STATS_NO_MEMORY;
    if (!status && rank_untied_cubes(&ranks) == 0)
        status = STATS_CONSTANT;
    for (size_t i = 0; i < count && !status; i++)
        for (size_t j = i + 1; j < count && !status; j++, next++) {
            *next = (struct rank_dunn_pair){.first = i, .second = j};
            status = rank_test_dunn_pair(groups, &ranks, next);
        }
    free(sums);
    if (status)
        free(pairs);
    else
        *out = pairs;
    return status;
}

/* --- Mann and Whitney --- */

static enum stats_status rank_exact_tails(const struct rank_group both[2], uint64_t n, uint64_t doubled,
                                          struct tail *less, struct tail *greater)
{
    struct ranked *all = malloc(n * sizeof *all);
    size_t *lengths = malloc(n * sizeof *lengths);
    enum stats_status status = STATS_NO_MEMORY;
    if (all && lengths) {
        rank_collect_values(both, 2, all);
        qsort(all, n, sizeof *all, rank_compare_values);
        size_t count = 0; /* of runs of equal values */
        for (uint64_t i = 0; i < n; i++) {
            if (i == 0 || all[i].value != all[i - 1].value)
                lengths[count++] = 0;
            lengths[count - 1]++;
        }
        status = rank_exact(&(struct rank_runs){lengths, count, both[0].n, both[1].n}, doubled, less, greater);
    }
    free(lengths);
    free(all);
    return status;
}

/* The tail on this side of the middle, from `off` = 2U − n_x·n_y towards it: negative if U lies there. */
static enum stats_status rank_normal_tail(long double off, long double sd, struct tail *tail)
{
    return tail_normal((double)((off / 2 - 0.5L) / sd), tail);
}

enum stats_status rank_mann_whitney(const struct rank_group *x, const struct rank_group *y, struct mann_whitney *out)
{
    struct rank_group both[] = {*x, *y};
    wide_u128 sums[2] = {0, 0};
    struct ranks ranks;
    struct tail less = {1, 0}, greater = {1, 0}, p = {1, 0};
    enum stats_status status = rank_groups(both, 2, sums, &ranks);
    if (status)
        return status;
    wide_u128 doubled = sums[0] - (wide_u128)x->n * (x->n + 1); /* 2U */
    long double pairs = (long double)x->n * (long double)y->n, n = (long double)ranks.n;
    bool exact = (wide_u128)x->n * y->n <= RANK_EXACT_PAIRS;
    if (exact) {
        status = rank_exact_tails(both, ranks.n, (uint64_t)doubled, &less, &greater);
        /* Twice the smaller one, at most 1. */
        const struct tail *smaller = less.log10_p < greater.log10_p ? &less : &greater;
        double log10_p = smaller->log10_p + log10(2);
        p = log10_p < 0 && 2 * smaller->p < 1 ? (struct tail){2 * smaller->p, log10_p} : (struct tail){1, 0};
    } else if (rank_untied_cubes(&ranks) > 0) {
        long double variance = pairs / (12 * n * (n - 1)) * (long double)rank_untied_cubes(&ranks);
        /* sd: of U under the hypothesis. */
        long double off = (long double)doubled - pairs;
        long double sd = sqrtl(variance);
        long double far = fabsl(off) / 2;
        status = rank_normal_tail(-off, sd, &less);
        if (!status)
            status = rank_normal_tail(off, sd, &greater);
        status = status ? status : tail_normal_two_sided(far > 0 ? (double)((far - 0.5L) / sd) : 0, &p);
    }
    if (status)
        return status;
    *out = (struct mann_whitney){.u = (double)((long double)doubled / 2),
                                 .superiority = (double)((long double)doubled / 2 / pairs),
                                 .p = p.p,
                                 .log10_p = p.log10_p,
                                 .less = less,
                                 .greater = greater,
                                 .method = exact ? RANK_EXACT : RANK_NORMAL,
                                 .ties = ranks.ties > 0};
    return STATS_OK;
}
