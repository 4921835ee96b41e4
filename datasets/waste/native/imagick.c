/*
 * The convolution of SPEC CPU2017's 538.imagick_r, morphology.c, line 2982 (dissertation, Listing 3.18): most elements
 * of the kernel are zero, and pixels are multiplied with them all the same. After: zeros are left out.
 */
#include "case.h"

#include <math.h>

enum { WIDTH = 400, HEIGHT = 40, KERNEL = 31, DISTANCE = 6 };

struct imagick_pixel {
    double red, green, blue, opacity;
};

static struct imagick_pixel pixels[HEIGHT][WIDTH + KERNEL];
static double kernel[KERNEL];

static inline void imagick_add(struct imagick_pixel *sum, double k, const struct imagick_pixel *pixel)
{
    sum->red += k * pixel->red;         /* @blamed */
    sum->green += k * pixel->green;     /* @blamed */
    sum->blue += k * pixel->blue;       /* @blamed */
    sum->opacity += k * pixel->opacity; /* @blamed */
}

CASE_NAMED static struct imagick_pixel imagick_convolve(const struct imagick_pixel *from)
{
    struct imagick_pixel result = {0};
    const double *k = &kernel[KERNEL - 1];
    for (int u = 0; u < KERNEL; u++, k--) {
        if (isnan(*k)) /* @blamed */
            continue;
        imagick_add(&result, *k, &from[u]); /* @blamed */
    }
    return result;
}

CASE_NAMED static struct imagick_pixel imagick_convolve_nonzero(const struct imagick_pixel *from)
{
    struct imagick_pixel result = {0};
    const double *k = &kernel[KERNEL - 1];
    for (int u = 0; u < KERNEL; u++, k--) {
        if (isnan(*k) || *k == 0)
            continue;
        imagick_add(&result, *k, &from[u]);
    }
    return result;
}

static double imagick_run(size_t steps, struct imagick_pixel (*convolve)(const struct imagick_pixel *))
{
    uint64_t seed = 8;
    double sum = 0;
    for (int i = 0; i < KERNEL; i += DISTANCE)
        kernel[i] = 1.0 / (1 + i);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH + KERNEL; x++) {
            double red = case_random(&seed) % 256, green = case_random(&seed) % 256, blue = case_random(&seed) % 256;
            pixels[y][x] = (struct imagick_pixel){red, green, blue, 1};
        }
    for (size_t step = 0; step < steps; step++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                struct imagick_pixel result = convolve(&pixels[y][x]);
                sum += result.red + result.green + result.blue + result.opacity;
            }
    return sum;
}

static double imagick_before(size_t steps)
{
    return imagick_run(steps, imagick_convolve);
}

static double imagick_after(size_t steps)
{
    return imagick_run(steps, imagick_convolve_nonzero);
}

const struct waste_case waste_case = {imagick_before, imagick_after};
