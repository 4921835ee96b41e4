#include "stats/inference/warmup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/estimates/order.h"

#define MOST_CORRELATED 0.95 /* beyond, a few errors of the estimate would hide all changes */

enum {
    LEAST_CORRELATED = WARMUP_FEW, /* iterations, so that their correlation is more than noise */
    CORRELATED_BLOCK = 20,
    LEAST_HALVED = 20 /* of the steady state */
};

/* Whether iteration i is far from those around it. A collection in every seventh or a later one leaves the percentiles
 * as they are. */
static bool warmup_is_far(const double *x, size_t n, size_t i, double tolerance)
{
    double window[WARMUP_WINDOW], low = 0, median = 0, high = 0;
    size_t width = n < WARMUP_WINDOW ? n : WARMUP_WINDOW, begin = i > width / 2 ? i - width / 2 : 0;
    if (begin + width > n)
        begin = n - width;
    memcpy(window, x + begin, width * sizeof *window);
    order_sort(window, width);
    order_quantile(window, width, 0.2, &low);
    order_quantile(window, width, 0.5, &median);
    order_quantile(window, width, 0.8, &high);
    return fabs(x[i] - median) > fmax(4 * (high - low), tolerance * fabs(median));
}

/* As many as WARMUP_CHANGE in a row may as well be another level. */
static void warmup_mark_outliers(const double *x, size_t n, double tolerance, bool *is_outlier)
{
    for (size_t i = 0; i < n; i++)
        is_outlier[i] = warmup_is_far(x, n, i, tolerance);
    for (size_t begin = 0, end; begin < n; begin = end + 1) {
        for (end = begin; end < n && is_outlier[end]; end++)
            ;
        if (end - begin >= WARMUP_CHANGE)
            memset(is_outlier + begin, 0, end - begin);
    }
}

/* Adds Σ d[i]·d[i + 1] and Σ d[i]² of the block's differences, less their median and cut at their robust standard
 * deviation: blocks of any spread count alike, trends not at all, and changes and outliers little. */
static void warmup_add_block(const double *x, double *products, double *squares)
{
    enum { COUNT = CORRELATED_BLOCK - 1 };
    double d[COUNT], sorted[COUNT], median, spread;
    for (size_t i = 0; i < COUNT; i++)
        d[i] = sorted[i] = x[i + 1] - x[i];
    order_sort(sorted, COUNT);
    order_quantile(sorted, COUNT, 0.5, &median);
    for (size_t i = 0; i < COUNT; i++)
        sorted[i] = fabs(d[i] - median);
    order_sort(sorted, COUNT);
    order_quantile(sorted, COUNT, 0.5, &spread);
    if (!(spread > 0))
        return;
    for (size_t i = 0; i < COUNT; i++)
        d[i] = fmax(-1, fmin((d[i] - median) / (1.4826 * spread), 1));
    for (size_t i = 0; i + 1 < COUNT; i++) {
        *products += d[i] * d[i + 1];
        *squares += (d[i] * d[i] + d[i + 1] * d[i + 1]) / 2;
    }
}

/* The correlation φ of neighbours. Neighbouring differences of an autoregressive series are correlated by −(1 − φ)/2;
 * cut ones, within blocks, by 1/1.15 of that. */
static double warmup_correlation(const double *x, size_t n)
{
    double products = 0, squares = 0;
    if (n < LEAST_CORRELATED)
        return 0;
    for (size_t i = 0; i + CORRELATED_BLOCK <= n; i += CORRELATED_BLOCK / 4)
        warmup_add_block(x + i, &products, &squares);
    double correlation = squares > 0 ? 1 + 2 * 1.15 * products / squares : 0;
    return correlation > 2 * sqrt(2 / (double)n) ? fmin(correlation, MOST_CORRELATED) : 0;
}

