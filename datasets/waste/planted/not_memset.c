/* Does not pay: a small buffer is zeroed before it is overwritten, beside much arithmetic. After: it is not zeroed. */
#include "case.h"

#include <string.h>

enum { SIZE = 4096, PART = 16, ITERATIONS = 4000 };

static unsigned char buffer[SIZE];

static double not_memset_run(size_t steps, int zeroed)
{
    double sum = 0;
    for (size_t step = 0; step < steps; step++) {
        if (zeroed)
            memset(buffer, 0, sizeof buffer); /* @blamed */
        for (size_t i = 0; i < SIZE; i += PART)
            memset(buffer + i, (int)((step + i) % 256), PART);
        double x = 1 + (double)step;
        for (int i = 0; i < ITERATIONS; i++)
            x = x * .999 + 1 / x;
        sum += x + buffer[step % SIZE];
    }
    return sum;
}

static double not_memset_before(size_t steps)
{
    return not_memset_run(steps, 1);
}

static double not_memset_after(size_t steps)
{
    return not_memset_run(steps, 0);
}

const struct waste_case waste_case = {not_memset_before, not_memset_after};
