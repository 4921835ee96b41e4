/*
 * ../java/Euler.java in C, with the same result: a gas in a rectangle of 192 by 128 cells, whose vectors are records
 * in arrays of pointers.
 *
 * Bytes, with glibc's malloc(): a vector 48. Those of a cell and of its fluxes were allocated together. In the inner
 * loops an array has a stride of 8, and what it leads to one of 3 * 48. One of the sweeps goes by columns: from row to
 * row it is 3 * (8 * 128 + 16) bytes of arrays, and 128 * 3 * 48 of vectors.
 * EXPECT line=@cell loop=@row_loop kind=inter stride=8
 * EXPECT line=@density loop=@row_loop kind=inter stride=144
 * EXPECT line=@momentum loop=@row_loop kind=inter stride=144
 * EXPECT line=@energy loop=@row_loop kind=inter stride=144
 * EXPECT line=@column_cell loop=@column_loop kind=inter stride=21552
 * EXPECT line=@column_density loop=@column_loop kind=inter stride=21552
 * EXPECT line=@above loop=@step_loop kind=inter stride=8
 * EXPECT line=@left loop=@step_loop kind=inter stride=8
 * EXPECT line=@densities loop=@step_loop kind=inter stride=144
 *
 * Argument: a factor for the number of steps.
 */
#include "numbers.h"

enum { ROWS = 192, COLUMNS = 128, STEPS = 200 };

struct vector4 {
    double density, momentum_x, momentum_y, energy;
};

static struct vector4 **cells[ROWS], **fluxes_x[ROWS], **fluxes_y[ROWS];

static struct vector4 ***const grids[] = {cells, fluxes_x, fluxes_y};

/* A gas at rest, with some random disturbance. */
static void gas_new(void)
{
    for (int i = 0; i < ROWS; i++) {
        for (int grid = 0; grid < 3; grid++)
            grids[grid][i] = allocate(COLUMNS * sizeof(struct vector4 *));
        for (int j = 0; j < COLUMNS; j++)
            for (int grid = 0; grid < 3; grid++)
                grids[grid][i][j] = allocate(sizeof(struct vector4));
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            cells[i][j]->density = 1 + numbers_next(1000) / 10000.0;
            cells[i][j]->energy = 2.5 + numbers_next(1000) / 10000.0;
        }
}

static double pressure_of(double density, double x, double y, double energy)
{
    return 0.4 * (energy - (x * x + y * y) / (2 * density));
}

/* From row to row, by rows. */
__attribute__((noinline)) static void find_fluxes_x(void)
{
    for (int i = 0; i < ROWS; i++) {
        struct vector4 **row = cells[i], **fluxes = fluxes_x[i];
        for (int j = 0; j < COLUMNS; j++) {      /* @row_loop */
            const struct vector4 *cell = row[j]; /* @cell */
            double density = cell->density;      /* @density */
            double x = cell->momentum_x;         /* @momentum */
            double y = cell->momentum_y;
            double energy = cell->energy; /* @energy */
            double pressure = pressure_of(density, x, y, energy);
            struct vector4 *flux = fluxes[j];
            flux->density = x;
            flux->momentum_x = x * x / density + pressure;
            flux->momentum_y = x * y / density;
            flux->energy = x * (energy + pressure) / density;
        }
    }
}

/* From column to column, by columns. */
__attribute__((noinline)) static void find_fluxes_y(void)
{
    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i < ROWS; i++) {              /* @column_loop */
            const struct vector4 *cell = cells[i][j]; /* @column_cell */
            double density = cell->density;           /* @column_density */
            double x = cell->momentum_x;
            double y = cell->momentum_y;
            double energy = cell->energy;
            double pressure = pressure_of(density, x, y, energy);
            struct vector4 *flux = fluxes_y[i][j];
            flux->density = y;
            flux->momentum_x = x * y / density;
            flux->momentum_y = y * y / density + pressure;
            flux->energy = y * (energy + pressure) / density;
        }
}

/* In place: half of the mean of the neighbours above and left, which have been changed, and below and right. */
__attribute__((noinline)) static void step_cells(double ratio)
{
    for (int i = 1; i < ROWS - 1; i++) {
        struct vector4 **row_above = cells[i - 1], **row = cells[i], **row_below = cells[i + 1];
        struct vector4 **before = fluxes_x[i - 1], **after = fluxes_x[i + 1], **across = fluxes_y[i];
        for (int j = 1; j < COLUMNS - 1; j++) {         /* @step_loop */
            const struct vector4 *above = row_above[j]; /* @above */
            const struct vector4 *left = row[j - 1];    /* @left */
            struct vector4 *cell = row[j];
            const struct vector4 *right = row[j + 1];
            const struct vector4 *below = row_below[j];
            const struct vector4 *in = before[j];
            const struct vector4 *out = after[j];
            const struct vector4 *down = across[j - 1];
            const struct vector4 *up = across[j + 1];
            double density = above->density + left->density; /* @densities */
            density += right->density + below->density;
            cell->density = 0.5 * cell->density + 0.125 * density -
                            ratio * (out->density - in->density + up->density - down->density);
            double x = above->momentum_x + left->momentum_x + right->momentum_x + below->momentum_x;
            cell->momentum_x = 0.5 * cell->momentum_x + 0.125 * x -
                               ratio * (out->momentum_x - in->momentum_x + up->momentum_x - down->momentum_x);
            double y = above->momentum_y + left->momentum_y + right->momentum_y + below->momentum_y;
            cell->momentum_y = 0.5 * cell->momentum_y + 0.125 * y -
                               ratio * (out->momentum_y - in->momentum_y + up->momentum_y - down->momentum_y);
            double energy = above->energy + left->energy + right->energy + below->energy;
            cell->energy =
                0.5 * cell->energy + 0.125 * energy - ratio * (out->energy - in->energy + up->energy - down->energy);
        }
    }
}

static int64_t checksum_of_cells(void)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const struct vector4 *cell = cells[i][j];
            sum = 0.999 * sum + cell->density + cell->energy + cell->momentum_x - cell->momentum_y;
        }
    return bits_of(sum);
}

int main(int argc, char **argv)
{
    int steps = numbers_rounds(argc, argv, STEPS);
    gas_new();
    for (int step = 0; step < steps; step++) {
        find_fluxes_x();
        find_fluxes_y();
        step_cells(0.05);
    }
    printf("steps %d checksum %ld\n", steps, (long)checksum_of_cells());
    return 0;
}
