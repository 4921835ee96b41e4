/*
 * effect.h - how large is the difference between two samples, in units that need no unit? Effect sizes with intervals.
 *
 * Hedges' g: difference of means over the pooled standard deviation s, s² = (Σ(x−x̄)² + Σ(y−ȳ)²)/ν, ν = n_x + n_y − 2:
 * g = J(ν)·(x̄ − ȳ)/s. J = Γ(ν/2)/(√(ν/2)·Γ((ν−1)/2)), which makes g unbiased where values are normal with one variance;
 * not its approximation 1 − 3/(4ν − 1), which is 6e-4 too large at ν = 8. Its interval is J·√(1/n_x + 1/n_y) times the
 * interval of the noncentrality of t = d/√(1/n_x + 1/n_y) (stats/distributions/noncentral_t.h), exact under that model.
 * Source: Hedges 1981, DOI 10.3102/10769986006002107; Steiger and Fouladi 1997 for the interval; R: effectsize's
 * hedges_g(). effsize's cohen.d(hedges.correction = TRUE) has the approximation of J, and by default a normal interval.
 *
 * Cliff's δ = P(x > y) − P(x < y) over the n_x·n_y pairs of values, −1 … 1, without any assumption about distributions;
 * Vargha and Delaney's A12 = (δ + 1)/2 = P(x > y) + P(x = y)/2. The interval is the asymmetric one of Feng and Cliff:
 *   (δ − δ³ ± t·S·√((1−δ²)² + t²S²)) / (1 − δ² + t²S²), t Student's with ν degrees of freedom, S² the unbiased variance
 *   (n_y²Σ(d_i·−δ)² + n_x²Σ(d_·j−δ)² − ΣΣ(d_ij−δ)²) / (n_x·n_y·(n_x−1)(n_y−1)), at least (1−δ²)/(n_x·n_y − 1).
 * At |δ| = 1 the variance is 0, and the interval is Wilson's of n = min(n_x, n_y) pairs that all agree: from
 * (n − t²)/(n + t²) to 1, at least −1. Source: Cliff 1993, DOI 10.1037/0033-2909.114.3.494; Feng and Cliff 2004, DOI
 * 10.22237/jmasm/1099267560, eq. 6 and 8; Vargha and Delaney 2000, DOI 10.3102/10769986025002101. R: effsize's
 * cliff.delta() is the same, except that it has no least variance, and takes δ for ±(1 − 1/(n_x·n_y)) where it is ±1.
 */
#ifndef ASSAY_STATS_INFERENCE_EFFECT_H
#define ASSAY_STATS_INFERENCE_EFFECT_H

#include "stats/estimates/group.h"
#include "stats/inference/rank.h"

struct effect {
    double value;
    double low, high;              /* its interval; NaN if there is none */
    enum stats_status no_interval; /* why */
};

/*
 * Hedges' g of a against b, positive if a's mean is the greater one. STATS_TOO_FEW: n_a + n_b < 4, or an empty group;
 * STATS_CONSTANT: both are constant; STATS_DOMAIN: not 2e-9 ≤ 1 − confidence < 1; STATS_OVERFLOW: neither 0 nor a
 * normal double. About 2 ms.
 */
enum stats_status effect_hedges_g(const struct group *a, const struct group *b, double confidence, struct effect *out);

/*
 * Cliff's δ, positive if x tends to be greater. no_interval is STATS_TOO_FEW with one value on either side.
 * STATS_DOMAIN: a value that is not finite, or not 0 < confidence < 1; STATS_TOO_FEW: no value; STATS_OVERFLOW: more
 * than RANK_N_MAX values; STATS_NO_MEMORY. Counts of pairs are exact. O(N log N), 8 bytes per value.
 */
enum stats_status effect_cliff_delta(const struct rank_group *x, const struct rank_group *y, double confidence,
                                     struct effect *out);

/* A12 from Cliff's δ, with its interval. */
struct effect effect_a12(const struct effect *delta);

#endif
