#include "stats/estimates/weighted_moments.h"

#include "tests/stats/rng.h"
#include "tests/tap.h"

static struct weighted_moments moments_of(const double *x, const double *weights, size_t n)
{
    struct weighted_moments moments = {0};
    for (size_t i = 0; i < n; i++)
        weighted_moments_add(&moments, x[i], weights ? weights[i] : 1);
    return moments;
}

/* Of 1, 2, 4, 9: mean 4; deviations −3, −2, 0, 5. */
static void test_plain(void)
{
    const double x[] = {1, 2, 4, 9};
    struct weighted_moments moments = moments_of(x, NULL, 4);
    double sd;
    ok(moments.n == 4 && moments.weight == 4, "four values");
    is_real(moments.mean, 4, 1e-15, "mean");
    is_real(moments.second, 9 + 4 + 25, 1e-14, "squares of deviations");
    is_real(moments.third, -27 - 8 + 125, 1e-14, "  their third powers");
    is_real(moments.fourth, 81 + 16 + 625, 1e-14, "  and fourth ones");
    ok(weighted_moments_sd(&moments, &sd) == STATS_OK, "there is a standard deviation");
    is_real(sd, sqrt(38. / 3), 1e-15, "  with divisor n − 1");
    is_real(weighted_moments_effective(&moments), 4, 1e-15, "equal weights tell as much as values");
}

/* A value of weight 3 counts as three. */
static void test_weights(void)
{
    const double x[] = {1, 5, 7}, weights[] = {3, 1, 2}, repeated[] = {1, 1, 1, 5, 7, 7};
    struct weighted_moments weighted = moments_of(x, weights, 3), plain = moments_of(repeated, NULL, 6);
    is_real(weighted.mean, plain.mean, 1e-15, "weights: mean");
    is_real(weighted.second, plain.second, 1e-14, "  second");
    is_real(weighted.third, plain.third, 1e-13, "  third");
    is_real(weighted.fourth, plain.fourth, 1e-13, "  and fourth moment as of repeated values");
    is_real(weighted_moments_effective(&weighted), 36. / 14, 1e-15, "  but they tell less than six");
}

static void test_merge(void)
{
    const double x[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, weights[] = {1, 2, 1, 3, 1, 1, 2, 1, 1, 2};
    struct weighted_moments whole = moments_of(x, weights, 10);
    bool same = true;
    for (size_t cut = 0; cut <= 10; cut++) {
        struct weighted_moments parts = moments_of(x, weights, cut),
                                rest = moments_of(x + cut, weights + cut, 10 - cut);
        weighted_moments_merge(&parts, &rest);
        same &= parts.n == 10 && fabs(parts.mean - whole.mean) < 1e-14 && fabs(parts.second - whole.second) < 1e-12 &&
                fabs(parts.third - whole.third) < 1e-11 && fabs(parts.fourth - whole.fourth) < 1e-10;
    }
    ok(same, "parts give what the whole gives, wherever it is cut");
}

static void test_limits(void)
{
    const double same[] = {0.1, 0.1, 0.1, 0.1, 0.1}, few[] = {1, 3}, negative[] = {-1, -2, -3, -5};
    struct weighted_moments moments = moments_of(same, NULL, 5), two = moments_of(few, NULL, 2), none = {0};
    struct weighted_moments below = moments_of(negative, NULL, 4);
    struct cov_interval cov;
    double sd = 42;
    ok(cov_interval_of(&moments, 0.95, &cov) == STATS_OK && cov.cov == 0 && cov.low == 0 && cov.high == 0 && !cov.heavy,
       "equal values: 0, from 0 to 0");
    ok(cov_interval_of(&two, 0.95, &cov) == STATS_TOO_FEW && isnan(cov.low), "two values have no interval");
    is_real(cov.cov, sqrt(2) / 2, 1e-15, "  but a coefficient of variation");
    ok(weighted_moments_sd(&none, &sd) == STATS_TOO_FEW && sd == 42, "no values: too few");
    ok(cov_interval_of(&below, 0.95, &cov) == STATS_DOMAIN && isnan(cov.cov), "a mean below 0 has none");
}

enum { SHAPES = 4 };

static double positive(void)
{
    return rng_uniform() + 0x1p-54;
}

static double normal(void)
{
    return sqrt(-2 * log(positive())) * cos(2 * M_PI * rng_uniform());
}

static double value_of(int shape)
{
    switch (shape) {
    case 0:
        return 10 + normal();
    case 1:
        return -log(positive());
    case 2:
        return rng_uniform() < 0.5 ? 20 : 100;
    default:
        return 10 + 50 * rng_uniform();
    }
}

/* Within three standard errors of 1,000 draws of 92 %, which is what the header promises of these at least. */
static void test_coverage(void)
{
    enum { ROUNDS = 1000, N = 200 };
    static const char *const names[SHAPES] = {"normal", "exponential", "two values", "uniform"};
    const double truth[SHAPES] = {0.1, 1, 2. / 3, 50 / sqrt(12) / 35};
    for (int shape = 0; shape < SHAPES; shape++) {
        int hits = 0;
        for (int round = 0; round < ROUNDS; round++) {
            struct weighted_moments moments = {0};
            struct cov_interval cov;
            for (int i = 0; i < N; i++)
                weighted_moments_add(&moments, value_of(shape), 1);
            cov_interval_of(&moments, 0.95, &cov);
            hits += cov.low <= truth[shape] && truth[shape] <= cov.high;
        }
        ok(hits > 0.92 * ROUNDS - 3 * sqrt(ROUNDS * 0.92 * 0.08) && hits < 0.99 * ROUNDS,
           "%s: intervals hold the truth in %.1f %%", names[shape], 100.0 * hits / ROUNDS);
    }
}

int main(void)
{
    test_plain();
    test_weights();
    test_merge();
    test_limits();
    test_coverage();
    return done_testing();
}
