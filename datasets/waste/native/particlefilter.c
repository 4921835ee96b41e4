/*
 * findIndex() of Rodinia's particlefilter, ex_particle_OPENMP_seq.c (dissertation, Listing 3.4): the cumulative weights
 * are searched from the beginning for each particle. After: a binary search.
 */
#include "case.h"

enum { PARTICLES = 2000 };

static double cumulative[PARTICLES], wanted[PARTICLES];

CASE_NAMED static int particlefilter_find_from_start(const double *values, int count, double value)
{
    for (int i = 0; i < count; i++)
        if (values[i] >= value) /* @blamed */
            return i;
    return count - 1;
}

CASE_NAMED static int particlefilter_bisect(const double *values, int count, double value)
{
    int low = 0, high = count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (values[middle] >= value)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double particlefilter_run(size_t steps, int (*find)(const double *, int, double))
{
    uint64_t seed = 4;
    double sum = 0;
    for (int i = 0; i < PARTICLES; i++) {
        cumulative[i] = (i ? cumulative[i - 1] : 0) + (double)(case_random(&seed) % 1000 + 1);
        wanted[i] = (double)(case_random(&seed) % 1000000);
    }
    for (size_t step = 0; step < steps; step++)
        for (int i = 0; i < PARTICLES; i++)
            sum += find(cumulative, PARTICLES, wanted[i] + (double)(step % 7));
    return sum;
}

static double particlefilter_before(size_t steps)
{
    return particlefilter_run(steps, particlefilter_find_from_start);
}

static double particlefilter_after(size_t steps)
{
    return particlefilter_run(steps, particlefilter_bisect);
}

const struct waste_case waste_case = {particlefilter_before, particlefilter_after};
