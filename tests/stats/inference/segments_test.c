#include "stats/inference/segments.h"

#include <math.h>
#include <stdlib.h>

#include "tests/tap.h"

enum { LENGTH_MAX = 1500 };
static uint64_t seed = 1;

static double uniform(void)
{
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (double)(seed >> 11) * 0x1p-53;
}

/* The sum of twelve uniforms minus six: mean 0, sd 1, almost normal. */
static double noise(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

static double cost(double n, double variance, double least)
{
    double v = fmax(variance, least);
    return n * (log(2 * M_PI * v) + variance / v);
}

/* Computes the cost of x[n] by Welford's method. */
static double cost_of(const double *x, size_t n, double least)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double d = x[i] - mean;
        mean += d / (double)(i + 1);
        squares += d * (x[i] - mean);
    }
    return cost((double)n, squares / (double)n, least);
}

/* The least cost of all partitions, without any pruning: segments grow backwards from each end. */
static double least_cost(const double *x, size_t n, double penalty, double least)
{
    static double best[LENGTH_MAX + 1];
    best[0] = -penalty;
    best[1] = INFINITY;
    for (size_t end = 2; end <= n; end++) {
        double mean = 0, squares = 0;
        best[end] = INFINITY;
        for (size_t count = 1; count <= end; count++) {
            double d = x[end - count] - mean;
            mean += d / (double)count;
            squares += d * (x[end - count] - mean);
            if (count >= 2)
                best[end] =
                    fmin(best[end], best[end - count] + penalty + cost((double)count, squares / (double)count, least));
        }
    }
    return best[n];
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* By counting all pairs: of the values as frequent as any, the lowest one, and a twentieth of the others near it. */
static double resolution(const double *x, size_t n)
{
    static double distances[LENGTH_MAX];
    double mode = 0, least = INFINITY;
    size_t frequency = 0, count = 0, few = (n + 19) / 20;
    for (size_t i = 0; i < n; i++) {
        size_t equal = 0;
        for (size_t j = 0; j < n; j++) {
            equal += x[i] == x[j];
            least = x[i] != x[j] ? fmin(least, fabs(x[i] - x[j])) : least;
        }
        if (equal > frequency || (equal == frequency && x[i] < mode)) {
            frequency = equal;
            mode = x[i];
        }
    }
    for (size_t i = 0; i < n; i++)
        if (x[i] != mode)
            distances[count++] = fabs(x[i] - mode);
    qsort(distances, count, sizeof *distances, order);
    return frequency > 1 && frequency >= few && count >= few ? distances[few - 1] : least;
}

/* Series of several kinds, of n_max values or less: `step` 0 for values of a fine clock. */
static double worst_excess(double step, double penalty, size_t n_max, double changes)
{
    double worst = 0;
    for (size_t round = 0; round < (n_max > 200 ? 8 : 60); round++) {
        static double x[LENGTH_MAX];
        double level = 100, sd = 1, sum = 0;
        size_t n = 4 + (size_t)(uniform() * (double)(n_max - 4)), count = 0;
        for (size_t i = 0; i < n; i++) {
            if (uniform() < changes) {
                level = 100 + 10 * uniform();
                sd = 0.1 + uniform();
            }
            x[i] = level + sd * noise();
            if (step > 0)
                x[i] = step * nearbyint(x[i] / step);
        }
        double least = resolution(x, n);
        if (isinf(least))
            continue;
        struct segment *segments = NULL;
        if (segments_find(x, n, penalty, &segments, &count))
            return INFINITY;
        for (size_t s = 0; s < count; s++)
            sum += cost_of(x + segments[s].begin, segments[s].end - segments[s].begin, least * least / 12) +
                   (s > 0 ? penalty : 0);
        free(segments);
        worst = fmax(worst, sum - least_cost(x, n, penalty, least * least / 12));
    }
    return worst;
}

static void test_optimum(void)
{
    ok(worst_excess(0, 5, 120, 0.05) < 1e-6, "no partition is better than the one found");
    ok(worst_excess(0, 60, 120, 0.05) < 1e-6, "  also with a large penalty");
    ok(worst_excess(1, 10, 120, 0.05) < 1e-6, "  and with values of a coarse clock");
    ok(worst_excess(0, 15 * log(LENGTH_MAX), LENGTH_MAX, 0.002) < 1e-6, "  and of a long series with few changes");
    ok(worst_excess(0, 5, LENGTH_MAX, 0.02) < 1e-6, "  or with many");
    ok(worst_excess(1, 15, LENGTH_MAX, 0.005) < 1e-6, "  or of a coarse clock");
}

static void test_planted(void)
{
    double x[1000];
    struct segment *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < 1000; i++)
        x[i] = i < 100 ? 120 + noise() : i < 600 ? 100 + noise() : 100 + 8 * noise();
    ok(!segments_find(x, 1000, 15 * log(1000), &found, &count), "1000 values are segmented");
    is_u64(count, 3, "  a change of the mean and one of the variance are found");
    ok(count == 3 && found[0].begin == 0 && found[0].end == 100 && found[1].begin == 100 && found[2].end == 1000,
       "  the mean's where it is");
    ok(count == 3 && found[2].begin >= 595 && found[2].begin <= 605, "  and the variance's within five values");
    ok(count == 3 && fabs(found[0].mean - 120) < 0.4 && fabs(found[1].sd - 1) < 0.15 && fabs(found[2].sd - 8) < 1,
       "  each segment has its mean and standard deviation");
    free(found);
    size_t flat = 0;
    for (size_t round = 0; round < 200; round++) {
        for (size_t i = 0; i < 500; i++)
            x[i] = 100 + noise();
        segments_find(x, 500, 15 * log(500), &found, &count);
        flat += count == 1;
        free(found);
    }
    is_u64(flat, 200, "200 series of the same distribution have one segment each");
}

