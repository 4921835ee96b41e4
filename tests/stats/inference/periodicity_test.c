/* periodicity_test.c - periods in values at uneven times. Expected values: sinusoids made here, least squares by hand,
 * and how often noise has a period. */
#include "stats/inference/periodicity.h"

#include <math.h>

#include "tests/stats/rng.h"
#include "tests/tap.h"

enum { N = 400, NOISY = 100, ROUNDS = 1000 };
static double times[N], values[N], other_times[N], other_values[N];

static double normal(void)
{
    return sqrt(-2 * log(1 - rng_uniform())) * cos(2 * M_PI * rng_uniform());
}

static void make(double *t, double *v, size_t n, double period, double phase, double amplitude)
{
    for (size_t i = 0; i < n; i++) {
        t[i] = 10 * rng_uniform();
        v[i] = 100 + 0.03 * t[i] + amplitude * sin(2 * M_PI * t[i] / period + phase) + normal();
    }
}

static void test_period(void)
{
    struct periodicity found;
    make(times, values, N, 0.25, 1, 2);
    const struct periodicity_series one = {times, values, N};
    ok(periodicity_find(&one, 1, &found) == STATS_OK, "a sinusoid in noise, on a slope");
    ok(fabs(found.period - 0.25) < 0.25 * 0.25 / 10, "  its period: %g", found.period);
    ok(fabs(found.share - 2.0 / 3) < 0.08, "  which explains two thirds: %g", found.share);
    ok(found.p < 1e-20 && found.n == N, "  and no chance: %g", found.p);

    make(other_times, other_values, N, 0.25, 4, 2);
    const struct periodicity_series two[] = {{times, values, N}, {other_times, other_values, N}};
    enum stats_status status = periodicity_find(two, 2, &found);
    ok(status == STATS_OK && fabs(found.period - 0.25) < 0.01 && fabs(found.share - 2.0 / 3) < 0.06,
       "two series with phases of their own: %g, %g", found.period, found.share);
}

/* Four values a period on an even grid: the sinusoid 0, 1, 0, -1 explains everything but what the line takes. */
static void test_exact(void)
{
    struct periodicity found;
    double t[64], v[64];
    for (int i = 0; i < 64; i++) {
        t[i] = i;
        v[i] = (int[]){0, 1, 0, -1}[i % 4];
    }
    const struct periodicity_series one = {t, v, 64};
    enum stats_status status = periodicity_find(&one, 1, &found);
    ok(status == STATS_OK && fabs(found.period - 4) < 0.005 && found.share > 0.99, "0, 1, 0, -1: %.17g, %.17g",
       found.period, found.share);
}

static void test_noise(void)
{
    struct periodicity found;
    unsigned low = 0;
    for (int round = 0; round < ROUNDS; round++) {
        make(times, values, NOISY, 1, 0, 0);
        periodicity_find(&(struct periodicity_series){times, values, NOISY}, 1, &found);
        low += found.p < 0.05;
    }
    ok(low <= 50 + 21, "noise has a period with p < 0.05 in at most 5 %% of cases: %u of %d", low, ROUNDS);
    ok(low >= 10, "  and not much more rarely");
}

static void test_errors(void)
{
    struct periodicity found = {.p = 42};
    double t[20] = {0}, line[20], nan_at[20];
    for (int i = 0; i < 20; i++) {
        t[i] = i;
        line[i] = 7 + 3.1 * i;
        nan_at[i] = i;
    }
    nan_at[9] = NAN;
    ok(periodicity_find(&(struct periodicity_series){t, line, 15}, 1, &found) == STATS_TOO_FEW,
       "fifteen values are too few");
    ok(periodicity_find(&(struct periodicity_series){t, line, 20}, 1, &found) == STATS_CONSTANT,
       "a straight line has no period");
    ok(periodicity_find(&(struct periodicity_series){t, nan_at, 20}, 1, &found) == STATS_DOMAIN, "NaN is refused");
    ok(found.p == 42, "  and no error writes a result");
}

int main(void)
{
    test_period();
    test_exact();
    test_noise();
    test_errors();
    return done_testing();
}
