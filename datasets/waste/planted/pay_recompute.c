/* Pays: whether a matrix is symmetric is computed for each row, although it does not change. After: once for all rows.
 */
#include "case.h"

enum { SIZE = 100, ROWS = 10, OTHER = 2048 };

static double matrix[SIZE][SIZE], other[OTHER];

CASE_EXTERNAL static int pay_recompute_is_symmetric(void)
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < i; j++)
            if (matrix[i][j] != matrix[j][i]) /* @blamed */
                return 0;
    return 1;
}

static double pay_recompute_run(size_t steps, int once)
{
    uint64_t seed = 1;
    double sum = 0;
    for (size_t step = 0; step < steps; step++) {
        int symmetric = pay_recompute_is_symmetric();
        for (int row = 0; row < ROWS; row++)
            sum += once ? symmetric : pay_recompute_is_symmetric();
        matrix[step % SIZE][step % SIZE] += 1;
        for (int i = 0; i < OTHER; i++)
            other[i] = other[i] * .99 + (double)(case_random(&seed) & 15);
        sum += other[step % OTHER];
    }
    return sum;
}

static double pay_recompute_before(size_t steps)
{
    return pay_recompute_run(steps, 0);
}

static double pay_recompute_after(size_t steps)
{
    return pay_recompute_run(steps, 1);
}

const struct waste_case waste_case = {pay_recompute_before, pay_recompute_after};
