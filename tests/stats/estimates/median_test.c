#include "stats/estimates/median.h"

#include "tests/tap.h"

/* The values are their own ranks. Expected: R 4.2.2: qbinom(0.025, n, 0.5), and n + 1 minus that. */
static void check(size_t n, double low_rank, double high_rank)
{
    double sorted[200], low = 0, high = 0;
    for (size_t i = 0; i < n; i++)
        sorted[i] = (double)(i + 1);
    ok(median_interval(sorted, n, 0.95, &low, &high) == STATS_OK, "%zu values have an interval of the median", n);
    is_real(low, low_rank, 0, "  its lower bound");
    is_real(high, high_rank, 0, "  its upper bound");
}

int main(void)
{
    const double sorted[] = {1, 2, 3, 4, 5};
    double low = 42, high = 42;
    ok(median_interval(sorted, 5, 0.95, &low, &high) == STATS_TOO_FEW, "five values reach 93.75 %% at most");
    ok(median_interval(sorted, 5, 1, &low, &high) == STATS_DOMAIN, "a confidence of 1 is refused");
    ok(median_interval(sorted, 0, 0.95, &low, &high) == STATS_TOO_FEW && low == 42 && high == 42,
       "no values have no interval, and no error writes a result");
    ok(median_interval(sorted, 5, 0.9, &low, &high) == STATS_OK && low == 1 && high == 5, "  but all five reach 90 %%");
    ok(median_interval(sorted, 5, 0.9375, &low, &high) == STATS_OK, "  and 93.75 %%");
    check(6, 1, 6);
    check(10, 2, 9);
    check(25, 8, 18);
    check(101, 41, 61);
    return done_testing();
}
