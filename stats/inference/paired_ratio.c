#include <math.h>
#include <quadmath.h>
#include <stdlib.h>

#include "stats/distributions/critical.h"
#include "stats/estimates/group.h"
#include "stats/estimates/order.h"
#include "stats/exact/double_bits.h"
#include "stats/exact/wide.h"
#include "stats/inference/paired_parts.h"

/* ------------------------------------------------------------------------------------------ t -- */

enum stats_status paired_t_ratio(const struct paired *pairs, double confidence, struct ratio *out,
                                 enum stats_status *no_interval)
{
    struct ratio ratio = {NAN, NAN, NAN};
    __float128 n = (__float128)pairs->n, x = 0, y = 0, squares = 0;
    double t;
    if (pairs->n < 1)
        return STATS_TOO_FEW;
    if (!(confidence > 0 && confidence < 1))
        return STATS_DOMAIN;
    for (size_t i = 0; i < pairs->n; i++) {
        x += pairs->x[i] / n;
        y += pairs->y[i] / n;
    }
    if (!(y > 0))
        return STATS_DOMAIN;
    enum stats_status status = group_to_double(x / y, &ratio.ratio);
    if (status)
        return status;
    *no_interval = pairs->n < 2 ? STATS_TOO_FEW : critical_t(confidence, (double)(pairs->n - 1), &t);
    for (size_t i = 0; i < pairs->n && !*no_interval; i++) {
        __float128 off = paired_difference(pairs, i, 1) - (x - y);
        squares += off * off;
    }
    if (!*no_interval) {
        __float128 half = (__float128)t * sqrtq(squares / (n * (n - 1)));
        ratio.low = (double)((x - half) / y);
        ratio.high = (double)((x + half) / y);
    }
    *out = ratio;
    return STATS_OK;
}

/* ------------------------------------------------------------------------------------------ ranks -- */

static bool paired_all_positive(const struct paired *pairs)
{
    for (size_t i = 0; i < pairs->n; i++)
        if (!(pairs->x[i] > 0 && pairs->y[i] > 0))
            return false;
    return true;
}

/* P(V < cut) of the distribution that an interval is cut from. */
typedef enum stats_status paired_tail(size_t n, uint64_t cut, double *p);

static enum stats_status paired_tail_of_ranks(size_t n, uint64_t cut, double *p)
{
    uint64_t untied[PAIRED_EXACT];
    struct tail less, greater;
    for (size_t i = 0; i < n; i++)
        untied[i] = 2 * (i + 1);
    enum stats_status status = paired_signed_rank_tails(untied, n, 2 * (cut - 1), &less, &greater);
    if (!status)
        *p = less.p;
    return status;
}

static enum stats_status paired_tail_of_signs(size_t n, uint64_t cut, double *p)
{
    struct tail less;
    enum stats_status status = paired_binomial_tail(n - (cut - 1), n, &less); /* at most cut − 1, by symmetry */
    if (!status)
        *p = less.p;
    return status;
}

/* The largest cut with P(V < cut) ≤ tail, 0 if there is none; `bad` is above it. */
static enum stats_status paired_find_cut(paired_tail *tail_below, size_t n, uint64_t bad, double tail, uint64_t *cut)
{
    uint64_t good = 0;
    while (bad - good > 1) {
        uint64_t middle = good + (bad - good) / 2;
        double p;
        enum stats_status status = tail_below(n, middle, &p);
        if (status)
            return status;
        *(p <= tail ? &good : &bad) = middle;
    }
    *cut = good;
    return STATS_OK;
}

/* Numbers in some order, known by how many of them are at most a limit. */
struct paired_ratios {
    const struct paired *pairs;
    double *work; /* [n] */
    bool single;  /* x_i/y_i, not those of sums of two */
    wide_u128 count;
};

