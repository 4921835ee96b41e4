/*
 * LBM_performStreamCollide() of SPEC CPU2006's 470.lbm (dissertation, Listing 3.19): the lattice Boltzmann method for a
 * fluid that is nearly at rest, so that most cells hold the same values. After: the loop is perforated, that is, every
 * fourth cell keeps what it got two steps before. That is an approximation: the result is the mean density, rounded to
 * five decimals.
 */
#include "case.h"

#include <math.h>

enum {
    NX = 24,
    NY = 24,
    NZ = 24,
    LAYER = NX * NY,
    CELLS = LAYER * NZ,
    MARGIN = LAYER + NX + 1,
    SPEEDS = 19,
    SKIPPED = 4
};

static const int directions[SPEEDS][3] = {{0, 0, 0},   {0, 1, 0},  {0, -1, 0}, {1, 0, 0},  {-1, 0, 0},
                                          {0, 0, 1},   {0, 0, -1}, {1, 1, 0},  {-1, 1, 0}, {1, -1, 0},
                                          {-1, -1, 0}, {0, 1, 1},  {0, 1, -1}, {0, -1, 1}, {0, -1, -1},
                                          {1, 0, 1},   {1, 0, -1}, {-1, 0, 1}, {-1, 0, -1}};

/* Two grids with a margin on both sides, where the fluid stays at rest. */
static double grids[2][(CELLS + 2 * MARGIN) * SPEEDS];

static inline __attribute__((always_inline)) double lbm_weight(int speed)
{
    return speed == 0 ? 1.0 / 3 : speed < 7 ? 1.0 / 18 : 1.0 / 36;
}

/* Collides what is in a cell, and streams it to the neighbours. */
static inline __attribute__((always_inline)) void lbm_update_cell(double *target, const double *source)
{
    double density = 0, u[3] = {0};
#pragma GCC unroll 19
    for (int s = 0; s < SPEEDS; s++) {
        density += source[s]; /* @blamed */
        for (int d = 0; d < 3; d++)
            u[d] += directions[s][d] * source[s]; /* @blamed */
    }
    for (int d = 0; d < 3; d++)
        u[d] /= density;
    double square = 1.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
#pragma GCC unroll 19
    for (int s = 0; s < SPEEDS; s++) {
        const int *direction = directions[s];
        double along = direction[0] * u[0] + direction[1] * u[1] + direction[2] * u[2];
        double rest = lbm_weight(s) * density * (1 + along * (4.5 * along + 3) - square);
        int neighbour = direction[0] + direction[1] * NX + direction[2] * LAYER;
        target[neighbour * SPEEDS + s] = 0.05 * source[s] + 0.95 * rest; /* @blamed */
    }
}

CASE_NAMED static void lbm_stream_collide(double *target, const double *source)
{
    for (int i = MARGIN; i < MARGIN + CELLS; i++)
        lbm_update_cell(target + i * SPEEDS, source + i * SPEEDS);
}

CASE_NAMED static void lbm_stream_collide_perforated(double *target, const double *source)
{
    for (int i = MARGIN; i < MARGIN + CELLS; i++)
        if (i % SKIPPED != 0)
            lbm_update_cell(target + i * SPEEDS, source + i * SPEEDS);
}

static double lbm_run(size_t steps, void (*stream_collide)(double *, const double *))
{
    uint64_t seed = 16;
    double sum = 0;
    for (int i = 0; i < CELLS + 2 * MARGIN; i++) {
        double density = i % 50 == 0 ? 1 + 1e-6 * (double)(case_random(&seed) % 10) : 1;
        for (int s = 0; s < SPEEDS; s++)
            grids[0][i * SPEEDS + s] = grids[1][i * SPEEDS + s] = lbm_weight(s) * density;
    }
    for (size_t step = 0; step < steps; step++)
        stream_collide(grids[(step + 1) % 2], grids[step % 2]);
    for (int i = MARGIN * SPEEDS; i < (MARGIN + CELLS) * SPEEDS; i++)
        sum += grids[steps % 2][i];
    return round(sum / CELLS * 1e5) / 1e5;
}

static double lbm_before(size_t steps)
{
    return lbm_run(steps, lbm_stream_collide);
}

static double lbm_after(size_t steps)
{
    return lbm_run(steps, lbm_stream_collide_perforated);
}

const struct waste_case waste_case = {lbm_before, lbm_after};
