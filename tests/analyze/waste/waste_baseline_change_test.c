/* What changed from run to run, against answers by hand. */
#include "analyze/waste/baseline/waste_baseline_change.h"

#include <math.h>

#include "tests/tap.h"

static const struct analysis_options by_t = {.confidence = 0.95}, by_z = {.confidence = 0.95, .use_z = true};

/* Equal variances 2 of two values each: se = sqrt(2/2 + 2/2), 2 degrees of freedom, whose quantile is closed:
 * t = (2p - 1) / sqrt(2p (1 - p)) for p = 0.975. */
static void test_welch(void)
{
    const double old[] = {1000, 1002}, new[] = {500, 502};
    double half = .95 / sqrt(2 * .975 * .025) * sqrt(2);
    struct waste_change change;
    waste_change_of_runs(old, 2, new, 2, &by_t, &change);
    is_real(change.old, 1001, 0, "the mean of the old runs");
    is_real(change.new, 501, 0, "and of the new ones");
    is_real(change.change, -500, 0, "change: new - old");
    is_real(change.low, -500 - half, 1e-12, "  the lower end of Welch's interval");
    is_real(change.high, -500 + half, 1e-12, "  and the upper one");
    is_real(change.ratio.ratio, 501. / 1001, 1e-15, "ratio: new / old");
    ok(isnan(change.ratio.low) && isnan(change.ratio.high), "  without an interval at first");
    ok(change.runs_old == 2 && change.runs_new == 2, "  with the numbers of runs");
    waste_change_of_runs(old, 2, new, 2, &by_z, &change);
    is_real(change.low, -500 - 1.959963984540054 * sqrt(2), 1e-12, "the normal quantile");

    /* Fieller's interval where both samples vary alike relative to their means: 10, 1.2 ± 0.12 and 10, 1 ± 0.1 are in
     * ratio_test.c; here two values 3.5 ± sqrt(12.5) and three 11 ± 1, from there, too. */
    const double x[] = {1, 6}, y[] = {10, 11, 12};
    waste_change_of_runs(y, 3, x, 2, &by_t, &change);
    waste_change_add_ratio(y, 3, x, 2, 0.95, &change);
    is_real(change.ratio.low, -1.570633791801278, 1e-9, "Fieller's interval of the ratio");
    is_real(change.ratio.high, 1.9476903570903221, 1e-9, "  upwards");
}

static void test_without_spread(void)
{
    const double old[] = {100, 100, 100}, new[] = {60, 60};
    struct waste_change change;
    waste_change_of_runs(old, 3, new, 2, &by_t, &change);
    ok(change.low == -40 && change.high == -40, "runs that are all the same have the change as their interval");
    ok(waste_change_status(&change) == WASTE_LESS, "  which is less");
    waste_change_of_runs(old, 3, old, 2, &by_t, &change);
    ok(change.low == 0 && change.high == 0 && waste_change_status(&change) == WASTE_SAME, "no change is the same");
    waste_change_of_runs(old, 1, new, 2, &by_t, &change);
    ok(isnan(change.low) && change.change == -40, "one run has no interval");
    ok(waste_change_status(&change) == WASTE_LESS, "  and every difference counts");
    waste_change_of_runs(old, 0, new, 2, &by_t, &change);
    ok(isnan(change.old) && isnan(change.change) && waste_change_status(&change) == WASTE_SAME,
       "without runs nothing is shown");
}

static void test_status(void)
{
    const double none[] = {0, 0, 0}, some[] = {90, 110}, rare[] = {0, 0, 1}, noise[] = {80, 121}, more[] = {290, 310};
    struct waste_change change;
    waste_change_of_runs(some, 2, none, 2, &by_t, &change);
    ok(change.low < 0 && change.high > 0, "two runs and none: the interval alone does not exclude 0");
    ok(waste_change_status(&change) == WASTE_GONE, "  but what all old runs had and no new one has is gone");
    waste_change_of_runs(none, 2, some, 2, &by_t, &change);
    ok(waste_change_status(&change) == WASTE_NEW, "  and the other way round it is new");
    waste_change_of_runs(rare, 3, none, 3, &by_t, &change);
    ok(waste_change_status(&change) == WASTE_UNCLEAR, "what one run of three had is not shown to be gone");
    waste_change_of_runs(some, 2, noise, 2, &by_t, &change);
    ok(waste_change_status(&change) == WASTE_UNCLEAR, "a difference within a wide interval is unclear");
    const double close[] = {100, 101, 99, 100}, near[] = {100.5, 99.5, 100.5, 100};
    waste_change_of_runs(close, 4, near, 4, &by_t, &change);
    ok(waste_change_status(&change) == WASTE_SAME, "  and within one of a few percent the same");
    waste_change_of_runs(some, 2, more, 2, &by_t, &change);
    ok(waste_change_status(&change) == WASTE_MORE, "one beyond it is more");
    waste_change_of_runs(none, 3, none, 3, &by_t, &change);
    ok(isnan(change.ratio.ratio) && waste_change_status(&change) == WASTE_SAME, "nothing and nothing has no ratio");
}

/* 0.5 in 0.4 to 0.7 and 0.3 in 0.27 to 0.36: -0.2, down by sqrt(0.03² + 0.2²), up by sqrt(0.06² + 0.1²). */
static void test_estimates(void)
{
    const double old[] = {.5}, new[] = {.3};
    struct waste_mean before = {.5, 1, {.5, .4, .7, .15}, true}, after = {.3, 1, {.3, .27, .36, .045}, true};
    struct waste_change change;
    waste_change_of_runs(old, 1, new, 1, &by_t, &change);
    waste_change_add_interval(&before, &after, &change);
    is_real(change.low, -.2 - sqrt(.03 * .03 + .2 * .2), 1e-15, "single runs with intervals: squares add up");
    is_real(change.high, -.2 + sqrt(.06 * .06 + .1 * .1), 1e-15, "  upwards");
    before.has_interval = false;
    waste_change_of_runs(old, 1, new, 1, &by_t, &change);
    waste_change_add_interval(&before, &after, &change);
    ok(isnan(change.low) && isnan(change.high), "with one interval there is none of the change");
}

int main(void)
{
    test_welch();
    test_without_spread();
    test_status();
    test_estimates();
    return done_testing();
}
