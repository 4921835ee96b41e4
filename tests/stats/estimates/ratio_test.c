#include "stats/estimates/ratio.h"

#include "tests/tap.h"

static void test_invalid(void)
{
    struct ratio ratio = {.ratio = 42};
    struct ratio_side good = {10, 2, 0.5}, one = {1, 2, 0}, zero = {10, 0, 0}, negative = {10, -1, 1},
                      nan = {10, NAN, 1};
    const double x[] = {1, 2, 3}, below[] = {-5, 1, -2}, mixed[] = {-5, 1, 20};
    ok(ratio_fieller(one, good, 0.95, &ratio) == STATS_TOO_FEW, "one value has no spread");
    ok(ratio_fieller(good, zero, 0.95, &ratio) == STATS_DOMAIN, "a baseline of 0 is refused");
    ok(ratio_fieller(negative, good, 0.95, &ratio) == STATS_DOMAIN, "a negative mean is refused");
    ok(ratio_fieller(nan, good, 0.95, &ratio) == STATS_DOMAIN, "NaN is refused");
    ok(ratio_fieller(good, good, 0, &ratio) == STATS_DOMAIN, "confidence 0 is refused");
    ok(ratio_bootstrap((struct ratio_sample){x, 1}, (struct ratio_sample){x, 3}, 1000, 0.95, &ratio) == STATS_TOO_FEW,
       "bootstrap: one value has no spread");
    ok(ratio_bootstrap((struct ratio_sample){x, 3}, (struct ratio_sample){below, 3}, 1000, 0.95, &ratio) ==
           STATS_DOMAIN,
       "bootstrap: a baseline below 0 is refused");
    ok(ratio_bootstrap((struct ratio_sample){x, 3}, (struct ratio_sample){mixed, 3}, 1000, 0.95, &ratio) ==
           STATS_DOMAIN,
       "bootstrap: a baseline whose resamples can be below 0 is refused");
    ok(ratio_bootstrap((struct ratio_sample){x, 3}, (struct ratio_sample){x, 3}, 10, 0.95, &ratio) == STATS_DOMAIN,
       "bootstrap: too few resamples are refused");
    ok(ratio.ratio == 42, "  and no error writes a result");
}

static void test_fieller(void)
{
    struct ratio ratio;
    /* At both bounds Welch's test of x against r·y must have p = 0.05. For n = 2, mean 3.5, s² = 12.5 and n = 3, mean
     * 11, s² = 1 that is at −1.570634 and 1.947690; for n = 10, 1.2 ± 0.12 and n = 10, 1 ± 0.1 at 1.092133
     * and 1.318521: the density of t integrated by Simpson's rule with 20,000 steps, and the roots by bisection. */
    ok(!ratio_fieller((struct ratio_side){2, 3.5, sqrt(12.5)}, (struct ratio_side){3, 11, 1}, 0.95, &ratio),
       "Fieller's interval of few values");
    is_real(ratio.ratio, 3.5 / 11, 1e-15, "  ratio");
    is_real(ratio.low, -1.570633791801278, 1e-9, "  lower bound");
    is_real(ratio.high, 1.9476903570903221, 1e-9, "  upper bound");
    ok(!ratio_fieller((struct ratio_side){10, 1.2, 0.12}, (struct ratio_side){10, 1, 0.1}, 0.95, &ratio), "  of more");
    is_real(ratio.low, 1.0921327286368692, 1e-9, "  lower bound");
    is_real(ratio.high, 1.3185210572320387, 1e-9, "  upper bound");
    ratio_fieller((struct ratio_side){10, 3, 0}, (struct ratio_side){10, 2, 0}, 0.95, &ratio);
    ok(ratio.low == 1.5 && ratio.high == 1.5, "without spread the interval has length 0");
    ok(ratio_fieller((struct ratio_side){5, 3, 1}, (struct ratio_side){5, 2, 4}, 0.95, &ratio) == STATS_DOMAIN,
       "a baseline that can't be told from 0 has no interval");
}

static void test_bootstrap(void)
{
    struct ratio ratio, again, scaled;
    const double same[] = {2, 2, 2, 2}, x[] = {11, 12, 14, 10, 13, 12, 11, 15, 12, 10},
                 y[] = {8, 9, 7, 8, 10, 9, 8, 7, 9, 8};
    double x3[10];
    ratio_bootstrap((struct ratio_sample){same, 4}, (struct ratio_sample){same, 4}, 1000, 0.95, &ratio);
    ok(ratio.ratio == 1 && ratio.low == 1 && ratio.high == 1, "bootstrap: without spread the interval has length 0");
    ok(!ratio_bootstrap((struct ratio_sample){x, 10}, (struct ratio_sample){y, 10}, RATIO_RESAMPLES, 0.95, &ratio),
       "the bootstrap of ten and ten values gives an interval");
    is_real(ratio.ratio, 120.0 / 83, 1e-15, "  ratio");
    /* The delta method: cv_x = 1.6329931618554521/12, cv_y = 0.94868329805051381/8.3, relative se 0.0562...;
     * the skewness is small, so BCa must end near ratio·(1 ∓ 1.96·se·√(9/10)), to a tenth of the width. */
    double se = sqrt((1.6329931618554521 * 1.6329931618554521 / 144 + 0.9 / (8.3 * 8.3)) / 10 * 0.9);
    double width = 1.959964 * se * 120 / 83;
    ok(fabs(ratio.low - (120.0 / 83 - width)) < 0.1 * width, "  lower bound near the normal one: %g", ratio.low);
    ok(fabs(ratio.high - (120.0 / 83 + width)) < 0.1 * width, "  upper bound near the normal one: %g", ratio.high);
    ratio_bootstrap((struct ratio_sample){x, 10}, (struct ratio_sample){y, 10}, RATIO_RESAMPLES, 0.95, &again);
    ok(again.low == ratio.low && again.high == ratio.high, "  the same seed gives the same bounds");
    for (size_t i = 0; i < 10; i++)
        x3[i] = 4 * x[i];
    ratio_bootstrap((struct ratio_sample){x3, 10}, (struct ratio_sample){y, 10}, RATIO_RESAMPLES, 0.95, &scaled);
    ok(scaled.low == 4 * ratio.low && scaled.high == 4 * ratio.high,
       "  values of four times the size give bounds of four times the size");
}

/* Two values each: 4·4 equally likely resamples, so the distribution is known. x̄* is 1, 2, 2, 3; ȳ* is 1, 1.5, 1.5, 2:
 * ratios 1/2 to 3, R = 2/1.5. */
static void test_enumeration(void)
{
    struct ratio ratio;
    const double x[] = {1, 3}, y[] = {1, 2};
    ratio_bootstrap((struct ratio_sample){x, 2}, (struct ratio_sample){y, 2}, RATIO_RESAMPLES, 0.95, &ratio);
    ok(ratio.low >= 0.5 && ratio.high <= 3, "resampled ratios lie between min/max and max/min");
    is_real(ratio.low, 0.5, 1e-12, "  the lower bound is the lowest of sixteen");
    is_real(ratio.high, 3, 1e-12, "  and the upper bound the highest");
}

int main(void)
{
    test_invalid();
    test_fieller();
    test_bootstrap();
    test_enumeration();
    return done_testing();
}
