#include "stats/inference/segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/estimates/order.h"

enum { BLOCK_LENGTH = 256, RARE = 20 /* one in twenty values */ };

#define SAME 1e-9 /* of the largest value: differences of readings that are equal but for their rounding to doubles */

/* Begins of a last segment, from `begin` to `begin` + BLOCK_LENGTH − 1; least: the least cost of the values before the
 * block's end, if the last segment begins in the block. */
struct segments_block {
    size_t begin;
    long double least;
};

struct segments_search {
    long double unit;
    long double *sums, *squares; /* [n + 1], of the first values minus x[0], in this unit */
    long double *best;           /* [n + 1]: the least cost of the first values */
    size_t *before;              /* [n + 1]: where their last segment begins */
    long double least_variance;
    struct segments_block *blocks; /* [block_count] of at most n/BLOCK_LENGTH */
    size_t block_count;
};

/* The distance of the value sorted[begin … end − 1] from the nearest others, of which it leaves `skipped` out. */
static double segments_distance(const double *sorted, size_t n, size_t begin, size_t end, size_t skipped)
{
    size_t below = begin, above = end;
    double value = sorted[begin], distance = INFINITY;
    for (size_t i = 0; i <= skipped && (below > 0 || above < n); i++) {
        double low = below > 0 ? value - sorted[below - 1] : INFINITY;
        double high = above < n ? sorted[above] - value : INFINITY;
        distance = fmin(low, high);
        if (low <= high)
            below--;
        else
            above++;
    }
    return distance;
}

/* The variance that rounding adds: q²/12. */
static long double segments_rounding(double *sorted, size_t n)
{
    order_sort(sorted, n);
    double step = INFINITY, same = SAME * fmax(fabs(sorted[0]), fabs(sorted[n - 1]));
    size_t few = (n + RARE - 1) / RARE, begin = 0, mode = 0, count = 0;
    for (size_t i = 1; i <= n; i++) {
        if (i < n && sorted[i] - sorted[begin] <= same)
            continue;
        if (i - begin > count) {
            mode = begin;
            count = i - begin;
        }
        step = i < n ? fmin(step, sorted[i] - sorted[begin]) : step;
        begin = i;
    }
    if (count > 1 && count >= few && n - count >= few)
        step = segments_distance(sorted, n, mode, mode + count, few - 1);
    return isinf(step) ? 0 : (long double)step * step / 12;
}

static long double segments_variance(const struct segments_search *search, size_t begin, size_t end)
{
    long double count = (long double)(end - begin), mean = (search->sums[end] - search->sums[begin]) / count;
    long double variance = (search->squares[end] - search->squares[begin]) / count - mean * mean;
    return variance > 0 ? variance : 0;
}

static long double segments_cost(const struct segments_search *search, size_t begin, size_t end)
{
    static const long double log_2_pi = 1.837877066409345483560659472811235279723L;
    long double found = segments_variance(search, begin, end), variance = fmaxl(found, search->least_variance);
    return (long double)(end - begin) * (log_2_pi + log((double)variance) + found / variance);
}

static void segments_scan(struct segments_search *search, size_t begin, size_t after, size_t end, long double penalty)
{
    for (; begin < after; begin++) {
        long double total = search->best[begin] + segments_cost(search, begin, end) + penalty;
        if (total < search->best[end]) {
            search->best[end] = total;
            search->before[end] = begin;
        }
    }
}

/* A segment from a block to `end` costs no less than its parts before and after the block's end do. Where these cost
 * more than the best partition of the values before `end`, a change at `end` is better than any longer segment that
 * begins in the block. So such blocks are dropped. */
static void segments_drop_blocks(struct segments_search *search, size_t end)
{
    size_t kept = 0;
    for (size_t i = 0; i < search->block_count; i++) {
        const struct segments_block block = search->blocks[i];
        if (block.least + segments_cost(search, block.begin + BLOCK_LENGTH, end) <= search->best[end])
            search->blocks[kept++] = block;
    }
    search->block_count = kept;
}

static void segments_add_block(struct segments_search *search, size_t begin)
{
    struct segments_block block = {begin, HUGE_VALL};
    for (size_t i = begin; i < begin + BLOCK_LENGTH; i++)
        block.least = fminl(block.least, search->best[i] + segments_cost(search, i, begin + BLOCK_LENGTH));
    search->blocks[search->block_count++] = block;
}