/* A coarse clock shows 10, and in three of ten cases 11; the first value is a bit late. Many tens in a row are not a
 * level of their own. */
static void test_coarse_clock(void)
{
    static double x[1000];
    size_t whole = 0;
    for (size_t round = 0; round < 50; round++) {
        struct segment *found = NULL;
        size_t count = 0;
        for (size_t i = 0; i < 1000; i++)
            x[i] = uniform() < 0.3 ? 11 : 10;
        x[0] += 0.0001;
        whole += !segments_find(x, 1000, 15 * log(1000), &found, &count) && count == 1;
        free(found);
    }
    is_u64(whole, 50, "one odd value is not the resolution of a coarse clock");
}

static void test_scale(void)
{
    static const double units[] = {1e-250, 1, 1e250};
    for (size_t u = 0; u < 3; u++) {
        double x[60];
        struct segment *found = NULL;
        size_t count = 0;
        for (size_t i = 0; i < 60; i++)
            x[i] = ((i < 20 ? 150 : 100) + (i % 3 == 0 ? 1.0 : -0.5)) * units[u];
        ok(!segments_find(x, 60, 15 * log(60), &found, &count) && count == 2 && found[1].begin == 20 &&
               fabs(found[1].mean / units[u] - (100 - 0.5 / 40)) < 1e-9 &&
               fabs(found[1].sd / units[u] - sqrt(0.49375 - 0.5 * 0.5 / 1600)) < 1e-9,
           "a step in units of %g is found", units[u]);
        free(found);
    }
}

static void test_edges(void)
{
    double x[] = {3, 3, 3, 3, 9}, pairs[] = {1, 1, 5, 5};
    struct segment *found = NULL;
    size_t count = 42;
    ok(segments_find(x, 3, 1, &found, &count) == STATS_TOO_FEW && count == 42, "three values are too few");
    ok(segments_find(x, 5, 0, &found, &count) == STATS_DOMAIN, "a penalty of 0 is refused");
    ok(!segments_find(x, 4, 1, &found, &count) && count == 1 && found[0].end == 4 && found[0].mean == 3 &&
           found[0].sd == 0,
       "equal values are one segment");
    free(found);
    ok(!segments_find(pairs, 4, 1, &found, &count) && count == 2 && found[1].begin == 2 && found[1].mean == 5,
       "two values are enough for a segment");
    free(found);
    x[2] = NAN;
    ok(segments_find(x, 5, 1, &found, &count) == STATS_DOMAIN, "NaN is refused");
}

int main(void)
{
    test_optimum();
    test_planted();
    test_coarse_clock();
    test_scale();
    test_edges();
    return done_testing();
}
