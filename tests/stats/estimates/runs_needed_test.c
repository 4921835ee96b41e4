#include "stats/estimates/runs_needed.h"

#include "tests/tap.h"

/* Tables: chi-square with 1 degree of freedom has 0.975 below 5.02389 and 0.025 below 0.000982069, with 19 32.8523 and
 * 8.90652. t(0.975) is 2.00958 at 49 degrees of freedom, 2.00856 at 50, 2.20099 at 11, 2.17881 at 12. */
static void test_expected(void)
{
    struct runs_expected runs = {7, 7, 7};
    ok(runs_expected((struct runs_pilot){1, 1}, 1, INTERVAL_T, 0.95, 0.95, &runs) == STATS_TOO_FEW,
       "one run has no spread");
    ok(runs_expected((struct runs_pilot){5, NAN}, 1, INTERVAL_T, 0.95, 0.95, &runs) == STATS_DOMAIN, "NaN is refused");
    ok(runs_expected((struct runs_pilot){5, 1}, 0, INTERVAL_T, 0.95, 0.95, &runs) == STATS_DOMAIN,
       "a half width of 0 is refused");
    ok(runs_expected((struct runs_pilot){5, 1}, 1, INTERVAL_T, 1, 0.95, &runs) == STATS_DOMAIN,
       "confidence 1 is refused");
    ok(runs_expected((struct runs_pilot){5, 1}, 1, INTERVAL_T, 0.95, 1, &runs) == STATS_DOMAIN && runs.n == 7,
       "an assurance of 1 is refused, and no error writes a result");
    /* 2.00958·3.5355/√50 = 1.0048, 2.00856·3.5355/√51 = 0.9944; low: 3.5355/√5.02389 = 1.57735, 2.20099·1.57735/√12 =
     * 1.0022, 2.17881·1.57735/√13 = 0.9532; high: 3.5355·31.91 = 112.8, (1.96·112.8)² = 48900 */
    runs_expected((struct runs_pilot){2, 3.5355}, 1, INTERVAL_T, 0.95, 0.95, &runs);
    is_u64(runs.n, 51, "runs needed after two runs with sd 3.5355, for half width 1");
    is_u64(runs.low, 13, "  at least");
    ok(runs.high > 48850 && runs.high < 48950, "  at most");
    /* z = 1.959964: (1.959964·10)² = 384.1; low ·19/32.8523 = 222.2, high ·19/8.90652 = 819.5 */
    runs_expected((struct runs_pilot){20, 10}, 1, INTERVAL_Z, 0.95, 0.95, &runs);
    is_u64(runs.n, 385, "runs needed after twenty runs with sd 10, for half width 1, by the normal quantile");
    is_u64(runs.low, 223, "  at least");
    is_u64(runs.high, 820, "  at most");
    /* R: qchisq(c(0.975, 0.025), 5043) is 5241.72478 4848.06372. (1.959964·100)² = 38414.6; low ·5043/5241.72478 =
     * 36958.2, high ·5043/4848.06372 = 39959.2 */
    runs_expected((struct runs_pilot){5044, 100}, 1, INTERVAL_Z, 0.95, 0.95, &runs);
    ok(runs.low == 36959 && runs.n == 38415 && runs.high == 39960, "runs needed after 5044 runs, at least and at most");
    runs_expected((struct runs_pilot){5, 0}, 1, INTERVAL_T, 0.95, 0.95, &runs);
    ok(runs.n == 2 && runs.low == 2 && runs.high == 2, "without spread two runs are enough");
    runs_expected((struct runs_pilot){5, 1e300}, 1e-300, INTERVAL_T, 0.95, 0.95, &runs);
    ok(runs.n == UINT64_MAX && runs.high == UINT64_MAX, "more than 2^53 runs become the greatest number");
}

int main(void)
{
    uint64_t n = 42;
    ok(runs_needed((struct runs_pilot){1, 1}, 1, 0.95, &n) == STATS_TOO_FEW, "a pilot of one run has no spread");
    ok(runs_needed((struct runs_pilot){5, -1}, 1, 0.95, &n) == STATS_DOMAIN, "a negative sd is refused");
    ok(runs_needed((struct runs_pilot){5, 1}, 0, 0.95, &n) == STATS_DOMAIN, "a half width of 0 is refused");
    ok(runs_needed((struct runs_pilot){5, NAN}, 1, 0.95, &n) == STATS_DOMAIN, "NaN is refused");
    ok(runs_needed((struct runs_pilot){5, 1}, 1, 1, &n) == STATS_DOMAIN, "confidence 1 is refused");
    ok(runs_needed((struct runs_pilot){5, 1e300}, 1e-300, 0.95, &n) == STATS_OVERFLOW && n == 42,
       "too many are an overflow, and no error writes a result");
    /* t(0.975, 4) = 2.7764451051977944 (tables of Student's t: 2.776): (2.77645·1/0.5)² = 30.83 */
    runs_needed((struct runs_pilot){5, 1}, 0.5, 0.95, &n);
    is_u64(n, 31, "runs needed after five pilot runs with sd 1, for half width 0.5");
    /* t(0.975, 29) = 2.0452296421327043: (2.04523·2/0.1)² = 1673.2 */
    runs_needed((struct runs_pilot){30, 2}, 0.1, 0.95, &n);
    is_u64(n, 1674, "runs needed after thirty pilot runs with sd 2, for half width 0.1");
    runs_needed((struct runs_pilot){30, 1}, 10, 0.95, &n);
    is_u64(n, 30, "the pilot was enough");
    runs_needed((struct runs_pilot){30, 0}, 1, 0.95, &n);
    is_u64(n, 30, "without spread the pilot was enough");
    test_expected();
    return done_testing();
}
