#include "stats/inference/segments.h"

#include <math.h>
#include <stdlib.h>

#include "tests/tap.h"

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

static double cost(const double *x, size_t n, double least)
{
    double mean = 0, variance = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        variance += (x[i] - mean) * (x[i] - mean) / (double)n;
    double v = fmax(variance, least);
    return (double)n * (log(2 * M_PI * v) + variance / v);
}

/* The least cost of all partitions, without any pruning. */
static double least_cost(const double *x, size_t n, double penalty, double least)
{
    double best[200] = {-penalty, INFINITY};
    for (size_t end = 2; end <= n; end++) {
        best[end] = INFINITY;
        for (size_t begin = 0; begin + 2 <= end; begin++)
            best[end] = fmin(best[end], best[begin] + cost(x + begin, end - begin, least) + penalty);
    }
    return best[n];
}

/* Series of several kinds: `step` 0 for values of a fine clock. */
static double worst_excess(double step, double penalty)
{
    double worst = 0;
    for (size_t round = 0; round < 60; round++) {
        double x[120], level = 100, sd = 1, least = INFINITY, sum = 0;
        size_t n = 4 + (size_t)(uniform() * 116), count = 0;
        for (size_t i = 0; i < n; i++) {
            if (uniform() < 0.05) {
                level = 100 + 10 * uniform();
                sd = 0.1 + uniform();
            }
            x[i] = level + sd * noise();
            if (step > 0)
                x[i] = step * nearbyint(x[i] / step);
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                if (x[i] != x[j])
                    least = fmin(least, fabs(x[i] - x[j]));
        if (isinf(least))
            continue;
        struct segment *segments = NULL;
        if (segments_find(x, n, penalty, &segments, &count))
            return INFINITY;
        for (size_t s = 0; s < count; s++)
            sum += cost(x + segments[s].begin, segments[s].end - segments[s].begin, least * least / 12) +
                   (s > 0 ? penalty : 0);
        free(segments);
        worst = fmax(worst, sum - least_cost(x, n, penalty, least * least / 12));
    }
    return worst;
}

static void test_optimum(void)
{
    ok(worst_excess(0, 5) < 1e-6, "no partition is better than the one found");
    ok(worst_excess(0, 60) < 1e-6, "  also with a large penalty");
    ok(worst_excess(1, 10) < 1e-6, "  and with values of a coarse clock");
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
    test_edges();
    return done_testing();
}
