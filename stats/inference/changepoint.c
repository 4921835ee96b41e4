#include "stats/inference/changepoint.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stats/estimates/order.h"

enum { NEIGHBOURS = 3 }; /* on each side */

static double changepoint_median(double *x, size_t n)
{
    double median = 0;
    order_sort(x, n);
    order_quantile(x, n, 0.5, &median);
    return median;
}

static enum stats_status changepoint_neighbour_sd(const double *x, size_t n, double *scratch, double *sd)
{
    double squares = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        scratch[i] = fabs(x[i + 1] - x[i]);
        squares += scratch[i] * scratch[i];
    }
    *sd = 1.4826022185056018 * changepoint_median(scratch, n - 1) / sqrt(2); /* 1/Φ⁻¹(3/4) */
    if (*sd == 0)
        *sd = sqrt(squares / (double)(n - 1) / 2);
    return *sd > 0 ? STATS_OK : STATS_CONSTANT;
}

/* Sums from the beginning, of values minus the first one, so that Σx² − (Σx)²/n loses little. */
struct sums {
    long double *x, *squares; /* [n + 1] */
};

struct search {
    struct sums sums;
    long double *best; /* [n + 1]: least cost of the first i values */
    size_t *before;    /* [n + 1]: start of their last segment */
};

static size_t *search_list_begins(const struct search *search, size_t n, size_t *count)
{
    size_t total = 0;
    for (size_t end = n; end > 0; end = search->before[end])
        total++;
    size_t *begins = malloc(total * sizeof *begins), i = total;
    for (size_t end = n; begins && end > 0; end = search->before[end])
        begins[--i] = search->before[end];
    *count = total;
    return begins;
}

static double changepoint_segment_mean(const double *x, const struct changepoint *found, size_t segment, size_t n)
{
    size_t from = found->begins[segment], to = segment + 1 < found->count ? found->begins[segment + 1] : n;
    long double sum = 0;
    assert(segment < found->count);
    for (size_t i = from; i < to; i++)
        sum += x[i];
    return (double)(sum / (long double)(to - from));
}

/* Segments are compared as found, without their outliers. */
static void changepoint_set_verdict(const double *x, const double *tamed, size_t n, struct changepoint *found)
{
    assert(found->count > 0 && found->begins[0] == 0);
    size_t above = 0, below = 0, last = found->count - 1;
    double steady = changepoint_segment_mean(tamed, found, last, n);
    found->steady_from = found->begins[last];
    found->steady_mean = changepoint_segment_mean(x, found, last, n);
    for (size_t s = 0; s < last; s++) {
        double mean = changepoint_segment_mean(tamed, found, s, n);
        above += mean > steady;
        below += mean <= steady;
    }
    found->verdict = found->count == 1 ? CHANGEPOINT_FLAT
                     : below == 0      ? CHANGEPOINT_WARM_UP
                     : above == 0      ? CHANGEPOINT_SLOWDOWN
                                       : CHANGEPOINT_UNSTEADY;
}

static enum stats_status changepoint_search(const double *x, size_t n, double *tamed, struct search *search,
                                            struct changepoint *out)
{
    assert(n >= CHANGEPOINT_N_MIN && n <= CHANGEPOINT_N_MAX);
    double sd;
    struct changepoint found;
    enum stats_status status = changepoint_neighbour_sd(x, n, tamed, &sd);
    if (status)
        return status;
    /* x in units of sd, outliers moved to three of them from the median around. */
    for (size_t i = 0; i < n; i++) {
        double window[2 * NEIGHBOURS + 1];
        size_t first = i < NEIGHBOURS ? 0 : i - NEIGHBOURS, last = i + NEIGHBOURS < n ? i + NEIGHBOURS : n - 1;
        memcpy(window, x + first, (last - first + 1) * sizeof *window);
        double median = changepoint_median(window, last - first + 1), away = (x[i] - median) / sd;
        tamed[i] = median / sd + fmin(fmax(away, -3), 3);
    }
    for (size_t i = 0; i < n; i++) {
        long double d = tamed[i] - tamed[0];
        search->sums.x[i + 1] = search->sums.x[i] + d;
        search->sums.squares[i + 1] = search->sums.squares[i] + d * d;
    }
    long double penalty = CHANGEPOINT_PENALTY * logl((long double)n);
    search->best[0] = -penalty;
    for (size_t end = 1; end <= n; end++) {
        /* The best start of a segment that ends before `end`. */
        search->best[end] = HUGE_VALL;
        for (size_t begin = 0; begin + CHANGEPOINT_LENGTH_MIN <= end; begin++) {
            long double sum = search->sums.x[end] - search->sums.x[begin], count = (long double)(end - begin);
            long double total = search->best[begin] +
                                (search->sums.squares[end] - search->sums.squares[begin] - sum * sum / count) + penalty;
            if (total < search->best[end]) {
                search->best[end] = total;
                search->before[end] = begin;
            }
        }
    }
    found.begins = search_list_begins(search, n, &found.count);
    if (!found.begins)
        return STATS_NO_MEMORY;
    changepoint_set_verdict(x, tamed, n, &found);
    *out = found;
    return STATS_OK;
}

enum stats_status changepoint_find(const double *x, size_t n, struct changepoint *out)
{
    if (!order_all_finite(x, n))
        return STATS_DOMAIN;
    if (n < CHANGEPOINT_N_MIN)
        return STATS_TOO_FEW;
    if (n > CHANGEPOINT_N_MAX)
        return STATS_OVERFLOW;
    struct search search = {{calloc(n + 1, sizeof(long double)), calloc(n + 1, sizeof(long double))},
                            malloc((n + 1) * sizeof(long double)),
                            malloc((n + 1) * sizeof(size_t))};
    double *tamed = malloc(n * sizeof *tamed);
    bool memory = search.sums.x && search.sums.squares && search.best && search.before && tamed;
    enum stats_status status = memory ? changepoint_search(x, n, tamed, &search, out) : STATS_NO_MEMORY;
    free(search.sums.x);
    free(search.sums.squares);
    free(search.best);
    free(search.before);
    free(tamed);
    return status;
}
