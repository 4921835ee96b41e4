/*
 * weighted_pairs.h - moments of weighted pairs of values, streaming and mergeable, and their correlation with its
 * interval. Weights as in weighted_moments.h.
 */
#ifndef ASSAY_STATS_WEIGHTED_PAIRS_H
#define ASSAY_STATS_WEIGHTED_PAIRS_H

#include <stdint.h>

#include "stats/status.h"

/* Start with {0}. */
struct weighted_pairs {
    uint64_t n;
    double weight, weight_squares; /* Σw, Σw² */
    double mean_x, mean_y;
    double xx, yy, xy; /* Σw(x−x̄)², Σw(y−ȳ)², Σw(x−x̄)(y−ȳ) */
};

/* x, y finite. O(1). Source: Welford 1962; Pébay, SAND2008-6212, §3. */
void weighted_pairs_add(struct weighted_pairs *pairs, double x, double y, double weight);
void weighted_pairs_merge(struct weighted_pairs *pairs, const struct weighted_pairs *other);

struct correlation {
    double r, low, high;
};

/*
 * Pearson's correlation and its interval, by Fisher's transformation: artanh r has a standard error of 1/√(n′ − 3),
 * where n′ is the effective number of pairs (Kish). That holds for values that are normal together; for others it is a
 * guide. n′ > 3, else STATS_TOO_FEW; x or y constant: STATS_DOMAIN. |r| = 1 has the interval [r, r]. Source: Fisher
 * 1921.
 */
enum stats_status weighted_pairs_correlation(const struct weighted_pairs *pairs, double confidence,
                                             struct correlation *out);

#endif
