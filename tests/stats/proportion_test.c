/* The interval of a proportion. Expected values: R 4.2, prop.test(x, n, correct = FALSE)$conf.int, as quoted. */
#include "stats/proportion.h"

#include "tests/tap.h"

static void test_invalid(void)
{
    double low = 42, high = 42;
    ok(proportion_interval(-0.1, 10, 0.95, &low, &high) == STATS_DOMAIN, "a negative proportion is refused");
    ok(proportion_interval(1.1, 10, 0.95, &low, &high) == STATS_DOMAIN, "one above 1 is refused");
    ok(proportion_interval(NAN, 10, 0.95, &low, &high) == STATS_DOMAIN, "NaN is refused");
    ok(proportion_interval(0.5, 0, 0.95, &low, &high) == STATS_DOMAIN, "no observation is refused");
    ok(proportion_interval(0.5, NAN, 0.95, &low, &high) == STATS_DOMAIN, "NaN observations are refused");
    ok(proportion_interval(0.5, 10, 1, &low, &high) == STATS_DOMAIN, "confidence 1 is refused");
    ok(low == 42 && high == 42, "nothing was written");
    ok(isnan(proportion_effective(0, 0, 0, 0.5)), "nothing has no effective number");
}

static void test_known(void)
{
    static const struct {
        double x, n, confidence, low, high;
    } known[] = {
        {8, 10, 0.95, 0.49016247153664183, 0.94331784854562473},
        {0, 20, 0.95, 0, 0.1611251580528193},
        {150, 1000, 0.99, 0.12322606611221885, 0.18138774932016591},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double low = NAN, high = NAN;
        proportion_interval(known[i].x / known[i].n, known[i].n, known[i].confidence, &low, &high);
        ok(fabs(low - known[i].low) < 1e-14 && fabs(high - known[i].high) < 1e-14, "%g of %g: %.17g to %.17g",
           known[i].x, known[i].n, low, high);
    }
}

/* By hand: n equal weights are n observations; weights 1 and 3, one hit: Kish's (1+3)²/(1+9) where p is 0 or 1, else
 * p(1 − p)/V with p = 3/4, V = (1·(3/4)² + 9·(1/4)²)/16 = 9/128: 8/3. */
static void test_effective(void)
{
    double equal = proportion_effective(50, 50, 20, 0.4), none = proportion_effective(4, 10, 0, 0);
    double two = proportion_effective(4, 10, 9, 0.75);
    ok(fabs(equal - 50) < 1e-12, "50 equal weights: %.17g", equal);
    ok(fabs(none - 1.6) < 1e-12, "weights 1 and 3, no hit: %.17g", none);
    ok(fabs(two - 8.0 / 3) < 1e-12, "weights 1 and 3, 3 is hit: %.17g", two);
}

int main(void)
{
    test_invalid();
    test_known();
    test_effective();
    return done_testing();
}
