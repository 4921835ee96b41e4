/* Does not pay: a table is filled with the same values again in every eighth step. After: once, at the beginning. */
#include "case.h"

enum { ENTRIES = 1000, EVERY = 8, OTHER = 4096 };

static int table[ENTRIES];
static double other[OTHER];

CASE_NAMED static void not_rare_fill(void)
{
    for (int i = 0; i < ENTRIES; i++)
        table[i] = i * i; /* @blamed */
}

static double not_rare_run(size_t steps, int again)
{
    uint64_t seed = 1;
    double sum = 0;
    not_rare_fill();
    for (size_t step = 0; step < steps; step++) {
        if (again && step % EVERY == 0)
            not_rare_fill();
        for (int i = 0; i < OTHER; i++)
            other[i] = other[i] * .99 + (double)(case_random(&seed) & 15);
        sum += table[step % ENTRIES] + other[step % OTHER];
    }
    return sum;
}

static double not_rare_before(size_t steps)
{
    return not_rare_run(steps, 1);
}

static double not_rare_after(size_t steps)
{
    return not_rare_run(steps, 0);
}

const struct waste_case waste_case = {not_rare_before, not_rare_after};
