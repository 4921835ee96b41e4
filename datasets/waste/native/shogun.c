/*
 * get_feature_vector() of Shogun 6.0, called by DenseFeatures.cpp, line 505 (dissertation, Listing 3.14): for each dot
 * product it is called twice, and its epilog loads the same values of saved registers each time. After: it is inlined;
 * the function that it calls is called in both forms.
 */
#include "case.h"

enum { VECTORS = 256, FEATURES = 8 };

struct shogun_features {
    double *matrix;
    const int *subset; /* NULL: all vectors */
    int features, vectors;
};

static double matrix[VECTORS * FEATURES];
static int subset[VECTORS];

CASE_EXTERNAL static int shogun_subset_index(const struct shogun_features *features, int index)
{
    return features->subset ? features->subset[index] : index;
}

/* Twice the same, so that each form has lines of its own: called, and inlined. */
CASE_EXTERNAL static const double *shogun_vector(const struct shogun_features *features, int index, int *length,
                                                 int *to_free)
{
    int number = shogun_subset_index(features, index);
    *length = features->features;
    *to_free = 0;
    return &features->matrix[(size_t)number * (size_t)*length];
} /* @blamed */

static inline __attribute__((always_inline)) const double *shogun_vector_inlined(const struct shogun_features *features,
                                                                                 int index, int *length, int *to_free)
{
    int number = shogun_subset_index(features, index);
    *length = features->features;
    *to_free = 0;
    return &features->matrix[(size_t)number * (size_t)*length];
}

static inline double shogun_product(const double *a, const double *b, int length)
{
    double sum = 0;
    for (int i = 0; i < length; i++)
        sum += a[i] * b[i];
    return sum;
}

CASE_NAMED static double shogun_dot_by_call(const struct shogun_features *features, int i, int j)
{
    int length, other_length, to_free, other_to_free;
    const double *a = shogun_vector(features, i, &length, &to_free);             /* @blamed */
    const double *b = shogun_vector(features, j, &other_length, &other_to_free); /* @blamed */
    return to_free || other_to_free || length != other_length ? 0 : shogun_product(a, b, length);
}

CASE_NAMED static double shogun_dot_inlined(const struct shogun_features *features, int i, int j)
{
    int length, other_length, to_free, other_to_free;
    const double *a = shogun_vector_inlined(features, i, &length, &to_free);
    const double *b = shogun_vector_inlined(features, j, &other_length, &other_to_free);
    return to_free || other_to_free || length != other_length ? 0 : shogun_product(a, b, length);
}

static double shogun_run(size_t steps, double (*dot)(const struct shogun_features *, int, int))
{
    uint64_t seed = 18;
    const struct shogun_features features = {matrix, subset, FEATURES, VECTORS};
    double sum = 0;
    for (int i = 0; i < VECTORS * FEATURES; i++)
        matrix[i] = case_random(&seed) % 100;
    for (int i = 0; i < VECTORS; i++)
        subset[i] = VECTORS - 1 - i;
    for (size_t step = 0; step < steps; step++)
        for (int i = 0; i < VECTORS; i++)
            for (int j = 0; j <= i; j++)
                sum += dot(&features, i, j);
    return sum;
}

static double shogun_before(size_t steps)
{
    return shogun_run(steps, shogun_dot_by_call);
}

static double shogun_after(size_t steps)
{
    return shogun_run(steps, shogun_dot_inlined);
}

const struct waste_case waste_case = {shogun_before, shogun_after};
