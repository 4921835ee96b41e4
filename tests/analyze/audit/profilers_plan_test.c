/* profilers_plan_test.c - the slowdown that stands out from noise, and the half-widths of slopes that it gives. */
#include "analyze/audit/profiler/profilers_plan.h"

#include <math.h>
#include <string.h>

#include "tests/tap.h"

static bool is_near(double got, double expected)
{
    return fabs(got - expected) <= 1e-5 * fabs(expected);
}

int main(void)
{
    /* Two profilers whose times differ by 2 s, with sd 0.1 within each: pooled 0.1 of 4 degrees of freedom. Sampling
     * every 10 ms: sqrt(4 * 0.01 / 4) = 0.1. */
    const double times[] = {2.9, 3.0, 3.1, 4.9, 5.0, 5.1};
    const size_t profiler[] = {0, 0, 0, 1, 1, 1};
    struct profilers_plan_request request = {.period_s = 0.01, .runs = 5, .most_runs = 20, .steps = 3, .methods = 1};
    struct profilers_plan plan = {0};
    struct error_text message;
    ok(profilers_plan_make(&request, times, profiler, 6, &plan, &message) == STATUS_GOOD && plan.profilers == 2 &&
           is_near(plan.time_s, 4) && is_near(plan.sd_s, 0.1) && is_near(plan.sampled_s, 0.1) &&
           is_near(plan.noise_s, 0.141421),
       "noise is that within profilers, and of sampling");
    ok(is_near(plan.slowdown, PROFILERS_SLOWDOWN_LEAST), "little noise: the least slowdown");
    /* The effect is 2 s. Σ(e − ē)² of 0, 2/3, 4/3, 2 is 20/9 a run, 100/9 in all. t(0.9875, 4) = 3.4954 (R: qt(0.9875,
     * 4) = 3.495406): 3.495406 * 0.141421 / sqrt(100/9). */
    ok(is_near(profilers_plan_half_width(&request, &plan, 5, 1), 0.148297), "the half-width after five runs");
    /* Five more runs of 0 and 2: 2 each. qt(1 - 0.0125/2, 9) = 3.110935 (R): / sqrt(100/9 + 10) */
    ok(is_near(profilers_plan_half_width(&request, &plan, 10, 2), 0.0957526),
       "after five more, with none and the largest");
    request.methods = 5; /* qt(1 - 0.025/5/2, 4) = 5.597568 */
    ok(is_near(profilers_plan_half_width(&request, &plan, 5, 1), 0.237484), "a family of methods has wider ones");
    request.methods = 1;
    request.slowdown = 0.25;
    ok(profilers_plan_make(&request, times, profiler, 6, &plan, &message) == STATUS_GOOD && plan.slowdown == 0.25,
       "a slowdown that was asked for is kept");
    const double noisy[] = {3.0, 4.0, 5.0};
    request.slowdown = 0;
    ok(profilers_plan_make(&request, noisy, profiler, 3, &plan, &message) == STATUS_GOOD &&
           is_near(plan.slowdown * plan.time_s, 10 * plan.noise_s),
       "much noise: ten standard deviations of a run");
    const double wild[] = {0.1, 4.0, 9.0};
    ok(profilers_plan_make(&request, wild, profiler, 3, &plan, &message) == STATUS_GOOD &&
           plan.slowdown == PROFILERS_SLOWDOWN_MOST,
       "  but no more than a bound");
    const size_t each[] = {0, 1, 2};
    ok(profilers_plan_make(&request, noisy, each, 3, &plan, &message) == STATUS_BAD &&
           strstr(message.text, "no profiler has two runs"),
       "single runs say nothing about noise");
    ok(profilers_plan_make(&request, (const double[]){1, 0}, profiler, 2, &plan, &message) == STATUS_BAD,
       "a run without a time is refused");
    ok(profilers_plan_make(&request, times, profiler, 0, &plan, &message) == STATUS_BAD, "so is no run at all");
    return done_testing();
}
