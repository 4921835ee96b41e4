/*
 * overall.h - the geometric mean over benchmarks of their comparisons.
 */
#ifndef ASSAY_COMPARE_OVERALL_H
#define ASSAY_COMPARE_OVERALL_H

#include "analyze/compare/comparison.h"

/* What can have one mean: times and rates by their speedups, each other kind by its ratios. */
enum overall_class { OVERALL_SPEEDS, OVERALL_SIZES, OVERALL_AMOUNTS, OVERALL_SCORES, OVERALL_CLASSES };
enum overall_class overall_class_of(enum direction_kind kind);

/* "geomean"; of one class among several "geomean of sizes". Static storage. */
const char *overall_name(enum overall_class class, bool among_several);

/* Ratios over benchmarks, and what they are ratios of. Start with {0}; overall_free() at the end. */
struct overall {
    double *ratios, *centers, *centers_baseline; /* [count] */
    enum direction_kind *kinds;
    size_t count, capacity;
};

/* False without memory. */
bool overall_add(struct overall *overall, const struct comparison *found, enum direction_kind kind);

/*
 * Geometric means of what was added, as a comparison without a test, and its kind. Its interval is Student's t on the
 * logarithms of the ratios (stats/estimates/geomean.h), so it shows how much the mean would vary with other benchmarks
 * of the kind. Where times and rates were added, it is that of the speedups, each in its own direction, as a ratio of
 * rates, and there are no centers (NaN). At least one ratio (STATS_TOO_FEW); below two, no_interval says so.
 */
enum stats_status overall_make(const struct overall *overall, double confidence, struct comparison *out,
                               enum direction_kind *kind);
bool overall_is_mixed(const struct overall *overall);

void overall_free(struct overall *overall);

#endif
