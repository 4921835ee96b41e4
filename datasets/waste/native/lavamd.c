/*
 * The potential of Rodinia's lavaMD, kernel_cpu.c, line 175 (dissertation, Listing 3.17): exp() is called although its
 * argument is often that of the previous iteration. After: its result is used again.
 */
#include "case.h"

#include <math.h>

enum { PARTICLES = 100, EQUAL = 10 };

struct lavamd_particle {
    double v, x, y, z;
};

static struct lavamd_particle particles[PARTICLES];
static double charges[PARTICLES], forces[PARTICLES];

static inline double lavamd_distance(const struct lavamd_particle *a, const struct lavamd_particle *b)
{
    return a->v + b->v - (a->x * b->x + a->y * b->y + a->z * b->z);
}

CASE_NAMED static void lavamd_sum_forces(void)
{
    for (int i = 0; i < PARTICLES; i++)
        for (int j = 0; j < PARTICLES; j++) {
            double r2 = lavamd_distance(&particles[i], &particles[j]);
            double v = exp(-0.5 * r2); /* @blamed */
            forces[i] += v * charges[j];
        }
}

CASE_NAMED static void lavamd_sum_forces_anew(void)
{
    double last = NAN, v = 0;
    for (int i = 0; i < PARTICLES; i++)
        for (int j = 0; j < PARTICLES; j++) {
            double r2 = lavamd_distance(&particles[i], &particles[j]);
            if (r2 != last) {
                v = exp(-0.5 * r2);
                last = r2;
            }
            forces[i] += v * charges[j];
        }
}

static double lavamd_coordinate(uint64_t *seed)
{
    return (double)(case_random(seed) % 10 + 1) / 10;
}

static double lavamd_run(size_t steps, void (*sum_forces)(void))
{
    uint64_t seed = 3;
    double sum = 0;
    for (int i = 0; i < PARTICLES; i++) {
        struct lavamd_particle *particle = &particles[i];
        if (i % EQUAL) {
            *particle = particles[i - 1];
        } else {
            particle->x = lavamd_coordinate(&seed);
            particle->y = lavamd_coordinate(&seed);
            particle->z = lavamd_coordinate(&seed);
            particle->v = particle->x * particle->x + particle->y * particle->y + particle->z * particle->z;
        }
        charges[i] = lavamd_coordinate(&seed);
    }
    for (size_t step = 0; step < steps; step++)
        sum_forces();
    for (int i = 0; i < PARTICLES; i++)
        sum += forces[i];
    return sum;
}

static double lavamd_before(size_t steps)
{
    return lavamd_run(steps, lavamd_sum_forces);
}

static double lavamd_after(size_t steps)
{
    return lavamd_run(steps, lavamd_sum_forces_anew);
}

const struct waste_case waste_case = {lavamd_before, lavamd_after};
