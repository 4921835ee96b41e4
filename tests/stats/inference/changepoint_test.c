#include "stats/inference/changepoint.h"

#include <stdlib.h>

#include "tests/tap.h"

static uint64_t seed = 1;

/* The sum of twelve uniforms minus six: mean 0, sd 1, almost normal. */
static double noise(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        seed = seed * 6364136223846793005 + 1442695040888963407;
        sum += (double)(seed >> 11) * 0x1p-53;
    }
    return sum;
}

static void test_invalid(void)
{
    double x[30], many[CHANGEPOINT_N_MAX + 1] = {0};
    struct changepoint found = {.count = 42};
    for (size_t i = 0; i < 30; i++)
        x[i] = 1;
    ok(changepoint_find(x, 9, &found) == STATS_TOO_FEW, "nine values are too few");
    ok(changepoint_find(x, 30, &found) == STATS_CONSTANT, "equal values have no change point");
    ok(changepoint_find(many, CHANGEPOINT_N_MAX + 1, &found) == STATS_OVERFLOW, "too many values are an overflow");
    x[7] = NAN;
    ok(changepoint_find(x, 30, &found) == STATS_DOMAIN && found.count == 42,
       "NaN is refused, and no error writes a result");
}

static void test_steps(void)
{
    double x[200];
    struct changepoint found;
    for (size_t i = 0; i < 60; i++)
        x[i] = (i < 12 ? 110 : 100) + noise();
    ok(!changepoint_find(x, 60, &found), "twelve slow runs and 48 fast ones are segmented");
    ok(found.verdict == CHANGEPOINT_WARM_UP && found.count == 2, "  the verdict is a warm-up");
    is_u64(found.steady_from, 12, "  of twelve runs");
    is_real(found.steady_mean, 100, 0.01, "  after which the mean is 100");
    free(found.begins);
    for (size_t i = 0; i < 60; i++)
        x[i] = (i < 30 ? 100 : 108) + noise();
    changepoint_find(x, 60, &found);
    ok(found.verdict == CHANGEPOINT_SLOWDOWN && found.steady_from == 30, "a slowdown at run 30 is found");
    free(found.begins);
    for (size_t i = 0; i < 200; i++)
        x[i] = (i < 50 ? 100 : i < 100 ? 90 : 95) + noise();
    changepoint_find(x, 200, &found);
    ok(found.verdict == CHANGEPOINT_UNSTEADY && found.count == 3,
       "a series that falls and rises again has three segments");
    is_u64(found.begins[1], 50, "  the second begins at 50");
    is_u64(found.begins[2], 100, "  and the third at 100");
    free(found.begins);
}

/* Values of a coarse clock: neighbours are equal except at the step, and an outlier does not belong to its segment's
 * level. */
static void test_coarse(void)
{
    double x[30];
    struct changepoint found;
    for (size_t i = 0; i < 30; i++)
        x[i] = i < 10 ? 20 : 10;
    ok(!changepoint_find(x, 30, &found), "equal neighbours with a step are segmented");
    ok(found.verdict == CHANGEPOINT_WARM_UP && found.steady_from == 10, "  as a warm-up of ten runs");
    free(found.begins);
    for (size_t i = 0; i < 30; i++)
        x[i] = (i < 10 ? 20 : 10) + 0.1 * noise();
    x[25] = 500;
    changepoint_find(x, 30, &found);
    ok(found.verdict == CHANGEPOINT_WARM_UP && found.steady_from == 10,
       "  and a late outlier does not make it a slowdown");
    free(found.begins);
}

static void test_warm_up_curve(void)
{
    double x[100];
    struct changepoint found;
    for (size_t i = 0; i < 100; i++)
        x[i] = 100 + 50 * exp(-(double)i / 5) + noise();
    changepoint_find(x, 100, &found);
    ok(found.verdict == CHANGEPOINT_WARM_UP, "an exponential warm-up is found");
    ok(found.steady_from >= 8 && found.steady_from <= 30, "  and ends where 50·exp(-i/5) is about the noise: %zu",
       found.steady_from);
    free(found.begins);
}

/* How often a change is reported in series without any. */
static double false_alarms(bool skewed, bool outliers, size_t n)
{
    enum { SERIES = 2000 };
    double x[100];
    unsigned alarms = 0;
    for (int s = 0; s < SERIES; s++) {
        struct changepoint found;
        for (size_t i = 0; i < n; i++)
            x[i] = skewed ? exp(0.5 * noise()) : noise();
        if (outliers)
            x[n / 3] += 100;
        if (changepoint_find(x, n, &found) == STATS_OK) {
            alarms += found.verdict != CHANGEPOINT_FLAT;
            free(found.begins);
        }
    }
    return (double)alarms / SERIES;
}

static void test_false_alarms(void)
{
    for (size_t n = 30; n <= 100; n += 70) {
        double plain = false_alarms(false, false, n), skewed = false_alarms(true, false, n),
               outliers = false_alarms(false, true, n);
        ok(plain < 0.02, "%zu normal values have few false alarms: %.4f", n, plain);
        ok(skewed < 0.05, "  and so have %zu log-normal ones: %.4f", n, skewed);
        ok(outliers < 0.02, "  and %zu with an outlier: %.4f", n, outliers);
    }
}

int main(void)
{
    test_invalid();
    test_steps();
    test_coarse();
    test_warm_up_curve();
    test_false_alarms();
    return done_testing();
}
