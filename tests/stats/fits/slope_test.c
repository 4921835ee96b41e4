/*
 * slope_test.c - slopes with errors in both variables. Expected values: least squares and instruments by hand; coverage
 * by simulation, where the truth is known.
 */
#include "stats/fits/slope.h"

#include <math.h>

#include "tests/stats/rng.h"
#include "tests/tap.h"

enum { RUNS = 5, POINTS = 6, TRIALS = 4000 };

static double normal(void)
{
    double u = 1 - rng_uniform(), v = rng_uniform();
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* Returns the slope, or NaN; the sums remain for other statistics. */
static double slope_from(const double *z, const double *x, const double *y, size_t n, struct slope_sums *sums)
{
    double slope;
    return slope_sums(z, x, y, n, sums) || slope_of(sums, &slope) ? NAN : slope;
}

/* Returns half the width of its interval, or NaN. */
static double half_of(const struct slope_sums *sums)
{
    struct interval interval;
    return slope_interval(sums, 0.95, &interval) ? NAN : interval.half;
}

static void test_invalid(void)
{
    const double x[] = {1, 2, 3}, flat[] = {0.1, 0.1, 0.1}, bad[] = {1, NAN, 3}, huge[] = {-1e300, 0, 1e300};
    struct slope_sums sums = {.n = 42};
    struct interval interval = {.mean = 42};
    double value = 42;
    ok(slope_sums(x, x, x, 1, &sums) == STATS_TOO_FEW, "one point has no slope");
    ok(slope_sums(bad, x, x, 3, &sums) == STATS_DOMAIN && slope_sums(x, bad, x, 3, &sums) == STATS_DOMAIN &&
           slope_sums(x, x, bad, 3, &sums) == STATS_DOMAIN,
       "NaN is refused in each variable");
    ok(slope_sums(huge, huge, x, 3, &sums) == STATS_OVERFLOW, "sums that are not doubles are an overflow");
    ok(sums.n == 42, "  and no error writes a result");
    ok(slope_sums(flat, flat, x, 3, &sums) == STATS_OK && sums.xx == 0 && slope_of(&sums, &value) == STATS_CONSTANT,
       "an exactly constant x has no slope");
    ok(slope_interval(&sums, 0.95, &interval) == STATS_CONSTANT, "  and no interval");
    ok(slope_sums(x, x, flat, 2, &sums) == STATS_OK && slope_interval(&sums, 0.95, &interval) == STATS_TOO_FEW,
       "two points have no interval");
    ok(slope_strength(&sums, 1, &value) == STATS_TOO_FEW, "  nor a strength");
    ok(value == 42 && interval.mean == 42, "  and no error writes a result");
    ok(slope_of(&sums, &value) == STATS_OK && value == 0, "a constant y has slope 0");
}

static void test_known(void)
{
    /* By hand: x̄ = 3, ȳ = 4, S_xx = 10, S_xy = 6, S_yy = 6; β = 0.6; s² = (6 − 3.6)/3 = 0.8; se = √0.08 */
    const double x[] = {1, 2, 3, 4, 5}, y[] = {2, 4, 5, 4, 5}, z[] = {0, 0, 0, 1, 1};
    const double t = 3.1824463052837084; /* of 0.975 with 3 degrees of freedom */
    struct slope_sums sums;
    double slope = slope_from(x, x, y, 5, &sums), half = half_of(&sums), f = NAN;
    ok(fabs(slope - 0.6) < 1e-15, "the slope by least squares: %.17g", slope);
    ok(sums.x == 3 && sums.y == 4, "  the means");
    ok(fabs(half - t * sqrt(0.08)) < 1e-14, "  its interval: %.17g", half);
    ok(slope_strength(&sums, 1, &f) == STATS_OK && isinf(f), "  as its own instrument x has infinite strength");
    /* Wald: means of y in the two groups: 11/3 and 4.5, of x: 2 and 4.5; (5/6)/(5/2) = 1/3 */
    slope = slope_from(z, x, y, 5, &sums), half = half_of(&sums);
    ok(fabs(slope - 1. / 3) < 1e-15, "an instrument of two values gives Wald's slope: %.17g", slope);
    /* S_zz = 1.2, S_zx = 3: explained 7.5, rest 2.5, F = 7.5/(2.5/3) = 9 */
    enum stats_status status = slope_strength(&sums, 1, &f);
    ok(status == STATS_OK && fabs(f - 9) < 1e-13, "  and its F by hand: %.17g", f);
    /* rest of y: 6 − 2/3·6 + 10/9 = 28/9, over 3; se = √(28/27)·√1.2/3 */
    ok(fabs(half - t * sqrt(28. / 27) * sqrt(1.2) / 3) < 1e-14, "  and its interval by hand: %.17g", half);
}

/*
 * Two series with S_zx 2 and 4, S_zy 1 and 5: β = 6/6 = 1, e = −1 and 1, variances of means: v_ee 1, v_ex 1, v_xx 1;
 * with q = 1 (9δ² = 1 − 2δ + δ²): 8δ² + 2δ − 1 = 0, δ = −1/2 and 1/4.
 */
static void test_together(void)
{
    const struct slope_sums sums[] = {{.n = 2, .zx = 2, .zy = 1}, {.n = 2, .zx = 4, .zy = 5}};
    const struct slope_sums alike[] = {{.n = 2, .zx = 2, .zy = 0.6}, {.n = 2, .zx = 7, .zy = 2.1}};
    const struct slope_sums wild[] = {{.n = 2, .zx = -2, .zy = 1}, {.n = 2, .zx = 3, .zy = 1}};
    const double level = 0.68268949213708590; /* of ∓1 of the normal distribution */
    struct interval interval = {.mean = 42};
    double f = NAN;
    ok(slope_together(sums, 1, true, level, &interval) == STATS_TOO_FEW, "one series has no interval over series");
    ok(slope_together(wild, 2, false, 0.95, &interval) == STATS_CONSTANT && interval.mean == 42,
       "  nor have series whose x may not follow z at all");
    enum stats_status status = slope_together(sums, 2, true, level, &interval);
    ok(status == STATS_OK && interval.mean == 1, "two series have a common slope: %.17g", interval.mean);
    ok(fabs(interval.low - 0.5) < 1e-14 && fabs(interval.high - 1.25) < 1e-14,
       "  with Fieller's interval by hand: %.17g, %.17g", interval.low, interval.high);
    ok(slope_strength(sums, 2, &f) == STATS_OK && fabs(f - 9) < 1e-14, "  and its F: 3²/1, %.17g", f);
    status = slope_together(alike, 2, true, level, &interval);
    ok(status == STATS_OK && fabs(interval.mean - 0.3) < 1e-15 && interval.half < 1e-15,
       "series with the same slope have exactly that: %.17g ∓ %.3g", interval.mean, interval.half);
}

static void test_properties(void)
{
    const double x[] = {1e9 + 1, 1e9 + 2, 1e9 + 4, 1e9 + 8}, y[] = {3, 5, 9, 17}, z[] = {7, 3, 2, 9};
    const double back_x[] = {x[3], x[2], x[1], x[0]}, back_y[] = {17, 9, 5, 3}, back_z[] = {9, 2, 3, 7};
    struct slope_sums sums;
    double slope = slope_from(x, x, y, 4, &sums);
    ok(slope == 2, "a line far from 0 has exactly its slope: %.17g", slope);
    slope = slope_from(z, x, y, 4, &sums);
    ok(fabs(slope - 2) < 1e-12, "  with any instrument: %.17g", slope);
    double turned = slope_from(back_z, back_x, back_y, 4, &sums);
    ok(fabs(turned - slope) < 1e-12, "  in any order: %.17g", turned);
}

/*
 * A profiler with slope `truth`, whose errors are correlated with the program's: it reports a share of the noisy run's
 * time. Returns the fraction of the intervals that cover the truth, and the mean slope: of all runs together with an
 * amount, else one slope per run. `noise` is that of the program's time, in steps of the amount.
 */
static double coverage(double truth, double noise, bool by_amount, double *mean)
{
    size_t held = 0;
    *mean = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double slopes[RUNS];
        struct slope_sums all[RUNS];
        for (size_t run = 0; run < RUNS; run++) {
            double amount[POINTS], real[POINTS], reported[POINTS];
            for (size_t i = 0; i < POINTS; i++) {
                amount[i] = (double)i;
                double own = 3 + truth * amount[i], slow = 1 + noise / 20 * normal();
                real[i] = (20 + amount[i]) * slow;
                reported[i] = own * slow + 0.05 * normal();
            }
            if (slope_sums(by_amount ? amount : real, real, reported, POINTS, &all[run]) ||
                slope_of(&all[run], &slopes[run]))
                return NAN;
        }
        struct interval interval;
        if (by_amount ? slope_together(all, RUNS, false, 0.95, &interval)
                      : interval_mean(slopes, RUNS, INTERVAL_T, 0.95, &interval))
            return NAN;
        held += interval.low <= truth && truth <= interval.high;
        *mean += interval.mean / TRIALS;
    }
    return (double)held / TRIALS;
}

