#include "stats/estimates/interval.h"

#include "tests/tap.h"

static void test_invalid(void)
{
    struct interval interval = {.mean = 42};
    double q = 42, x[] = {1, 2, NAN}, huge[] = {-1.7e308, 1.7e308};
    ok(interval_mean(x, 1, INTERVAL_T, 0.95, &interval) == STATS_TOO_FEW, "one value has no interval");
    ok(interval_mean(x, 0, INTERVAL_T, 0.95, &interval) == STATS_TOO_FEW, "  nor have no values");
    ok(interval_mean(x, 3, INTERVAL_T, 0.95, &interval) == STATS_DOMAIN, "NaN is refused");
    ok(interval_mean(x, 2, INTERVAL_T, 1, &interval) == STATS_DOMAIN, "confidence 1 is refused");
    ok(interval_mean(x, 2, INTERVAL_Z, 0, &interval) == STATS_DOMAIN, "confidence 0 is refused");
    ok(interval_mean(x, 2, INTERVAL_Z, NAN, &interval) == STATS_DOMAIN, "confidence NaN is refused");
    ok(interval_mean(huge, 2, INTERVAL_T, 0.95, &interval) == STATS_OVERFLOW, "bounds beyond a double are an overflow");
    ok(interval_mean_of(1, 1, 1, INTERVAL_T, 0.95, &interval) == STATS_TOO_FEW,
       "n = 1 with a given mean and sd has none, either");
    ok(interval_mean_of(5, 1, -1, INTERVAL_T, 0.95, &interval) == STATS_DOMAIN, "a negative sd is refused");
    ok(interval_mean_of(5, INFINITY, 1, INTERVAL_T, 0.95, &interval) == STATS_DOMAIN, "an infinite mean is refused");
    ok(interval_quantile(INTERVAL_T, 0, 0.95, &q) == STATS_DOMAIN && q == 42, "dof 0 is refused");
    ok(interval.mean == 42, "  and no error writes a result");
}

static void test_quantiles(void)
{
    /* 20 digits by mpmath 1.3 (root of the incomplete beta function); dof 1 and 2 by their closed forms. */
    static const struct {
        double dof, confidence, q;
    } known[] = {
        {1, 0.95, 12.706204736174698},     {2, 0.95, 4.3026527297494639},         {3, 0.95, 3.1824463052837095927},
        {4, 0.95, 2.7764451051977943578},  {29, 0.95, 2.0452296421327042982},     {9, 0.99, 3.2498355415921262756},
        {7, 0.999, 5.4078825208617252403}, {999999, 0.95, 1.9599663568164793145},
    };
    double q;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char what[96];
        snprintf(what, sizeof what, "the t quantile for dof %g, confidence %g", known[i].dof, known[i].confidence);
        interval_quantile(INTERVAL_T, known[i].dof, known[i].confidence, &q);
        is_real(q, known[i].q, 1e-15, what);
    }
    /* R: qnorm(0.975) */
    interval_quantile(INTERVAL_Z, 0, 0.95, &q);
    is_real(q, 1.9599639845400536, 1e-15, "the normal quantile");
}

static void test_known(void)
{
    const double x[] = {10.1, 9.8, 10.4, 10.0, 9.7};
    struct interval interval;
    /* R 4.2: t.test(c(10.1,9.8,10.4,10.0,9.7)) */
    ok(!interval_mean(x, 5, INTERVAL_T, 0.95, &interval), "five values have an interval");
    is_real(interval.mean, 10, 1e-15, "  mean");
    is_real(interval.low, 9.6599563096708714, 1e-14, "  lower bound");
    is_real(interval.high, 10.3400436903291286, 1e-14, "  upper bound");
    interval_mean(x, 5, INTERVAL_T, 0.99, &interval);
    is_real(interval.low, 9.4361158418913789, 1e-14, "  lower bound at 99 %");
    /* R: sd() gave 0.2738612787525832, qnorm(0.975) as above */
    interval_mean_of(5, 10, 0.2738612787525832, INTERVAL_Z, 0.95, &interval);
    is_real(interval.half, 1.9599639845400536 * 0.2738612787525832 / 2.23606797749979, 1e-14,
            "the half width by z, from mean and sd");
    interval_mean_of(4, 3, 0, INTERVAL_T, 0.95, &interval);
    ok(interval.low == 3 && interval.high == 3 && interval.half == 0, "with sd 0 the interval has length 0");
}

static void test_shift_and_scale(void)
{
    /* Multiples of 2^-10 and a shift by 2^40: exact in a double, and in the sums. */
    double x[64], shifted[64], scaled[64];
    uint64_t seed = 7;
    for (size_t i = 0; i < 64; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(seed >> 54) / 1024;
        shifted[i] = x[i] + 0x1p40;
        scaled[i] = x[i] * 0x1p-900;
    }
    struct interval plain, other;
    interval_mean(x, 64, INTERVAL_T, 0.9, &plain);
    interval_mean(shifted, 64, INTERVAL_T, 0.9, &other);
    is_real(other.half, plain.half, 1e-14, "a shift by 2^40 leaves the half width unchanged");
    interval_mean(scaled, 64, INTERVAL_T, 0.9, &other);
    is_real(other.half * 0x1p900, plain.half, 1e-14, "  and a scale scales it, also one far from 1");
}

int main(void)
{
    test_invalid();
    test_quantiles();
    test_known();
    test_shift_and_scale();
    return done_testing();
}
