/*
 * cache_invalidate() of NERSC-8's msgrate, msgrate.c (dissertation, Listing 3.7): each element is a copy of the one
 * before, which has just been stored. After: the value itself is stored (copy propagation).
 */
#include "case.h"

#include <stdlib.h>

enum { SIZE = 1 << 14 };

/* Variables that another file may change, so that the buffer might hold its own size. */
int *msgrate_buffer, msgrate_size;

CASE_NAMED static void msgrate_invalidate_by_copy(int value)
{
    msgrate_buffer[0] = value;
    for (int i = 1; i < msgrate_size; i++)
        msgrate_buffer[i] = msgrate_buffer[i - 1]; /* @blamed */
}

CASE_NAMED static void msgrate_invalidate(int value)
{
    for (int i = 0; i < msgrate_size; i++)
        msgrate_buffer[i] = value;
}

static double msgrate_run(size_t steps, void (*invalidate)(int))
{
    double sum = 0;
    msgrate_size = SIZE;
    msgrate_buffer = malloc(SIZE * sizeof *msgrate_buffer);
    for (size_t step = 0; msgrate_buffer && step < steps; step++) {
        invalidate((int)(step / 4));
        sum += msgrate_buffer[step % SIZE];
    }
    free(msgrate_buffer);
    return sum;
}

static double msgrate_before(size_t steps)
{
    return msgrate_run(steps, msgrate_invalidate_by_copy);
}

static double msgrate_after(size_t steps)
{
    return msgrate_run(steps, msgrate_invalidate);
}

const struct waste_case waste_case = {msgrate_before, msgrate_after};
