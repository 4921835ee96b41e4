/*
 * The differences of Rodinia's srad_v1, main.c, line 256 (dissertation, Listing 3.16): a pixel is loaded as the
 * southern neighbour, in the next iteration as itself, and then as the northern neighbour. After: it is loaded once,
 * and stays in registers (scalar replacement).
 */
#include "case.h"

enum { ROWS = 502, COLUMNS = 458 };

static float image[ROWS * COLUMNS], north[ROWS * COLUMNS], south[ROWS * COLUMNS];
static int row_above[ROWS], row_below[ROWS];

CASE_NAMED static void srad_v1_subtract(const float *pixels)
{
    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i < ROWS; i++) {
            int k = i + ROWS * j;
            float center = pixels[k];                            /* @blamed */
            north[k] = pixels[row_above[i] + ROWS * j] - center; /* @blamed */
            south[k] = pixels[row_below[i] + ROWS * j] - center; /* @blamed */
        }
}

CASE_NAMED static void srad_v1_subtract_in_registers(const float *pixels)
{
    for (int j = 0; j < COLUMNS; j++) {
        float above = pixels[ROWS * j], center = above;
        for (int i = 0; i < ROWS; i++) {
            int k = i + ROWS * j;
            float below = pixels[row_below[i] + ROWS * j];
            north[k] = above - center;
            south[k] = below - center;
            above = center;
            center = below;
        }
    }
}

static double srad_v1_run(size_t steps, void (*subtract)(const float *))
{
    uint64_t seed = 2;
    double sum = 0;
    for (int k = 0; k < ROWS * COLUMNS; k++)
        image[k] = (float)(case_random(&seed) % 256) / 255;
    for (int i = 0; i < ROWS; i++) {
        row_above[i] = i > 0 ? i - 1 : 0;
        row_below[i] = i + 1 < ROWS ? i + 1 : i;
    }
    for (size_t step = 0; step < steps; step++) {
        subtract(image);
        image[step % (ROWS * COLUMNS)] += 1;
    }
    for (int k = 0; k < ROWS * COLUMNS; k++)
        sum += (double)(north[k] * south[k]);
    return sum;
}

static double srad_v1_before(size_t steps)
{
    return srad_v1_run(steps, srad_v1_subtract);
}

static double srad_v1_after(size_t steps)
{
    return srad_v1_run(steps, srad_v1_subtract_in_registers);
}

const struct waste_case waste_case = {srad_v1_before, srad_v1_after};
