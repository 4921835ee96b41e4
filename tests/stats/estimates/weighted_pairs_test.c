/* Correlations that can be computed by hand, weights as repetitions, merging, and how often the interval holds. */
#include "stats/estimates/weighted_pairs.h"

#include "base/rng.h"
#include "tests/tap.h"

static void test_known(void)
{
    /* x 1 2 3 4, y 2 1 4 3: Σ(x−x̄)² = Σ(y−ȳ)² = 5, Σ(x−x̄)(y−ȳ) = 3, so r = 0.6; artanh 0.6 = 0.5 ln 4 = 0.693147;
     * n − 3 = 1: tanh(0.693147 ± 1.959964) = −0.852933, 0.990128. */
    static const double x[] = {1, 2, 3, 4}, y[] = {2, 1, 4, 3};
    struct weighted_pairs pairs = {0}, line = {0}, few = {0}, flat = {0};
    struct correlation c;
    for (int i = 0; i < 4; i++) {
        weighted_pairs_add(&pairs, x[i], y[i], 1);
        weighted_pairs_add(&line, x[i], -3 * x[i], 1);
        weighted_pairs_add(&flat, x[i], 7, 1);
        if (i < 3)
            weighted_pairs_add(&few, x[i], y[i], 1);
    }
    ok(weighted_pairs_correlation(&pairs, 0.95, &c) == STATS_OK, "four pairs");
    is_real(c.r, 0.6, 1e-15, "  their correlation");
    is_real(c.low, -0.85293256, 1e-7, "  its lower bound");
    is_real(c.high, 0.99012771, 1e-7, "  its upper bound");
    ok(weighted_pairs_correlation(&line, 0.95, &c) == STATS_OK, "a line");
    is_real(c.r, -1, 1e-15, "  its correlation");
    ok(c.low <= c.r && c.r <= c.high && c.high < -0.999999, "  its interval");
    ok(weighted_pairs_correlation(&few, 0.95, &c) == STATS_TOO_FEW, "three pairs are too few");
    ok(weighted_pairs_correlation(&flat, 0.95, &c) == STATS_DOMAIN, "a constant has no correlation");
    ok(weighted_pairs_correlation(&(struct weighted_pairs){0}, 0.95, &c) == STATS_TOO_FEW, "no pairs");
}

static void test_weights(void)
{
    struct weighted_pairs weighted = {0}, repeated = {0}, parts[3] = {{0}}, merged = {0};
    struct correlation a, b;
    struct rng rng;
    rng_init(&rng, 1, 2);
    for (int i = 0; i < 200; i++) {
        double x = (double)rng_below(&rng, 1000), y = x + (double)rng_below(&rng, 1000);
        unsigned weight = 1 + (unsigned)rng_below(&rng, 4);
        weighted_pairs_add(&weighted, x, y, weight);
        weighted_pairs_add(&parts[i % 3], x, y, weight);
        for (unsigned k = 0; k < weight; k++)
            weighted_pairs_add(&repeated, x, y, 1);
    }
    for (int i = 0; i < 3; i++)
        weighted_pairs_merge(&merged, &parts[i]);
    weighted_pairs_correlation(&weighted, 0.95, &a);
    weighted_pairs_correlation(&repeated, 0.95, &b);
    is_real(a.r, b.r, 1e-12, "weights are repetitions");
    ok(a.high - a.low > b.high - b.low, "  but no more pairs");
    weighted_pairs_correlation(&merged, 0.95, &b);
    is_real(b.r, a.r, 1e-12, "parts are joined");
}

/* Sums of twelve uniform numbers are nearly normal; y shares nine of the twelve with x: r = 0.75. */
static void test_coverage(void)
{
    enum { TRIALS = 2000, PAIRS = 50, TERMS = 12, SHARED = 9 };
    struct rng rng;
    unsigned held = 0;
    rng_init(&rng, 7, 0);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct weighted_pairs pairs = {0};
        struct correlation c;
        for (int i = 0; i < PAIRS; i++) {
            double x = 0, y = 0;
            for (int t = 0; t < TERMS; t++) {
                double term = (double)rng_below(&rng, 1 << 20);
                x += term;
                y += t < SHARED ? term : (double)rng_below(&rng, 1 << 20);
            }
            weighted_pairs_add(&pairs, x, y, 1);
        }
        weighted_pairs_correlation(&pairs, 0.95, &c);
        held += c.low <= 0.75 && 0.75 <= c.high;
    }
    ok(held > 0.935 * TRIALS && held < 0.965 * TRIALS, "the interval holds the truth in 95 %% of trials: %.1f %%",
       100.0 * held / TRIALS);
}

int main(void)
{
    test_known();
    test_weights();
    test_coverage();
    return done_testing();
}
