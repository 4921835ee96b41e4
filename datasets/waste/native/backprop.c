/*
 * The weights of Rodinia's backprop, backprop.c, line 322 (dissertation, Table 3.2): with the given input most inputs
 * of the layer are zero, and so are the changes, yet each weight is loaded, changed by zero and stored. After: an input
 * of zero, whose weights did not change before either, is left out.
 */
#include "case.h"

enum { INPUTS = 4096, HIDDEN = 16 };

static float weights[INPUTS][HIDDEN], last_changes[INPUTS][HIDDEN], deltas[HIDDEN], inputs[INPUTS];

static inline void backprop_adjust_row(int k)
{
    for (int j = 0; j < HIDDEN; j++) {
        float change = 0.3F * deltas[j] * inputs[k] + 0.3F * last_changes[k][j]; /* @blamed */
        weights[k][j] += change;                                                 /* @blamed */
        last_changes[k][j] = change;                                             /* @blamed */
    }
}

CASE_NAMED static void backprop_adjust(void)
{
    for (int k = 0; k < INPUTS; k++)
        backprop_adjust_row(k);
}

CASE_NAMED static void backprop_adjust_changed(void)
{
    for (int k = 0; k < INPUTS; k++)
        if (inputs[k] != 0)
            backprop_adjust_row(k);
}

static double backprop_run(size_t steps, void (*adjust)(void))
{
    uint64_t seed = 9;
    double sum = 0;
    for (int j = 0; j < HIDDEN; j++)
        deltas[j] = (float)(case_random(&seed) % 100) / 1000;
    for (int k = 0; k < INPUTS; k++)
        inputs[k] = case_random(&seed) % 10 ? 0 : (float)(case_random(&seed) % 100) / 100;
    for (size_t step = 0; step < steps; step++)
        adjust();
    for (int k = 0; k < INPUTS; k++)
        for (int j = 0; j < HIDDEN; j++)
            sum += (double)weights[k][j];
    return sum;
}

static double backprop_before(size_t steps)
{
    return backprop_run(steps, backprop_adjust);
}

static double backprop_after(size_t steps)
{
    return backprop_run(steps, backprop_adjust_changed);
}

const struct waste_case waste_case = {backprop_before, backprop_after};
