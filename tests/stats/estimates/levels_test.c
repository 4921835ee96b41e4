/* Two levels of repetition. Expected values are by hand; t has 12.70620474 (1), 4.302652730 (2), 3.182446305 (3),
 * 2.776445105 (4) and 2.570581836 (5 degrees of freedom). */
#include "stats/estimates/levels.h"

#include <math.h>

#include "tests/tap.h"

static void check_estimate(void)
{
    struct levels_variances found = {7, 7};
    /* Processes 1 3, 5 7, 9 11: means 2, 6, 10 (sd 4), deviations 6·1 = 6 on 3 degrees. */
    struct levels_pilot pilot = {3, 6, 4, 6, 1.5};
    ok(levels_estimate(&pilot, &found) == STATS_OK && found.within == 2 && found.between == 15,
       "3 processes of 2: 6/3 within, 16 - 2/2 between");
    ok(fabs(levels_correlation(&found) - 15.0 / 17) < 1e-15, "  the intra-class correlation is 15/17");
    /* Processes 1 3, 4, 3 5 7 9: means 2, 4, 6 (sd 2), deviations 2 + 0 + 20 on 4 degrees, Σ 1/m = 1.75. */
    pilot = (struct levels_pilot){3, 7, 2, 22, 1.75};
    ok(levels_estimate(&pilot, &found) == STATS_OK && found.within == 5.5 &&
           fabs(found.between - (4 - 5.5 * 1.75 / 3)) < 1e-15,
       "uneven numbers of values");
    pilot = (struct levels_pilot){3, 6, 0.5, 6, 1.5};
    ok(levels_estimate(&pilot, &found) == STATS_OK && found.between == -0.75, "an estimate below 0 stays one");
    ok(levels_correlation(&found) == 0, "  and its correlation is 0");
    pilot = (struct levels_pilot){1, 6, NAN, 6, 1};
    ok(levels_estimate(&pilot, &found) == STATS_TOO_FEW, "one process");
    pilot = (struct levels_pilot){4, 4, 1, 0, 4};
    ok(levels_estimate(&pilot, &found) == STATS_TOO_FEW && found.between == -0.75, "one value in each");
    pilot = (struct levels_pilot){2, 4, INFINITY, 1, 1};
    ok(levels_estimate(&pilot, &found) == STATS_DOMAIN, "an infinite standard deviation");
    ok(isnan(levels_correlation(&(struct levels_variances){0, 0})), "no variance, no correlation");
}

static bool plan_is(double between, double within, double process, double iteration, double half, uint64_t processes,
                    uint64_t iterations)
{
    struct levels_plan plan = {99, 99};
    enum stats_status status = levels_make_plan(&(struct levels_variances){between, within},
                                                &(struct levels_cost){process, iteration}, half, 0.95, &plan);
    if (status || plan.processes != processes || plan.iterations != iterations)
        printf("# status %d, %llu processes, %llu iterations\n", (int)status, (unsigned long long)plan.processes,
               (unsigned long long)plan.iterations);
    return !status && plan.processes == processes && plan.iterations == iterations;
}

static void check_plan(void)
{
    /* n = 3: 3·(3/4.302652730)² = 1.458454; 1.458454 − 1 = 0.458454; 4/0.458454 → 9: 3·(10 + 9) = 57.
     * n = 4: 4·(3/3.182446305)² = 3.554508; 4/2.554508 → 2: 4·12 = 48. n = 5: 5·(3/2.776445105)² = 5.837617;
     * 4/4.837617 → 1: 55. */
    ok(plan_is(1, 4, 10, 1, 3, 4, 2), "costs 57, 48 and 55: 4 processes of 2");
    /* The same with cheap processes: 3·9, 4·2, 5·1. */
    ok(plan_is(1, 4, 0, 1, 3, 5, 1), "processes that cost nothing: one iteration each");
    /* With dear ones: 3·(1000 + 9). n = 2: 2·(3/12.70620474)² = 0.1115 < 1: never enough. */
    ok(plan_is(1, 4, 1000, 1, 3, 3, 9), "dear processes: as few as can be");
    /* No variance between: n = 2: 4/0.111489 → 36: 2·46 = 92; n = 3: 4/1.458454 → 3: 39; n = 4: 4/3.554508 → 2: 48;
     * n = 5 costs at least 55. */
    ok(plan_is(-1, 4, 10, 1, 3, 3, 3), "no variance between processes");
    ok(plan_is(1, 0, 10, 1, 3, 3, 1), "none within: 3 suffice, as 1.458 exceeds 1");
    ok(plan_is(0, 0, 10, 1, 3, 2, 1), "none at all: 2 processes of 1");

    /* For many processes, Kalibera and Jones: √(90/1 · 40/1) = 60, and z²(1 + 40/60)/half² processes. */
    struct levels_plan plan;
    ok(levels_make_plan(&(struct levels_variances){1, 40}, &(struct levels_cost){90, 1}, 0.05, 0.95, &plan) ==
               STATS_OK &&
           plan.iterations >= 52 && plan.iterations <= 69,
       "many processes: about the 60 iterations of Kalibera and Jones");
    double total = (double)plan.processes * (90 + (double)plan.iterations);
    double known = 1.959963985 * 1.959963985 * (1 + 40.0 / 60) / 0.0025 * (90 + 60);
    ok(fabs(total / known - 1) < 0.005, "  at the same cost");
    ok(levels_make_plan(&(struct levels_variances){1, 40}, &(struct levels_cost){90, 1}, 1e-4, 0.95, &plan) ==
               STATS_OK &&
           fabs((double)plan.processes * (90 + (double)plan.iterations) / (known * 250000) - 1) < 0.005,
       "  and for a half width 500 times smaller");
}

static void check_errors(void)
{
    struct levels_plan plan = {99, 99};
    const struct levels_variances some = {1, 1};
    const struct levels_cost cost = {1, 1};
    ok(levels_make_plan(&some, &cost, 0, 0.95, &plan) == STATS_DOMAIN, "a half width of 0");
    ok(levels_make_plan(&some, &cost, NAN, 0.95, &plan) == STATS_DOMAIN, "a half width that is not a number");
    ok(levels_make_plan(&some, &cost, 1, 1, &plan) == STATS_DOMAIN, "a confidence of 1");
    ok(levels_make_plan(&some, &(struct levels_cost){-1, 1}, 1, 0.95, &plan) == STATS_DOMAIN, "a negative cost");
    ok(levels_make_plan(&some, &(struct levels_cost){1, 0}, 1, 0.95, &plan) == STATS_DOMAIN, "iterations for nothing");
    ok(levels_make_plan(&some, &cost, 1e-12, 0.95, &plan) == STATS_OVERFLOW, "more than 2^53 processes");
    ok(plan.processes == 99, "  the plan is untouched");
}

int main(void)
{
    check_estimate();
    check_plan();
    check_errors();
    return done_testing();
}
