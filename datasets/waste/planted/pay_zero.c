/* Pays: a large buffer is zeroed before each use, which needs little of it. After: that part is zeroed. */
#include "case.h"

#include <string.h>

enum { SIZE = 1 << 16, USED = 256, OTHER = 2048 };

static unsigned char buffer[SIZE];
static double other[OTHER];

static double pay_zero_run(size_t steps, size_t zeroed)
{
    uint64_t seed = 1;
    double sum = 0;
    for (size_t step = 0; step < steps; step++) {
        memset(buffer, 0, zeroed); /* @blamed */
        for (int i = 0; i < USED; i++)
            buffer[i] = (unsigned char)((size_t)i + step);
        for (int i = 0; i < OTHER; i++)
            other[i] = other[i] * .99 + (double)(case_random(&seed) & 15);
        for (int i = 0; i < USED; i++)
            sum += buffer[i];
        sum += other[step % OTHER];
    }
    return sum;
}

static double pay_zero_before(size_t steps)
{
    return pay_zero_run(steps, SIZE);
}

static double pay_zero_after(size_t steps)
{
    return pay_zero_run(steps, USED);
}

const struct waste_case waste_case = {pay_zero_before, pay_zero_after};
