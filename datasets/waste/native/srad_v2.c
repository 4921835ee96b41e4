/*
 * The derivatives of Rodinia's srad_v2, srad.cpp, line 131 (dissertation, §3.7.7: the inefficiency of srad_v1, with the
 * same change): a pixel is loaded as the eastern neighbour, as itself and as the western neighbour. After: it is loaded
 * once, and stays in registers (scalar replacement). The neighbours of other rows are loaded in both forms.
 */
#include "case.h"

enum { ROWS = 256, COLUMNS = 256 };

static float image[ROWS * COLUMNS];
static float norths[ROWS * COLUMNS], souths[ROWS * COLUMNS], wests[ROWS * COLUMNS], easts[ROWS * COLUMNS];
static int row_above[ROWS], row_below[ROWS], column_left[COLUMNS], column_right[COLUMNS];

static inline __attribute__((always_inline)) void srad_v2_store(const float *pixels, int i, int j, float west,
                                                                float center, float east)
{
    int k = i * COLUMNS + j;
    norths[k] = pixels[row_above[i] * COLUMNS + j] - center;
    souths[k] = pixels[row_below[i] * COLUMNS + j] - center;
    wests[k] = west - center;
    easts[k] = east - center;
}

CASE_NAMED static void srad_v2_derive(const float *pixels)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            float center = pixels[i * COLUMNS + j];             /* @blamed */
            float west = pixels[i * COLUMNS + column_left[j]];  /* @blamed */
            float east = pixels[i * COLUMNS + column_right[j]]; /* @blamed */
            srad_v2_store(pixels, i, j, west, center, east);
        }
}

CASE_NAMED static void srad_v2_derive_in_registers(const float *pixels)
{
    for (int i = 0; i < ROWS; i++) {
        float west = pixels[i * COLUMNS], center = west;
        for (int j = 0; j < COLUMNS; j++) {
            float east = pixels[i * COLUMNS + column_right[j]];
            srad_v2_store(pixels, i, j, west, center, east);
            west = center;
            center = east;
        }
    }
}

static void srad_v2_prepare(void)
{
    uint64_t seed = 19;
    for (int k = 0; k < ROWS * COLUMNS; k++)
        image[k] = (float)(case_random(&seed) % 256) / 255;
    for (int i = 0; i < ROWS; i++) {
        row_above[i] = i > 0 ? i - 1 : 0;
        row_below[i] = i + 1 < ROWS ? i + 1 : i;
    }
    for (int j = 0; j < COLUMNS; j++) {
        column_left[j] = j > 0 ? j - 1 : 0;
        column_right[j] = j + 1 < COLUMNS ? j + 1 : j;
    }
}

static double srad_v2_run(size_t steps, void (*derive)(const float *))
{
    double sum = 0;
    srad_v2_prepare();
    for (size_t step = 0; step < steps; step++) {
        derive(image);
        image[step % (ROWS * COLUMNS)] += 1;
    }
    for (int k = 0; k < ROWS * COLUMNS; k++)
        sum += (double)(norths[k] * souths[k] + wests[k] * easts[k]);
    return sum;
}

static double srad_v2_before(size_t steps)
{
    return srad_v2_run(steps, srad_v2_derive);
}

static double srad_v2_after(size_t steps)
{
    return srad_v2_run(steps, srad_v2_derive_in_registers);
}

const struct waste_case waste_case = {srad_v2_before, srad_v2_after};
