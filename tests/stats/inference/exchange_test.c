#include "stats/inference/exchange.h"

#include <math.h>

#include "tests/stats/rng.h"
#include "tests/tap.h"

static void test_invalid(void)
{
    const double x[] = {1, 2, 3}, bad[] = {1, NAN, 2};
    bool found = true;
    ok(exchange_level(x, 1, 0.01, &found) == STATS_TOO_FEW, "one value has no order");
    ok(exchange_level(bad, 3, 0.01, &found) == STATS_DOMAIN, "NaN is refused");
    ok(exchange_level(x, 3, 0, &found) == STATS_DOMAIN, "an alpha of 0 is refused");
    ok(exchange_lags(x, 3, 0, 0.01, &found) == STATS_DOMAIN, "no lag is refused");
    ok(exchange_lags(x, 3, 3, 0.01, &found) == STATS_TOO_FEW && found,
       "more lags than pairs are too many, and no error writes a result");
}

static void test_small(void)
{
    const double step[] = {2, 2, 2, 1, 1, 1}, equal[] = {1, 1, 1, 1, 1, 1};
    bool found = true;
    /* 2 of (6 choose 3) = 20 arrangements of the step are as far apart: p = 0.1 */
    ok(exchange_level(step, 6, 0.05, &found) == STATS_OK && !found,
       "a step that chance makes in one of ten series is not found at 0.05");
    ok(exchange_level(step, 6, 0.15, &found) == STATS_OK && found, "  but at 0.15");
    ok(exchange_level(equal, 6, 0.5, &found) == STATS_OK && !found, "equal values have no order");
}

static void test_found(void)
{
    double x[60];
    bool found = false;
    for (size_t i = 0; i < 60; i++)
        x[i] = rng_uniform() + (i < 6 ? 2 : 0);
    ok(exchange_level(x, 60, 0.01, &found) == STATS_OK && found, "six larger values of sixty are found");
    for (size_t i = 0; i < 60; i++)
        x[i] = rng_uniform() + (i % 2 ? 1 : 0);
    ok(exchange_lags(x, 60, 5, 0.01, &found) == STATS_OK && found, "alternating values are found to be autocorrelated");
}

/* In values without order a share of at most alpha is found, also with ties and far outliers: 2000 series, 5 standard
 * errors. */
static void test_rate(void)
{
    enum { SERIES = 2000 };
    const double alpha = 0.05, most = SERIES * 0.05 + 5 * sqrt(SERIES * 0.05 * 0.95);
    unsigned levels = 0, lags = 0;
    for (int s = 0; s < SERIES; s++) {
        double x[20];
        bool level = false, lag = false;
        for (size_t i = 0; i < 20; i++)
            x[i] = s % 2 ? floor(3 * rng_uniform()) : exp(3 * rng_uniform() / (0.01 + rng_uniform()));
        exchange_level(x, 20, alpha, &level);
        exchange_lags(x, 20, 2, alpha, &lag);
        levels += level;
        lags += lag;
    }
    ok(levels < most, "few series without order seem to change their level at 0.05: %u of %u", levels,
       (unsigned)SERIES);
    ok(lags < most, "  and few seem to be autocorrelated: %u", lags);
}

int main(void)
{
    test_invalid();
    test_small();
    test_found();
    test_rate();
    return done_testing();
}
