/* draw_test.c - random intervals: range, uniformity, the first tick; they depend only on seed and order. */
#include "tests/tap.h"

#include "base/rng.h"

enum { DRAWS = 200000, CELLS = 100, PERIOD = 10000000, SPREAD = 3000000 };

/* Chi-square with 99 degrees of freedom exceeds 180 with p = 1.3e-6, and is below 40 with p = 3e-8; the seed is fixed,
 * so a pass stays a pass. */
static void test_uniform(void)
{
    struct rng rng;
    unsigned cells[CELLS] = {0};
    uint64_t low = UINT64_MAX, high = 0;
    double sum = 0, chi2 = 0;
    rng_init(&rng, 1, 0);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t interval = rng_interval(&rng, PERIOD, SPREAD);
        low = interval < low ? interval : low;
        high = interval > high ? interval : high;
        sum += (double)interval;
        cells[(interval - (PERIOD - SPREAD)) * CELLS / (2 * SPREAD + 1)]++;
    }
    for (int i = 0; i < CELLS; i++) {
        double expected = (double)DRAWS / CELLS, off = cells[i] - expected;
        chi2 += off * off / expected;
    }
    ok(low >= PERIOD - SPREAD && high <= PERIOD + SPREAD, "intervals lie in [period - spread, period + spread]");
    ok(low < PERIOD - SPREAD + 1000 && high > PERIOD + SPREAD - 1000, "  and come near both ends");
    ok(chi2 > 40 && chi2 < 180, "  and are uniform (chi2 %.1f)", chi2);
    /* Mean: sd = 2 * SPREAD / sqrt(12 * DRAWS) = 3873; five of them. */
    is_real(sum / DRAWS, PERIOD, 5 * 3873.0 / PERIOD, "  and their mean is the period");
}

/* The forward recurrence time of a renewal process: its mean is E[x^2] / 2 E[x] (Cox 1962, Renewal Theory, 5.4). */
static void test_first(void)
{
    struct rng rng;
    double sum = 0, square = (double)PERIOD * PERIOD + (double)SPREAD * SPREAD / 3;
    unsigned below = 0, least = PERIOD - SPREAD;
    rng_init(&rng, 2, 0);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t first = rng_first(&rng, PERIOD, SPREAD);
        sum += (double)first;
        below += first <= least;
    }
    is_real(sum / DRAWS, square / (2 * PERIOD), 0.01, "the mean time to the first tick is that of a renewal process");
    /* The density up to the shortest interval is 1 / period. */
    is_real((double)below / DRAWS, (double)least / PERIOD, 0.01,
            "all times up to the shortest interval are equally likely");
}

static void test_bias(void)
{
    struct rng rng;
    unsigned lower = 0;
    uint64_t n = UINT64_C(3) << 62; /* modulo would give the lower third half of all draws */
    rng_init(&rng, 3, 0);
    for (int i = 0; i < DRAWS; i++)
        lower += rng_below(&rng, n) < n / 3;
    is_real((double)lower / DRAWS, 1.0 / 3, 0.02, "draws below a limit have no modulo bias");
    is_u64(rng_below(&rng, 1), 0, "  and below 1 there is only 0");
    is_u64(rng_interval(&rng, 5, 0), 5, "without spread an interval is the period");
    is_u64(rng_first(&rng, 1, 0), 1, "the first tick comes after at least one unit");
}

static void test_sequences(void)
{
    struct rng a, b, c, d;
    int same_order = 0, same_seed = 0, repeated = 0;
    rng_init(&a, 7, 1);
    rng_init(&b, 7, 1);
    rng_init(&c, 7, 2);
    rng_init(&d, 8, 1);
    for (int i = 0; i < 1000; i++) {
        uint64_t x = rng_below(&a, UINT64_MAX);
        repeated += x == rng_below(&b, UINT64_MAX);
        same_seed += x == rng_below(&c, UINT64_MAX);
        same_order += x == rng_below(&d, UINT64_MAX);
    }
    ok(repeated == 1000, "the same seed and order give the same draws");
    ok(same_seed == 0 && same_order == 0, "another seed or order gives others");
}

static void test_share(void)
{
    enum { TIMES = 100000 };
    struct rng rng;
    uint64_t sum = 0, most = 0;
    rng_init(&rng, 3, 4);
    for (int i = 0; i < TIMES; i++) {
        uint64_t share = rng_share(&rng, 5, 3, 8);
        sum += share;
        most = share > most ? share : most;
    }
    double mean = (double)sum / TIMES; /* of 1 and 2: sd 0.33 */
    ok(mean > 1.875 - 0.006 && mean < 1.875 + 0.006 && most == 2, "a share is rounded so that its mean is exact: %g",
       mean);
    is_u64(rng_share(&rng, 6, 4, 8), 3, "a share that is a whole number is not rounded");
    is_u64(rng_share(&rng, 7, UINT64_MAX, UINT64_MAX), 7, "the share of all is all");
}

/* A geometric distribution that counts failures has mean k − 1 and standard deviation √(k(k − 1)), and its first value
 * has probability 1/k. Bounds are five standard errors. */
static void test_failures(void)
{
    static const double odds[] = {1, 1.5, 2, 2.5, 10, 1000};
    struct rng rng;
    rng_init(&rng, 5, 0);
    for (size_t i = 0; i < sizeof odds / sizeof *odds; i++) {
        double k = odds[i], sum = 0, none = 0;
        for (int d = 0; d < DRAWS; d++) {
            uint64_t failures = rng_failures(&rng, k);
            sum += (double)failures;
            none += failures == 0;
        }
        double mean_off = sum / DRAWS - (k - 1), none_off = none / DRAWS - 1 / k;
        ok(mean_off * mean_off <= 25 * k * (k - 1) / DRAWS, "1 of %g: %g failures on average", k, sum / DRAWS);
        ok(none_off * none_off <= 25 / k * (1 - 1 / k) / DRAWS, "  %g %% have none", 100 * none / DRAWS);
    }
}

int main(void)
{
    test_uniform();
    test_first();
    test_bias();
    test_share();
    test_sequences();
    test_failures();
    return done_testing();
}