/* Likewise, blocks whose parts cost more than what has been found for `end` need no scan. */
static void segments_partition(struct segments_search *search, size_t n, long double penalty)
{
    size_t open = 0; /* begin of the block that is not whole yet */
    search->best[0] = -penalty;
    search->best[1] = HUGE_VALL; /* no segment has one value */
    for (size_t end = SEGMENT_LENGTH_MIN; end <= n; end++) {
        size_t after = end - SEGMENT_LENGTH_MIN + 1;
        search->best[end] = HUGE_VALL;
        for (size_t i = 0; i < search->block_count; i++) {
            const struct segments_block *block = &search->blocks[i];
            if (block->least + segments_cost(search, block->begin + BLOCK_LENGTH, end) + penalty < search->best[end])
                segments_scan(search, block->begin, block->begin + BLOCK_LENGTH, end, penalty);
        }
        segments_scan(search, open, after, end, penalty);
        if (after == open + BLOCK_LENGTH) {
            segments_drop_blocks(search, after - 1);
            segments_add_block(search, open);
            open = after;
        }
    }
}

static enum stats_status segments_list(const struct segments_search *search, double first, size_t n,
                                       struct segment **segments, size_t *count)
{
    size_t total = 0;
    for (size_t end = n; end > 0; end = search->before[end])
        total++;
    struct segment *list = malloc(total * sizeof *list);
    if (!list)
        return STATS_NO_MEMORY;
    *count = total;
    for (size_t end = n; end > 0; end = search->before[end]) {
        size_t begin = search->before[end];
        long double sum = search->sums[end] - search->sums[begin];
        list[--total] = (struct segment){begin, end, (double)(first + search->unit * sum / (long double)(end - begin)),
                                         (double)(search->unit * sqrtl(segments_variance(search, begin, end)))};
    }
    *segments = list;
    return STATS_OK;
}

static enum stats_status segments_search(struct segments_search *search, const double *x, size_t n, double penalty,
                                         struct segment **segments, size_t *count)
{
    long double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmaxl(most, fabsl((long double)x[i] - x[0]));
    if (most > 0) /* by a power of two: variances are in the range of log(), and nothing is rounded */
        search->unit = ldexpl(1, ilogbl(most));
    search->least_variance /= search->unit * search->unit;
    for (size_t i = 0; i < n; i++) {
        long double d = ((long double)x[i] - x[0]) / search->unit;
        search->sums[i + 1] = search->sums[i] + d;
        search->squares[i + 1] = search->squares[i] + d * d;
    }
    if (search->least_variance == 0) { /* constant */
        search->before[n] = 0;
        return segments_list(search, x[0], n, segments, count);
    }
    segments_partition(search, n, penalty);
    return segments_list(search, x[0], n, segments, count);
}

enum stats_status segments_find(const double *x, size_t n, double penalty, struct segment **segments, size_t *count)
{
    if (!order_all_finite(x, n) || !(penalty > 0))
        return STATS_DOMAIN;
    if (n < 2 * SEGMENT_LENGTH_MIN)
        return STATS_TOO_FEW;
    struct segments_search search = {.unit = 1,
                                     .sums = calloc(n + 1, sizeof(long double)),
                                     .squares = calloc(n + 1, sizeof(long double)),
                                     .best = malloc((n + 1) * sizeof(long double)),
                                     .before = malloc((n + 1) * sizeof(size_t)),
                                     .blocks = malloc((n / BLOCK_LENGTH + 1) * sizeof(struct segments_block))};
    double *sorted = malloc(n * sizeof *sorted);
    enum stats_status status = STATS_NO_MEMORY;
    if (search.sums && search.squares && search.best && search.before && search.blocks && sorted) {
        memcpy(sorted, x, n * sizeof *sorted);
        search.least_variance = segments_rounding(sorted, n);
        status = segments_search(&search, x, n, penalty, segments, count);
    }
    free(search.sums);
    free(search.squares);
    free(search.best);
    free(search.before);
    free(search.blocks);
    free(sorted);
    return status;
}
