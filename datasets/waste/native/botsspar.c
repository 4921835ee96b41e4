/*
 * The inner product of SPEC OMP2012's 359.botsspar, sparselu.c, line 191 (dissertation, Table 3.2): each iteration
 * loads and stores an element of the result, because the compiler does not know that the others don't overlap with it.
 * After: the sum stays in a register (scalar replacement).
 */
#include "case.h"

enum { SIZE = 100 };

static float row[SIZE * SIZE], column[SIZE * SIZE], inner[SIZE * SIZE];

CASE_NAMED static void botsspar_multiply(float *into, const float *left, const float *right)
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            for (int k = 0; k < SIZE; k++)
                into[i * SIZE + j] = into[i * SIZE + j] - left[i * SIZE + k] * right[k * SIZE + j]; /* @blamed */
}

CASE_NAMED static void botsspar_multiply_in_register(float *into, const float *left, const float *right)
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            float sum = into[i * SIZE + j];
            for (int k = 0; k < SIZE; k++)
                sum = sum - left[i * SIZE + k] * right[k * SIZE + j];
            into[i * SIZE + j] = sum;
        }
}

static double botsspar_run(size_t steps, void (*multiply)(float *, const float *, const float *))
{
    uint64_t seed = 1;
    double sum = 0;
    for (int i = 0; i < SIZE * SIZE; i++) {
        row[i] = (float)(case_random(&seed) % 100) / 1000;
        column[i] = (float)(case_random(&seed) % 100) / 1000;
    }
    for (size_t step = 0; step < steps; step++)
        multiply(inner, row, column);
    for (int i = 0; i < SIZE * SIZE; i++)
        sum += (double)inner[i];
    return sum;
}

static double botsspar_before(size_t steps)
{
    return botsspar_run(steps, botsspar_multiply);
}

static double botsspar_after(size_t steps)
{
    return botsspar_run(steps, botsspar_multiply_in_register);
}

const struct waste_case waste_case = {botsspar_before, botsspar_after};