static enum stats_status warmup_segment(const double *x, size_t n, double correlation, struct segment **segments,
                                        size_t *count)
{
    double one = (1 + correlation) / (1 - correlation); /* so many values are worth one */
    double penalty = WARMUP_PENALTY * one * log(fmax((double)n / one, 2));
    return segments_find(x, n, n < LEAST_CORRELATED ? WARMUP_PENALTY_FEW * log((double)n) : penalty, segments, count);
}

/* The search has chosen the segments that differ most. So those in the middle need more standard errors; those in the
 * beginning are short where the level still falls. */
static bool warmup_is_equal(const struct segment *earlier, const struct segment *later, double tolerance)
{
    double n = (double)(earlier->end - earlier->begin), m = (double)(later->end - later->begin);
    double error = hypot(earlier->sd / sqrt(n), later->sd / sqrt(m)), errors = earlier->begin > 0 ? 4 : 2;
    return fabs(earlier->mean - later->mean) - errors * error <= tolerance * fabs(later->mean);
}

/* A few iterations between others. */
static bool warmup_is_excursion(const struct segment *segment)
{
    return segment->begin > 0 && segment->end - segment->begin < WARMUP_EXCURSION;
}

static struct segment warmup_summary(const double *x, size_t begin, size_t end)
{
    long double n = (long double)(end - begin), sum = 0, squares = 0;
    for (size_t i = begin; i < end; i++)
        sum += x[i];
    for (size_t i = begin; i < end; i++)
        squares += (x[i] - sum / n) * (x[i] - sum / n);
    return (struct segment){begin, end, (double)(sum / n), (double)sqrtl(squares / n)};
}

/* Whether the halves of the steady state differ, so that it is not a steady one: by three standard errors more than the
 * tolerance. A trend may be a single segment, or a few long ones. */
static bool warmup_drifts(const double *x, size_t from, size_t n, double correlation, double tolerance)
{
    if (n < LEAST_CORRELATED || n - from < LEAST_HALVED)
        return false;
    const struct segment first = warmup_summary(x, from, from + (n - from) / 2);
    const struct segment second = warmup_summary(x, first.end, n);
    double independent = (double)(n - from) / 2 * (1 - correlation) / (1 + correlation);
    double error = hypot(first.sd, second.sd) / sqrt(fmax(independent - 1, 1));
    return fabs(first.mean - second.mean) - 3 * error > tolerance * fabs(second.mean);
}

/* `from`: the first steady value, of n. */
static enum warmup_class warmup_decide(const struct warmup *found, size_t n, const struct warmup_options *options,
                                       size_t *from)
{
    const struct segment *segments = found->segments, *last = &segments[found->segment_count - 1];
    size_t steady = found->segment_count - 1;
    bool better = false, worse = false;
    for (size_t s = steady; s-- > 0;) {
        if (warmup_is_equal(&segments[s], last, options->tolerance))
            steady = s;
        else if (!warmup_is_excursion(&segments[s]))
            break;
    }
    *from = segments[steady].begin;
    if ((double)(n - *from) < options->share * (double)n)
        return WARMUP_UNSTEADY;
    for (size_t s = 0; s < steady; s++) {
        if (warmup_is_excursion(&segments[s]) || warmup_is_equal(&segments[s], last, options->tolerance))
            continue;
        bool is_lower = segments[s].mean < last->mean;
        better |= is_lower != options->higher_is_better;
        worse |= is_lower == options->higher_is_better;
    }
    return better ? WARMUP_SLOWER : worse ? WARMUP_FASTER : WARMUP_FLAT;
}

