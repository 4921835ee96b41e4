/* Does not pay: a flag is set in each iteration of a loop whose arithmetic takes longer. After: in the first iteration.
 */
#include "case.h"

enum { ITERATIONS = 4000 };

static volatile int flag;

static double not_flag_run(size_t steps, int only_first)
{
    double sum = 0;
    for (size_t step = 0; step < steps; step++) {
        double x = 1 + (double)step;
        for (int i = 0; i < ITERATIONS; i++) {
            x = x * .999 + 1 / x;
            if (!only_first || i == 0)
                flag = 1; /* @blamed */
        }
        sum += x;
    }
    return sum;
}

static double not_flag_before(size_t steps)
{
    return not_flag_run(steps, 0);
}

static double not_flag_after(size_t steps)
{
    return not_flag_run(steps, 1);
}

const struct waste_case waste_case = {not_flag_before, not_flag_after};
