/*
 * overall.h - the geometric mean of ratios over benchmarks, and of their numerators and denominators.
 */
#ifndef ASSAY_COMPARE_OVERALL_H
#define ASSAY_COMPARE_OVERALL_H

#include "analyze/compare/comparison.h"

/* Start with {0}; overall_free() at the end. */
struct overall {
    double *ratios, *centers, *centers_baseline; /* [count] */
    size_t count, room;
};

/* False without memory. */
bool overall_add(struct overall *overall, const struct comparison *found);

/* Geometric means of what was added, as a comparison without a test: its interval is Student's t on the logarithms of
 * the ratios (stats/estimates/geomean.h), so it shows how much the mean would vary with other benchmarks of the kind.
 * At least one ratio (STATS_TOO_FEW); below two, no_interval says so. */
enum stats_status overall_make(const struct overall *overall, double confidence, struct comparison *out);

void overall_free(struct overall *overall);

#endif