/* How many are at most this limit: x_i + x_j ≤ limit·(y_i + y_j), so d_i + d_j ≤ 0. */
static wide_u128 paired_count_up_to(const struct paired_ratios *ratios, double limit)
{
    size_t n = ratios->pairs->n;
    wide_u128 count = 0;
    for (size_t i = 0; i < n; i++)
        ratios->work[i] = (double)paired_difference(ratios->pairs, i, limit);
    if (ratios->single) {
        for (size_t i = 0; i < n; i++)
            count += ratios->work[i] <= 0;
        return count;
    }
    order_sort(ratios->work, n);
    for (size_t i = 0, j = n; i < n; i++) { /* i ≤ k < j: those with d_i + d_k ≤ 0, fewer as i grows */
        while (j > 0 && ratios->work[i] + ratios->work[j - 1] > 0)
            j--;
        if (j <= i)
            break;
        count += j - i;
    }
    return count;
}

/* The one of this rank, from 1, by bisection of the bits. */
static double paired_ratio_of_rank(const struct paired_ratios *ratios, wide_u128 rank)
{
    uint64_t low = 0, high = double_to_bits(INFINITY);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (paired_count_up_to(ratios, double_of_bits(middle)) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return double_of_bits(low);
}

static enum stats_status paired_find_ratio(const struct paired_ratios *ratios, enum stats_status cut_status,
                                           uint64_t cut, struct ratio *out, enum stats_status *no_interval)
{
    struct ratio ratio = {NAN, NAN, NAN};
    wide_u128 half = (ratios->count + 1) / 2;
    double middle = paired_ratio_of_rank(ratios, half);
    ratio.ratio = ratios->count % 2 ? middle : middle / 2 + paired_ratio_of_rank(ratios, half + 1) / 2;
    if (!isfinite(ratio.ratio) || ratio.ratio == 0)
        return STATS_OVERFLOW;
    *no_interval = cut_status ? cut_status : cut == 0 ? STATS_TOO_FEW : STATS_OK;
    if (!*no_interval) {
        ratio.low = paired_ratio_of_rank(ratios, cut);
        ratio.high = paired_ratio_of_rank(ratios, ratios->count + 1 - cut);
    }
    *out = ratio;
    return STATS_OK;
}

static enum stats_status paired_rank_ratio(const struct paired *pairs, bool single, double confidence,
                                           struct ratio *out, enum stats_status *no_interval)
{
    size_t n = pairs->n;
    uint64_t cut = 0;
    double z, count = (double)n;
    if (n < 1)
        return STATS_TOO_FEW;
    if (n > (uint64_t)1 << 40)
        return STATS_OVERFLOW;
    if (!(confidence > 0 && confidence < 1) || !paired_all_positive(pairs))
        return STATS_DOMAIN;
    struct paired_ratios ratios = {pairs, malloc(n * sizeof *ratios.work), single,
                                   single ? n : (wide_u128)n * (n + 1) / 2};
    if (!ratios.work)
        return STATS_NO_MEMORY;
    enum stats_status status;
    if (single) {
        status = paired_find_cut(paired_tail_of_signs, n, n / 2 + 1, (1 - confidence) / 2, &cut);
    } else if (n <= PAIRED_EXACT) {
        status = paired_find_cut(paired_tail_of_ranks, n, n * (n + 1) / 4 + 1, (1 - confidence) / 2, &cut);
    } else {
        status = critical_t(confidence, INFINITY, &z);
        double k = status ? 0 : count * (count + 1) / 4 - z * sqrt(count * (count + 1) * (2 * count + 1) / 24);
        cut = k > 0 ? (uint64_t)k : 0;
    }
    enum stats_status found = paired_find_ratio(&ratios, status, cut, out, no_interval);
    free(ratios.work);
    return status == STATS_NO_MEMORY ? status : found;
}

enum stats_status paired_wilcoxon_ratio(const struct paired *pairs, double confidence, struct ratio *out,
                                        enum stats_status *no_interval)
{
    return paired_rank_ratio(pairs, false, confidence, out, no_interval);
}

enum stats_status paired_sign_ratio(const struct paired *pairs, double confidence, struct ratio *out,
                                    enum stats_status *no_interval)
{
    return paired_rank_ratio(pairs, true, confidence, out, no_interval);
}
