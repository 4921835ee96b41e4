#include "stats/estimates/runs_needed.h"

#include "tests/tap.h"

int main(void)
{
    uint64_t n = 42;
    ok(runs_needed(1, 1, 1, 0.95, &n) == STATS_TOO_FEW, "a pilot of one run has no spread");
    ok(runs_needed(5, -1, 1, 0.95, &n) == STATS_DOMAIN, "a negative sd is refused");
    ok(runs_needed(5, 1, 0, 0.95, &n) == STATS_DOMAIN, "a half width of 0 is refused");
    ok(runs_needed(5, NAN, 1, 0.95, &n) == STATS_DOMAIN, "NaN is refused");
    ok(runs_needed(5, 1, 1, 1, &n) == STATS_DOMAIN, "confidence 1 is refused");
    ok(runs_needed(5, 1e300, 1e-300, 0.95, &n) == STATS_OVERFLOW && n == 42, "too many, nothing was written");
    /* t(0.975, 4) = 2.7764451051977944 (tables of Student's t: 2.776): (2.77645·1/0.5)² = 30.83 */
    runs_needed(5, 1, 0.5, 0.95, &n);
    is_u64(n, 31, "five pilot runs, sd 1, half width 0.5");
    /* t(0.975, 29) = 2.0452296421327043: (2.04523·2/0.1)² = 1673.2 */
    runs_needed(30, 2, 0.1, 0.95, &n);
    is_u64(n, 1674, "thirty pilot runs, sd 2, half width 0.1");
    runs_needed(30, 1, 10, 0.95, &n);
    is_u64(n, 30, "the pilot was enough");
    runs_needed(30, 0, 1, 0.95, &n);
    is_u64(n, 30, "no spread: the pilot was enough");
    return done_testing();
}
