/* Pays: a whole image is copied although one row of it has changed. After: the row is copied. */
#include "case.h"

#include <string.h>

enum { ROWS = 200, COLUMNS = 200, OTHER = 2048 };

static int image[ROWS][COLUMNS], shown[ROWS][COLUMNS];
static double other[OTHER];

static double pay_copy_run(size_t steps, int only_row)
{
    uint64_t seed = 1;
    double sum = 0;
    for (size_t step = 0; step < steps; step++) {
        int row = (int)(case_random(&seed) % ROWS);
        for (int i = 0; i < COLUMNS; i++)
            image[row][i] += i;
        if (only_row)
            memcpy(shown[row], image[row], sizeof image[row]);
        else
            memcpy(shown, image, sizeof image); /* @blamed */
        for (int i = 0; i < OTHER; i++)
            other[i] = other[i] * .99 + (double)(case_random(&seed) & 15);
        sum += shown[row][step % COLUMNS] + other[step % OTHER];
    }
    return sum;
}

static double pay_copy_before(size_t steps)
{
    return pay_copy_run(steps, 0);
}

static double pay_copy_after(size_t steps)
{
    return pay_copy_run(steps, 1);
}

const struct waste_case waste_case = {pay_copy_before, pay_copy_after};