/* The class of what is left without outliers; `kept`: the numbers of these iterations. */
static enum stats_status warmup_classify_kept(const double *x, const size_t *kept, size_t count, size_t n,
                                              const struct warmup_options *options, struct warmup *found)
{
    size_t from;
    double correlation = warmup_correlation(x, count);
    enum stats_status status = warmup_segment(x, count, correlation, &found->segments, &found->segment_count);
    if (status)
        return status;
    found->class = warmup_decide(found, count, options, &from);
    if (warmup_drifts(x, from, count, correlation, options->tolerance))
        found->class = WARMUP_UNSTEADY;
    found->steady_from = found->class == WARMUP_UNSTEADY ? n : kept[from];
    for (size_t s = 0; s < found->segment_count; s++) {
        found->segments[s].begin = s == 0 ? 0 : kept[found->segments[s].begin];
        if (s > 0)
            found->segments[s - 1].end = found->segments[s].begin;
    }
    found->segments[found->segment_count - 1].end = n;
    return STATS_OK;
}

/* The first `count` iterations are outliers: a flat rest is steady only after them, and if they are better than the
 * steady state, no warm-up leads to it. They make no difference if their mean equals it. */
static void warmup_decide_beginning(const double *x, size_t count, const struct warmup_options *options,
                                    struct warmup *found)
{
    const struct segment *last = &found->segments[found->segment_count - 1];
    if (count == 0 || (found->class != WARMUP_FLAT && found->class != WARMUP_FASTER))
        return;
    double mean = warmup_summary(x, 0, count).mean;
    if (fabs(mean - last->mean) <= options->tolerance * fabs(last->mean)) {
        found->steady_from = found->class == WARMUP_FLAT ? 0 : found->steady_from;
        return;
    }
    bool is_lower = mean < last->mean;
    found->class = is_lower == options->higher_is_better ? WARMUP_FASTER : WARMUP_SLOWER;
}

static enum stats_status warmup_classify_in(const double *x, size_t n, const struct warmup_options *options,
                                            double *values, size_t *kept, struct warmup *found)
{
    size_t count = 0;
    warmup_mark_outliers(x, n, options->tolerance, found->is_outlier);
    for (size_t i = 0; i < n; i++) {
        if (!found->is_outlier[i]) {
            values[count] = x[i];
            kept[count++] = i;
        }
    }
    enum stats_status status =
        count < WARMUP_N_MIN ? STATS_TOO_FEW : warmup_classify_kept(values, kept, count, n, options, found);
    if (status)
        return status;
    warmup_decide_beginning(x, kept[0], options, found);
    for (size_t i = 0; i < n && i < kept[0]; i++) /* they are warm-up */
        found->is_outlier[i] = false;
    for (size_t i = 0; i < n; i++)
        found->outliers += found->is_outlier[i];
    return STATS_OK;
}

enum stats_status warmup_classify(const double *x, size_t n, const struct warmup_options *options, struct warmup *out)
{
    if (!order_all_finite(x, n) || !(options->tolerance >= 0) || !(options->share > 0 && options->share <= 1))
        return STATS_DOMAIN;
    if (n < WARMUP_N_MIN)
        return STATS_TOO_FEW;
    struct warmup found = {.is_outlier = malloc(n * sizeof *found.is_outlier)};
    double *values = malloc(n * sizeof *values);
    size_t *kept = malloc(n * sizeof *kept);
    bool good = found.is_outlier && values && kept;
    enum stats_status status = good ? warmup_classify_in(x, n, options, values, kept, &found) : STATS_NO_MEMORY;
    if (status)
        warmup_free(&found);
    else
        *out = found;
    free(values);
    free(kept);
    return status;
}

enum stats_status warmup_of_series(const struct series *series, const struct warmup_options *options,
                                   struct warmup *out)
{
    double *x = malloc((series->n + 1) * sizeof *x);
    if (!x)
        return STATS_NO_MEMORY;
    series_to_doubles(series, x);
    enum stats_status status = warmup_classify(x, series->n, options, out);
    free(x);
    return status;
}

void warmup_free(struct warmup *found)
{
    free(found->segments);
    free(found->is_outlier);
    found->segments = NULL;
    found->is_outlier = NULL;
}

const char *warmup_class_name(enum warmup_class class)
{
    static const char *const names[] = {"flat", "warm-up", "slowdown", "no steady state"};
    return names[class];
}
