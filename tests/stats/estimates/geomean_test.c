#include "stats/estimates/geomean.h"

#include "tests/tap.h"

int main(void)
{
    double mean = 42, x[] = {1, 2, 4, 8}, bad[] = {1, 0, 2}, negative[] = {1, -2}, infinite[] = {1, INFINITY};
    struct interval interval = {.mean = 42};
    ok(geomean_of(x, 0, &mean) == STATS_TOO_FEW, "no value has no mean");
    ok(geomean_of(bad, 3, &mean) == STATS_DOMAIN, "0 is refused");
    ok(geomean_of(negative, 2, &mean) == STATS_DOMAIN, "a negative value is refused");
    ok(geomean_of(infinite, 2, &mean) == STATS_DOMAIN && mean == 42,
       "infinity is refused, and no error writes a result");
    ok(geomean_interval(x, 1, INTERVAL_T, 0.95, &interval) == STATS_TOO_FEW, "one value has no interval");
    ok(geomean_interval(x, 4, INTERVAL_T, 1, &interval) == STATS_DOMAIN && interval.mean == 42,
       "confidence 1 is refused");
    geomean_of(x, 4, &mean);
    is_real(mean, 2.8284271247461903, 2e-16, "the geometric mean of 1, 2, 4, 8 is 2^1.5");
    const double tiny[] = {1e-300, 1e-300, 1e300, 1e300};
    geomean_of(tiny, 4, &mean);
    is_real(mean, 1, 1e-15, "no product is computed, so none overflows");
    geomean_interval(x, 4, INTERVAL_T, 0.95, &interval);
    /* Logs 0, l, 2l, 3l, l = log 2: mean 1.5 l, sd l·√(5/3), t(0.975, 3) = 3.1824463052837095927 (tables of Student's
     * t); half = t·sd/2 = 1.4239...; exp by hand in 30 digits: exp(1.5·l ∓ t·l·√(5/3)/2). */
    double half = 3.1824463052837095927 * 0.69314718055994530942 * 1.2909944487358056284 / 2;
    is_real(interval.low, exp(1.0397207708399179641 - half), 1e-14, "  lower bound");
    is_real(interval.high, exp(1.0397207708399179641 + half), 1e-14, "  upper bound");
    is_real(interval.half, interval.high - interval.mean, 1e-15, "the half width is the larger distance");
    return done_testing();
}
