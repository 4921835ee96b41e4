/*
 * Does not pay: a counter is stored for each element and loaded only at the end, while loads from random addresses miss
 * the caches. After: it is stored for one element in a thousand.
 */
#include "case.h"

enum { SIZE = 1 << 22, ELEMENTS = 1000 };

static uint32_t memory[SIZE];
static volatile uint64_t counter;

static double not_spill_run(size_t steps, int only_last)
{
    uint64_t seed = 1, count = 0;
    double sum = 0;
    for (size_t step = 0; step < steps; step++)
        for (int i = 0; i < ELEMENTS; i++) {
            uint32_t index = case_random(&seed) % SIZE;
            sum += memory[index]++;
            count++;
            if (!only_last || i == ELEMENTS - 1)
                counter = count; /* @blamed */
        }
    return sum + (double)counter;
}

static double not_spill_before(size_t steps)
{
    return not_spill_run(steps, 0);
}

static double not_spill_after(size_t steps)
{
    return not_spill_run(steps, 1);
}

const struct waste_case waste_case = {not_spill_before, not_spill_after};
