#include "stats/inference/rank_exact.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "stats/exact/wide.h"
#include "stats/inference/rank.h"

/* The distribution as counted: x is the smaller group, and u lies in the lower half. */
struct count {
    const struct rank_runs *runs;
    bool descending; /* runs are taken from the greatest values down: U becomes m·n − U */
    size_t m, n;
    uint64_t limit; /* 2U of interest, 0 … m·n */
};

static size_t rank_exact_run_length(const struct count *count, size_t i)
{
    assert(i < count->runs->count);
    return count->runs->length[count->descending ? count->runs->count - 1 - i : i];
}

static size_t rank_exact_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The number of choices for each 2U from 0 to the limit. */
static wide_u128 *rank_exact_count_tied(const struct count *count, wide_u128 *ways)
{
    size_t before = 0;
    ways[0] = 1;
    for (size_t i = 0; i < count->runs->count; i++) {
        /*
         * ways[j·width + v]: choices of j x among the first `before` values with 2U = v. If k more of the
         * next `run` equal values are x, in (run choose k) ways, each of them adds 2 for each earlier y, 1 for each
         * equal y.
         */
        size_t run = rank_exact_run_length(count, i);
        size_t width = (size_t)count->limit + 1;
        for (size_t to = rank_exact_smaller(count->m, before + run); to > 0; to--) {
            wide_u128 choices = 1;
            for (size_t k = 1; k <= rank_exact_smaller(run, to); k++) {
                size_t from = to - k;
                choices = choices * (run - k + 1) / k;
                if (from > before)
                    continue;
                size_t more = k * (2 * (before - from) + run - k), reached = 2 * from * (before - from);
                if (more >= width)
                    continue;
                const wide_u128 *source = ways + from * width;
                wide_u128 *target = ways + to * width + more;
                for (size_t v = 0; v <= rank_exact_smaller(reached, width - 1 - more); v++)
                    target[v] += source[v] * choices;
            }
        }
        before += rank_exact_run_length(count, i);
    }
    return ways + count->m * (size_t)(count->limit + 1);
}

/*
 * Without ties: coefficients of Π (1 − q^(n+i))/(1 − q^i), i = 1 … m (Gauss); products and quotients are computed only
 * below q^(u+1), modulo 2^128. They are at even positions, like 2U.
 */
static wide_u128 *rank_exact_count_untied(const struct count *count, wide_u128 *ways)
{
    ways[0] = 1;
    for (size_t i = 1; i <= count->m; i++) {
        for (size_t v = (size_t)count->limit / 2; v >= count->n + i; v--)
            ways[2 * v] -= ways[2 * (v - count->n - i)];
        for (size_t v = i; v <= count->limit / 2; v++)
            ways[2 * v] += ways[2 * (v - i)];
    }
    return ways;
}

static struct tail rank_exact_tail(wide_u128 count, wide_u128 total)
{
    long double p = (long double)count / (long double)total;
    return (struct tail){(double)p, (double)log10l(p)};
}

enum stats_status rank_exact(const struct rank_runs *runs, uint64_t doubled, struct tail *less, struct tail *greater)
{
    uint64_t most = 2 * (uint64_t)runs->m * runs->n;
    assert(runs->m >= 1 && runs->n >= 1 && (wide_u128)runs->m * runs->n <= RANK_EXACT_PAIRS);
    bool swapped = runs->m > runs->n; /* U of y is m·n − U of x */
    struct count count = {.runs = runs, .m = swapped ? runs->n : runs->m, .n = swapped ? runs->m : runs->n};
    uint64_t own = swapped ? most - doubled : doubled;
    bool tied = runs->count < runs->m + runs->n;
    count.descending = own > most / 2;
    count.limit = count.descending ? most - own : own;
    wide_u128 *ways = calloc((tied ? count.m + 1 : 1) * (size_t)(count.limit + 1), sizeof *ways), total = 1, below = 0;
    if (!ways)
        return STATS_NO_MEMORY;
    const wide_u128 *counts = tied ? rank_exact_count_tied(&count, ways) : rank_exact_count_untied(&count, ways);
    for (size_t i = 1; i <= count.m; i++)
        total = total * (count.n + i) / i;
    for (size_t v = 0; v < count.limit; v++)
        below += counts[v];
    struct tail near = rank_exact_tail(below + counts[count.limit], total), far = rank_exact_tail(total - below, total);
    bool lower = swapped == count.descending; /* the counted tail is that of small U of x */
    *less = lower ? near : far;
    *greater = lower ? far : near;
    free(ways);
    return STATS_OK;
}
