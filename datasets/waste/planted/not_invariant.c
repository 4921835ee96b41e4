/* Does not pay: a factor is loaded for each element, but the arithmetic takes longer. After: it is loaded once. */
#include "case.h"

enum { VALUES = 2000 };

static double values[VALUES];
static volatile double factor;

CASE_NAMED static void not_invariant_scale(void)
{
    double x = 1;
    for (int i = 0; i < VALUES; i++) {
        double loaded = factor; /* @blamed */
        x = x * loaded + 1 / x;
        values[i] = x;
    }
}

CASE_NAMED static void not_invariant_scale_hoisted(void)
{
    double x = 1, loaded = factor;
    for (int i = 0; i < VALUES; i++) {
        x = x * loaded + 1 / x;
        values[i] = x;
    }
}

static double not_invariant_run(size_t steps, void (*scale)(void))
{
    double sum = 0;
    for (size_t step = 0; step < steps; step++) {
        factor = .9 + .01 * (double)(step % 7);
        scale();
        sum += values[step % VALUES];
    }
    return sum;
}

static double not_invariant_before(size_t steps)
{
    return not_invariant_run(steps, not_invariant_scale);
}

static double not_invariant_after(size_t steps)
{
    return not_invariant_run(steps, not_invariant_scale_hoisted);
}

const struct waste_case waste_case = {not_invariant_before, not_invariant_after};
