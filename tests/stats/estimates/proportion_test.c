/* proportion_test.c - intervals of proportions. Expected values: R 4.2, prop.test(x, n, correct = FALSE)$conf.int, as
 * quoted. */
#include "stats/estimates/proportion.h"

#include "tests/tap.h"

static void test_invalid(void)
{
    double low = 42, high = 42;
    ok(proportion_interval(-0.1, 10, 0.95, &low, &high) == STATS_DOMAIN, "a negative proportion is refused");
    ok(proportion_interval(1.1, 10, 0.95, &low, &high) == STATS_DOMAIN, "a proportion above 1 is refused");
    ok(proportion_interval(NAN, 10, 0.95, &low, &high) == STATS_DOMAIN, "NaN is refused");
    ok(proportion_interval(0.5, 0, 0.95, &low, &high) == STATS_DOMAIN, "a number of 0 observations is refused");
    ok(proportion_interval(0.5, NAN, 0.95, &low, &high) == STATS_DOMAIN, "NaN observations are refused");
    ok(proportion_interval(0.5, 10, 1, &low, &high) == STATS_DOMAIN, "confidence 1 is refused");
    ok(low == 42 && high == 42, "  and no error writes a result");
    ok(isnan(proportion_effective(0, 0, 0, 0.5)), "no observations have no effective number");
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
        ok(fabs(low - known[i].low) < 1e-14 && fabs(high - known[i].high) < 1e-14,
           "the interval of %g of %g: %.17g to %.17g", known[i].x, known[i].n, low, high);
    }
}

/* By hand: n equal weights are n observations; weights 1 and 3, one hit: Kish's (1+3)²/(1+9) where p is 0 or 1, else
 * p(1 − p)/V with p = 3/4, V = (1·(3/4)² + 9·(1/4)²)/16 = 9/128: 8/3. */
static void test_effective(void)
{
    double equal = proportion_effective(50, 50, 20, 0.4), none = proportion_effective(4, 10, 0, 0);
    double two = proportion_effective(4, 10, 9, 0.75);
    ok(fabs(equal - 50) < 1e-12, "50 equal weights count as 50: %.17g", equal);
    ok(fabs(none - 1.6) < 1e-12, "weights 1 and 3 without a hit count as 1.6: %.17g", none);
    ok(fabs(two - 8.0 / 3) < 1e-12, "weights 1 and 3 with a hit of weight 3 count as 8/3: %.17g", two);
}

/*
 * Runs with one or two of 300 samples. By hand, first row: p̄ = 1/900, s/√3 = 1/900, so n = p̄(1 − p̄)/(s²/n) = 899, and
 * with t = 4.302652729749464 Wilson's formula gives the bounds (Python's decimal, 40 digits). Last row: within 0 … 1,
 * so 0.5 ± t·0.1/√3 (same way).
 */
static void test_mean(void)
{
    static const struct {
        double p[3], low, high;
    } known[] = {
        {{0, 0, 1.0 / 300}, 0.00005424396814678619, 0.02230031918567858711},
        {{1, 1, 299.0 / 300}, 0.97769968081432141288, 0.99994575603185321380},
        {{0.4, 0.5, 0.6}, 0.25158622882496689, 0.74841377117503311},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct interval found = {0};
        proportion_mean_interval(known[i].p, 3, INTERVAL_T, 0.95, &found);
        ok(fabs(found.low - known[i].low) < 1e-14 && fabs(found.high - known[i].high) < 1e-14,
           "the interval of mean %g: %.17g to %.17g", found.mean, found.low, found.high);
        ok(fabs(found.half - (found.high - found.low) / 2) < 1e-15, "  its half width is half of its length");
    }
    struct interval kept = {.mean = 42};
    const double beyond[] = {0.5, 1.5}, same[] = {0.25, 0.25};
    ok(proportion_mean_interval(beyond, 2, INTERVAL_T, 0.95, &kept) == STATS_DOMAIN && kept.mean == 42,
       "a proportion of 1.5 is refused");
    ok(proportion_mean_interval(same, 1, INTERVAL_T, 0.95, &kept) == STATS_TOO_FEW && kept.mean == 42,
       "  and so is one run");
    proportion_mean_interval(same, 2, INTERVAL_T, 0.95, &kept);
    ok(kept.low == 0.25 && kept.high == 0.25, "without spread the interval has no width");
}

/* By hand: z = 1.959963984540054; 0.5 − √(0.03² + (z·0.02)²) = 0.5 − √(0.0009 + 0.0015365835…). */
static void test_widen(void)
{
    double low = 0.47, high = 0.54, near = 0.01, far = 0.06, none = NAN;
    ok(proportion_widen(0.5, 0.02, 0.95, &low, &high) == STATS_OK, "an interval is widened");
    ok(fabs(low - (0.5 - sqrt(0.0009 + 0.0015365835280))) < 1e-10, "  by its lower half: %.12g", low);
    ok(fabs(high - (0.5 + sqrt(0.0016 + 0.0015365835280))) < 1e-10, "  and by its upper half: %.12g", high);
    proportion_widen(0.03, 0.1, 0.95, &near, &far);
    ok(near == 0 && far > 0.2 && far < 0.23, "  but never beyond 0: %g to %g", near, far);
    proportion_widen(0.03, 0, 0.95, &near, &far);
    ok(near == 0 && far > 0.2, "a deviation of 0 leaves it unchanged");
    ok(proportion_widen(0.5, 0.1, 0.95, &none, &high) == STATS_OK && isnan(none), "a bound that is NaN stays NaN");
    ok(proportion_widen(0.5, -0.1, 0.95, &low, &high) == STATS_DOMAIN, "a negative deviation is refused");
}

int main(void)
{
    test_widen();
    test_mean();
    test_invalid();
    test_known();
    test_effective();
    return done_testing();
}
