#include "stats/inference/segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/estimates/order.h"

struct segments_search {
    long double *sums, *squares; /* [n + 1], of the first values minus x[0] */
    long double *best;           /* [n + 1]: the least cost of the first values */
    size_t *before;              /* [n + 1]: where their last segment begins */
    size_t *candidates;          /* [n + 1]: where a segment may begin */
    long double least_variance;
};

/* The variance that rounding adds: q²/12. */
static long double segments_rounding(double *sorted, size_t n)
{
    double step = INFINITY;
    order_sort(sorted, n);
    for (size_t i = 1; i < n; i++)
        if (sorted[i] > sorted[i - 1])
            step = fmin(step, sorted[i] - sorted[i - 1]);
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

/* A segment from before `begin` to `begin` that is worse than the best partition of the values before it can't be the
 * beginning of a longer one: a change at `begin` would be better. So such candidates are dropped. */
static void segments_partition(struct segments_search *search, size_t n, long double penalty)
{
    size_t count = 0;
    search->best[0] = -penalty;
    for (size_t end = SEGMENT_LENGTH_MIN; end <= n; end++) {
        size_t latest = end - SEGMENT_LENGTH_MIN, kept = 0;
        for (size_t i = 0; latest >= SEGMENT_LENGTH_MIN && i < count; i++) {
            size_t begin = search->candidates[i];
            if (begin + SEGMENT_LENGTH_MIN > latest ||
                search->best[begin] + segments_cost(search, begin, latest) <= search->best[latest])
                search->candidates[kept++] = begin;
        }
        count = latest >= SEGMENT_LENGTH_MIN ? kept : count;
        if (latest == 0 || latest >= SEGMENT_LENGTH_MIN)
            search->candidates[count++] = latest;
        search->best[end] = HUGE_VALL;
        for (size_t i = 0; i < count; i++) {
            size_t begin = search->candidates[i];
            long double total = search->best[begin] + segments_cost(search, begin, end) + penalty;
            if (total < search->best[end]) {
                search->best[end] = total;
                search->before[end] = begin;
            }
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
        list[--total] = (struct segment){begin, end, (double)(first + sum / (long double)(end - begin)),
                                         (double)sqrtl(segments_variance(search, begin, end))};
    }
    *segments = list;
    return STATS_OK;
}

static enum stats_status segments_search(struct segments_search *search, const double *x, size_t n, double penalty,
                                         struct segment **segments, size_t *count)
{
    for (size_t i = 0; i < n; i++) {
        long double d = (long double)x[i] - x[0];
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
    struct segments_search search = {calloc(n + 1, sizeof(long double)),    calloc(n + 1, sizeof(long double)),
                                     malloc((n + 1) * sizeof(long double)), malloc((n + 1) * sizeof(size_t)),
                                     malloc((n + 1) * sizeof(size_t)),      0};
    double *sorted = malloc(n * sizeof *sorted);
    enum stats_status status = STATS_NO_MEMORY;
    if (search.sums && search.squares && search.best && search.before && search.candidates && sorted) {
        memcpy(sorted, x, n * sizeof *sorted);
        search.least_variance = segments_rounding(sorted, n);
        status = segments_search(&search, x, n, penalty, segments, count);
    }
    free(search.sums);
    free(search.squares);
    free(search.best);
    free(search.before);
    free(search.candidates);
    free(sorted);
    return status;
}
