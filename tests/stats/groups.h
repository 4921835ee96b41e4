/* groups.h - groups for tests, from doubles as they are written. */
#ifndef ASSAY_TESTS_GROUPS_H
#define ASSAY_TESTS_GROUPS_H

#include <stdlib.h>

#include "stats/estimates/group.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static inline struct group group_of_values(const double *x, size_t n)
{
    struct real_moments moments = {0};
    struct group group;
    for (size_t i = 0; i < n; i++) {
        struct decimal decimal;
        if (decimal_of_double(x[i], &decimal) || real_moments_add(&moments, &decimal, 1))
            abort();
    }
    if (group_of_moments(&moments, &group))
        abort();
    return group;
}

/* A group from a published row; the sd has the divisor n−1. */
static inline struct group summary(uint64_t n, double mean, double sd)
{
    return (struct group){n, mean, (__float128)(n - 1) * sd * sd};
}

/* R: PlantGrowth */
static const double plant_control[] = {4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14};
static const double plant_one[] = {4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69};
static const double plant_two[] = {6.31, 5.12, 5.54, 5.50, 5.37, 5.29, 4.92, 6.15, 5.80, 5.26};

/* Different sizes and spreads: a <- c(27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6),
 * b <- c(27.1, 22.0, 20.8, 23.4), c <- c(23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 40.5) */
static const double uneven_a[] = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6};
static const double uneven_b[] = {27.1, 22.0, 20.8, 23.4};
static const double uneven_c[] = {23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 40.5};

static inline void plant_groups(struct group groups[3])
{
    groups[0] = group_of_values(plant_control, COUNT_OF(plant_control));
    groups[1] = group_of_values(plant_one, COUNT_OF(plant_one));
    groups[2] = group_of_values(plant_two, COUNT_OF(plant_two));
}

static inline void uneven_groups(struct group groups[3])
{
    groups[0] = group_of_values(uneven_a, COUNT_OF(uneven_a));
    groups[1] = group_of_values(uneven_b, COUNT_OF(uneven_b));
    groups[2] = group_of_values(uneven_c, COUNT_OF(uneven_c));
}

#endif
