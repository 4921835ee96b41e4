/*
 * compare.h - by how much do two means differ, and which of several differ? Tests and intervals for pairs of groups.
 */
#ifndef ASSAY_STATS_INFERENCE_COMPARE_H
#define ASSAY_STATS_INFERENCE_COMPARE_H

#include <stddef.h>

#include "stats/estimates/group.h"

struct welch_t {
    double difference; /* mean of a − mean of b, in the unit of the values */
    double low, high;  /* its interval */
    double half;       /* q·se: high − difference before rounding */
    double t;          /* difference / se */
    double dof;        /* ≥ 1, a fraction */
    double p;          /* two-sided; 0 where it is below the smallest double */
    double log10_p;    /* always finite */
};

/*
 * Welch's t test of two groups whose variances may differ: se² = v_a + v_b, v = s²/n,
 * dof = se⁴ / (v_a²/(n_a−1) + v_b²/(n_b−1)).
 * Source: Welch 1947, DOI 10.1093/biomet/34.1-2.28; Satterthwaite 1946; R: t.test().
 * STATS_TOO_FEW: n < 2 in one; STATS_CONSTANT: both are constant (one may be); STATS_DOMAIN: not 0 < confidence < 1;
 * STATS_OVERFLOW: a result that is neither 0 nor a normal double. O(1).
 */
enum stats_status compare_welch(const struct group *a, const struct group *b, double confidence, struct welch_t *out);

/* Two of several groups, compared so that all intervals hold simultaneously with the given confidence, and so that, if
 * all means are equal, the smallest p is below α in a share α of experiments. */
struct compare_pair {
    size_t first, second;     /* the two groups, first < second */
    enum stats_status status; /* STATS_CONSTANT: both are constant, so there is no spread to judge by, and all but the
                                 difference is 0 */
    double difference;        /* mean of second − mean of first */
    double low, high, half;   /* its simultaneous interval */
    double q;                 /* |difference| / (se/√2): studentized range */
    double dof;
    double p, log10_p;
};

/*
 * All k(k−1)/2 pairs of groups[k], in the order (0,1), (0,2) … (k−2,k−1); free(*pairs) releases them.
 *
 * Tukey's honest significant difference, for equal variances: se² = ms_within·(1/n_i + 1/n_j), dof = n − k.
 * Source: Tukey 1953; Kramer 1956, DOI 10.2307/3001469, for unequal n; R: TukeyHSD().
 * STATS_TOO_FEW: less than two groups, an empty one, or n = k. STATS_CONSTANT: all groups are constant.
 *
 * Games and Howell, for unequal variances: se and dof as Welch's t of the two groups.
 * Source: Games and Howell 1976, DOI 10.2307/1164979.
 * STATS_TOO_FEW: less than two groups, or n < 2 in one. If both groups of a pair are constant, its status says so.
 *
 * Both: STATS_DOMAIN: not 0 < confidence < 1, or more groups or fewer dof than the studentized range supports (tail.h);
 * STATS_OVERFLOW as above; STATS_NO_MEMORY. About 0.5 ms per pair for p, and 5 ms for the critical value: once (Tukey),
 * or for each pair (Games and Howell).
 */
enum stats_status compare_tukey(const struct group *groups, size_t count, double confidence,
                                struct compare_pair **pairs);
enum stats_status compare_games_howell(const struct group *groups, size_t count, double confidence,
                                       struct compare_pair **pairs);

/* k(k−1)/2. */
size_t compare_pair_count(size_t groups);

#endif
