#include "stats/inference/sequential.h"

#include <math.h>
#include <stdint.h>
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
    double x[10] = {0};
    struct sequential found = {.count = 42};
    ok(sequential_find(x, 0, 0.001, 0.95, &found) == STATS_TOO_FEW, "no value has no history");
    ok(sequential_find(x, 10, 0, 0.95, &found) == STATS_DOMAIN, "an alpha of 0 is refused");
    ok(sequential_find(x, 10, 0.11, 0.95, &found) == STATS_DOMAIN, "so is one above 0.1");
    ok(sequential_find(x, 10, 0.001, 1, &found) == STATS_DOMAIN, "so is a confidence of 1");
    x[3] = INFINITY;
    ok(sequential_find(x, 10, 0.001, 0.95, &found) == STATS_DOMAIN && found.count == 42,
       "infinity is refused, and no error writes a result");
    struct sequential_level level;
    ok(sequential_level(x, 0, &level) == STATS_TOO_FEW && sequential_level(x, 10, &level) == STATS_DOMAIN,
       "levels refuse the same");
}

/* The median of 1 2 3 4 100 is 3, the median of |x − 3| is 1: 100 is moved to 3 + 3·1.4826. */
static void test_level(void)
{
    const double x[] = {4, 100, 1, 3, 2}, one[] = {7}, same[] = {5, 5, 5};
    double moved = 3 + 3 * 1.4826022185056018, mean = (1 + 2 + 3 + 4 + moved) / 5, squares = 0;
    const double clipped[] = {1, 2, 3, 4, moved};
    for (size_t i = 0; i < 5; i++)
        squares += (clipped[i] - mean) * (clipped[i] - mean);
    struct sequential_level level;
    ok(!sequential_level(x, 5, &level), "a level of five values with an outlier");
    is_real(level.mean, mean, 1e-14, "  its mean has the outlier at the clipping distance");
    is_real(level.sd, sqrt(squares / 4), 1e-14, "  and so has its standard deviation");
    ok(!sequential_level(one, 1, &level) && level.mean == 7 && level.sd == 0, "one value is its own level");
    ok(!sequential_level(same, 3, &level) && level.mean == 5 && level.sd == 0, "equal values have no spread");
}

static void test_steps(void)
{
    double x[300], early[300];
    struct sequential found, before;
    for (size_t i = 0; i < 300; i++)
        early[i] = x[i] = (i < 100 ? 100 : i < 200 ? 106 : 97) + noise();
    ok(!sequential_find(x, 300, 0.001, 0.95, &found) && found.count == 2, "two steps of 6 and 9 sd are two changes");
    is_u64(found.changes[0].at, 100, "  the first is where it was planted");
    is_u64(found.changes[1].at, 200, "  and so is the second");
    for (size_t i = 0; i < 2; i++) {
        const struct sequential_change *change = &found.changes[i];
        ok(change->first <= change->at && change->at <= change->last && change->last - change->first <= 1,
           "  with at most two suspects");
        ok(change->found >= change->at + 2 && change->found <= change->at + 3,
           "  found with the third or fourth value after it");
        ok(change->p > 0 && change->p <= 0.001 * SEQUENTIAL_LOOK, "  with a p below the level of a look");
    }
    /* Later values don't change what was found. */
    ok(!sequential_find(early, 150, 0.001, 0.95, &before) && before.count == 1, "the first half has the first change");
    is_u64(before.changes[0].found, found.changes[0].found, "  found with the same value");
    free(before.changes);
    free(found.changes);
    /* A shift and a scale change nothing. */
    for (size_t i = 0; i < 300; i++)
        x[i] = 8 * x[i];
    ok(!sequential_find(x, 300, 0.001, 0.95, &found) && found.count == 2 && found.changes[1].at == 200,
       "eight times the values have the same changes");
    free(found.changes);
}

static void test_outliers(void)
{
    double x[200];
    struct sequential found;
    for (size_t i = 0; i < 200; i++)
        x[i] = 100 + noise() + (i == 60 || i == 61 ? 50 : i == 130 ? -80 : 0);
    ok(!sequential_find(x, 200, 0.001, 0.95, &found) && found.count == 0,
       "neither two outliers together nor one alone are a change");
    free(found.changes);
    for (size_t i = 0; i < 200; i++)
        x[i] = 5;
    ok(!sequential_find(x, 200, 0.001, 0.95, &found) && found.count == 0, "equal values have no change");
    free(found.changes);
    ok(!sequential_find(x, 1, 0.001, 0.95, &found) && found.count == 0, "one value has no change");
    free(found.changes);
}

/* x_t = 0.6·x_(t−1) + e: the estimate's standard error is √((1 − 0.36)/250) = 0.05. */
static void test_autocorrelation(void)
{
    double x[260], last = 0;
    struct sequential found;
    for (size_t i = 0; i < 260; i++)
        x[i] = last = 0.6 * last + noise();
    ok(!sequential_find(x, 260, 0.001, 0.95, &found), "an autoregressive series of 260 values");
    ok(fabs(found.rho - 0.6) < 0.15, "  its autocorrelation is estimated to within three standard errors");
    free(found.changes);
    for (size_t i = 0; i < 260; i++)
        x[i] = noise();
    ok(!sequential_find(x, 260, 0.001, 0.95, &found) && found.rho < 0.19,
       "independent values have none, or one within three standard errors");
    free(found.changes);
    size_t correlated = 0;
    for (size_t round = 0; round < 100; round++) {
        for (size_t i = 0; i < 40; i++)
            x[i] = (i < 25 ? 100 : 110) + noise();
        if (sequential_find(x, 40, 0.001, 0.95, &found))
            break;
        correlated += found.rho > 0;
        free(found.changes);
    }
    /* Two tests at 2.5 % each: 5 of 100, with a standard error of 2.2. */
    ok(correlated <= 12, "a step is not taken for autocorrelation after it was found");
}

/* 40 series of 500 values at 1 %: at most 200 false alarms are expected, with a standard error of 14. */
static void test_false_alarms(void)
{
    double x[500];
    size_t alarms = 0;
    for (size_t s = 0; s < 40; s++) {
        struct sequential found;
        for (size_t i = 0; i < 500; i++)
            x[i] = noise();
        if (sequential_find(x, 500, 0.01, 0.95, &found) == STATS_OK) {
            alarms += found.count;
            free(found.changes);
        }
    }
    printf("# %zu false alarms in 20000 values\n", alarms);
    ok(alarms >= 60 && alarms <= 228,
       "the rate of false alarms is at most alpha, to two standard errors, and not far below");
}

int main(void)
{
    test_invalid();
    test_level();
    test_steps();
    test_outliers();
    test_autocorrelation();
    test_false_alarms();
    return done_testing();
}
