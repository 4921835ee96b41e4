/*
 * The stencil of Rodinia's hotspot3D, 3D.c, lines 98 and 166 (dissertation, Listing 3.6): a temperature is loaded as
 * the eastern neighbour, in the next iteration as the cell itself, and then as the western neighbour. After: it is
 * loaded once, and stays in registers (scalar replacement).
 */
#include "case.h"

enum { NX = 64, NY = 64, NZ = 8, CELLS = NX * NY * NZ };

static float temperature[2][CELLS], power[CELLS];

/* The neighbours in the other two directions, which both forms load. */
static inline __attribute__((always_inline)) float hotspot3d_beside(const float *in, int c, int y, int z)
{
    float north = in[y == 0 ? c : c - NX], south = in[y == NY - 1 ? c : c + NX];
    float below = in[z == 0 ? c : c - NX * NY], above = in[z == NZ - 1 ? c : c + NX * NY];
    return 0.1F * (north + south) + 0.05F * (below + above) + 0.01F * power[c];
}

CASE_NAMED static void hotspot3d_spread(float *out, const float *in)
{
    for (int z = 0; z < NZ; z++)
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++) {
                int c = x + y * NX + z * NX * NY;
                int w = x == 0 ? c : c - 1;
                int e = x == NX - 1 ? c : c + 1;
                out[c] = 0.5F * in[c] + 0.1F * (in[w] + in[e]) + hotspot3d_beside(in, c, y, z); /* @blamed */
            }
}

CASE_NAMED static void hotspot3d_spread_in_registers(float *out, const float *in)
{
    for (int z = 0; z < NZ; z++)
        for (int y = 0; y < NY; y++) {
            int c = y * NX + z * NX * NY;
            float west = in[c], center = west;
            for (int x = 0; x < NX; x++, c++) {
                float east = x == NX - 1 ? center : in[c + 1];
                out[c] = 0.5F * center + 0.1F * (west + east) + hotspot3d_beside(in, c, y, z);
                west = center;
                center = east;
            }
        }
}

static double hotspot3d_run(size_t steps, void (*spread)(float *, const float *))
{
    uint64_t seed = 15;
    double sum = 0;
    for (int c = 0; c < CELLS; c++) {
        temperature[0][c] = 300 + (float)(case_random(&seed) % 50);
        power[c] = (float)(case_random(&seed) % 100) / 100;
    }
    for (size_t step = 0; step < steps; step++)
        spread(temperature[(step + 1) % 2], temperature[step % 2]);
    for (int c = 0; c < CELLS; c++)
        sum += (double)temperature[steps % 2][c];
    return sum;
}

static double hotspot3d_before(size_t steps)
{
    return hotspot3d_run(steps, hotspot3d_spread);
}

static double hotspot3d_after(size_t steps)
{
    return hotspot3d_run(steps, hotspot3d_spread_in_registers);
}

const struct waste_case waste_case = {hotspot3d_before, hotspot3d_after};