/* The standard error of a share of 4000 near 0.95 is 0.0034; the bounds are five of them. */
static void test_coverage(void)
{
    double mean, held = coverage(1, 0.2, true, &mean);
    ok(held > 0.933 && held < 0.967 && fabs(mean - 1) < 0.005, "slope 1, little noise: covers %.4f, mean %.4f", held,
       mean);
    held = coverage(1, 0.6, true, &mean);
    ok(held > 0.933 && held < 0.967 && fabs(mean - 1) < 0.03, "slope 1, noise of 0.6 steps: covers %.4f, mean %.4f",
       held, mean);
    held = coverage(0.3, 0.5, true, &mean);
    ok(held > 0.933 && held < 0.967 && fabs(mean - 0.3) < 0.01, "slope 0.3: covers %.4f, mean %.4f", held, mean);
    held = coverage(1, 1, false, &mean);
    ok(held < 0.8 && mean < 0.9, "least squares fails with noise of one step: covers %.4f, mean %.4f", held, mean);
    held = coverage(1, 0.02, false, &mean);
    ok(held > 0.93 && fabs(mean - 1) < 0.001, "  but not with little noise: covers %.4f, mean %.4f", held, mean);
}

int main(void)
{
    test_invalid();
    test_known();
    test_together();
    test_properties();
    test_coverage();
    return done_testing();
}
