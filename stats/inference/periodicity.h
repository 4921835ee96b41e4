/*
 * periodicity.h - do values at uneven times repeat with a period?
 *
 * Quantity: the period P whose sinusoid a·cos(2πt/P) + b·sin(2πt/P) + c explains most of the variance that a
 * straight line in time leaves of the values (the generalised Lomb-Scargle periodogram; Zechmeister and Kürster 2009,
 * DOI 10.1051/0004-6361:200811296), and the share of the values' variance that it explains. With several series each
 * has amplitudes of its own, and the share is that of their sums of squares together. P is searched from half the
 * longest series down to twice its mean distance of values, in steps of a quarter of what can be told apart. p   that
 * values without any period have one that explains so much, by chance: at most that of the F test for the best period,
 * times the number of periods tried. Where values are far from normal it is a guide.
 */
#ifndef ASSAY_STATS_INFERENCE_PERIODICITY_H
#define ASSAY_STATS_INFERENCE_PERIODICITY_H

#include <stddef.h>

#include "stats/status.h"

struct periodicity_series {
    const double *time, *value;
    size_t n;
};

struct periodicity {
    double period; /* in the unit of time */
    double share;  /* 0 … 1 */
    double p;
    size_t n; /* values in series that are long enough */
};

/*
 * Series of fewer than PERIODICITY_LEAST values are left out; STATS_TOO_FEW without another. Times and values are
 * finite (else STATS_DOMAIN), in any order. STATS_CONSTANT: the values are on straight lines. STATS_NO_MEMORY.
 * O(values · periods): 0.1 s for 4,096 values.
 */
enum { PERIODICITY_LEAST = 16 };
enum stats_status periodicity_find(const struct periodicity_series *series, size_t count, struct periodicity *out);

#endif
